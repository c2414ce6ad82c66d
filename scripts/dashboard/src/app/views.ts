// The views, each with its code in a file that is loaded when it is first opened.
import type { Context, Shown } from './context';

export const VIEWS = {
  overview: () => import('../views/overview'),
  news: () => import('../views/news'),
  now: () => import('../views/now'),
  trends: () => import('../views/trends'),
  compare: () => import('../views/compare'),
  framework: () => import('../views/framework'),
  ratios: () => import('../views/ratios'),
  breaks: () => import('../views/breaks'),
  run: () => import('../views/run'),
  method: () => import('../views/method'),
};

export type ViewName = keyof typeof VIEWS;

type ViewModule = { show(context: Context): Promise<Shown> };

export const loadView = (name: ViewName): Promise<ViewModule> => VIEWS[name]();

// The views, each loaded when it is first asked for. To add one: name it in `route.ts`, load it here.
import type { ViewModule } from './context';
import type { ViewName } from './route';

const LOADERS: Record<ViewName, () => Promise<ViewModule>> = {
  now: () => import('../views/now'),
  overview: () => import('../views/overview'),
  trends: () => import('../views/trends'),
  compare: () => import('../views/compare'),
  framework: () => import('../views/framework'),
  variants: () => import('../views/variants'),
  scaling: () => import('../views/scaling'),
  breaks: () => import('../views/breaks'),
  run: () => import('../views/run'),
  method: () => import('../views/method'),
};

export const loadView = (name: ViewName): Promise<ViewModule> => LOADERS[name]();

// The views. To add one: name it in `route.ts`, and here or in `rest.ts`, which is loaded when one of its views is opened.
import * as compare from '../views/compare';
import * as framework from '../views/framework';
import * as now from '../views/now';
import * as overview from '../views/overview';
import type { ViewModule } from './context';
import type { ViewName } from './route';

const FIRST: Partial<Record<ViewName, ViewModule>> = { overview, now, compare, framework };

export const loadView = async (name: ViewName): Promise<ViewModule> =>
  FIRST[name] ?? (await import('./rest'))[name as keyof typeof import('./rest')];

// data/<lane>/scaling.json: speed-ups of the newest run at several widths, and the law that they follow.
import type * as Published from '../generated/published';
import type { Scaling, ScalingCurve, Subject } from '../types';
import * as border from './border';
import { subjectFields } from './period';
import { run } from './run';

const NEWEST_VERSION = 1;
/** More workers than these no machine has cpus for. */
const MOST_WORKERS = 4096;

const workers: border.Plain<number, number | null> = value =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_WORKERS ? (value as number) : null;

export const scalingFigure = border.object<Published.ScalingFigure>()(
  { estimate: border.atLeastZero, low: border.atLeastZero, high: border.atLeastZero },
  'estimate',
);

export const scalingPoint = border.object<Published.ScalingPoint>()(
  {
    workers,
    own_cores: border.flag,
    verdict: border.word<Published.Verdict>(),
    reason: border.text,
    trusted: border.flag,
    goodput_rps: scalingFigure,
    speed_up: scalingFigure,
    server_cpu_us_per_request: scalingFigure,
    cpu_ratio: scalingFigure,
  },
  'workers',
);

export const scalingLaw = border.object<Published.ScalingLaw>()(
  { contention: scalingFigure, coherency: scalingFigure },
  'contention',
);

const names = border.object<Published.SeriesSubject>()({ app: border.name, variant: border.name }, 'app');

const subject: border.Reader<Published.SeriesSubject, Subject | null> = (value, notices) => {
  const [named, fields] = [names(value, notices), subjectFields(value, notices)];
  if (named === null || fields === null) return null;
  const { app, variant } = { ...named, variant: named.variant ?? 'default' };
  return { ...fields, app, variant, key: variant === 'default' ? app : `${app}:${variant}`, name: fields.name ?? app };
};

const curveFields = border.object<Published.ScalingCurve>()(
  {
    subject,
    scenario: border.name,
    title: border.text,
    points: border.list(scalingPoint, 'widths of a server'),
    law: scalingLaw,
    no_law: border.word<Published.WithoutLaw>(),
  },
  'subject',
  'scenario',
);

const curve: border.Reader<Published.ScalingCurve, ScalingCurve | null> = (value, notices) => {
  const fields = curveFields(value, notices);
  if (fields === null) return null;
  const points = new Map(fields.points.map(point => [point.workers, point]));
  return {
    ...fields,
    title: fields.title ?? fields.scenario,
    points: [...points.values()].sort((a, b) => a.workers - b.workers),
  };
};

const head = border.object<Published.Scaling>()(
  { run, server_cores: border.atLeastZero, curves: border.list(curve, 'servers at several widths') },
  'run',
);

export function scaling(value: unknown, notices: border.Notices): Scaling | string {
  const refused = border.refusal(border.entries(value), NEWEST_VERSION, 'scaling.json');
  if (refused !== null) return refused;
  return head(value, notices) ?? 'it does not say of which run it is';
}

// data/<lane>/changes.json: what moved, when, and what may be behind it.
import type * as Published from '../generated/published';
import type { Changes } from '../types';
import {
  atLeastZero,
  entries,
  finite,
  list,
  type Notices,
  name,
  object,
  refusal,
  text,
  texts,
  time,
  word,
} from './border';

const NEWEST_VERSION = 1;

export const cause = object<Published.Cause>()(
  { kind: word<Published.Kind>(), name: text, before: text, after: text },
  'kind',
);

const segment = object<Published.Segment>()(
  { machine: text, runner: text, run: name, started_at: time, runs: atLeastZero },
  'machine',
  'run',
  'started_at',
);

const mark = object<Published.Mark>()(
  { run: name, started_at: time, kind: word<Published.Kind>(), app: name, before: text, after: text },
  'run',
  'started_at',
  'kind',
);

/** What every step has. */
const step = {
  scenario: name,
  metric: name,
  run: name,
  started_at: time,
  size: finite,
  verdict: word<Published.Direction>(),
  causes: list(cause, 'causes'),
};

const common = object<Published.Change>()(
  { ...step, shared_by: texts },
  'scenario',
  'metric',
  'run',
  'started_at',
  'size',
  'verdict',
);

const change = object<Published.Change>()(
  {
    ...step,
    relative_to: text,
    app: name,
    variant: name,
    state: word<Published.State>(),
    previous_run: name,
    low: finite,
    high: finite,
  },
  'scenario',
  'metric',
  'run',
  'started_at',
  'size',
  'app',
  'variant',
  'verdict',
  'state',
);

export const story = object<Published.HistoryReport>()({
  profile: text,
  runs: atLeastZero,
  judged: atLeastZero,
  segments: list(segment, 'machines'),
  marks: list(mark, 'marks'),
  changes: list(change, 'changes'),
  common: list(common, 'common changes'),
});

export const changes = (value: unknown, notices: Notices): Changes | string =>
  refusal(entries(value), NEWEST_VERSION, 'changes.json') ?? story(value, notices);

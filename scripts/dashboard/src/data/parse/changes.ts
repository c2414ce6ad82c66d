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
  { machine: text, run: name, started_at: time, runs: atLeastZero },
  'machine',
  'run',
  'started_at',
);

const mark = object<Published.Mark>()(
  { run: name, started_at: time, kind: word<Published.MarkKind>(), app: name, before: text, after: text },
  'run',
  'started_at',
  'kind',
);

const joined = object<Published.Joined>()(
  { metric: name, figures: atLeastZero, begun_again: atLeastZero, size: finite, uncertainty: atLeastZero },
  'metric',
  'size',
  'uncertainty',
);

const joint = object<Published.Joint>()(
  {
    run: name,
    started_at: time,
    before: text,
    after: text,
    pairs: atLeastZero,
    joined: list(joined, 'joined figures'),
  },
  'run',
  'started_at',
  'after',
  'pairs',
);

/** What every step has. */
const step = {
  scenario: name,
  metric: name,
  run: name,
  started_at: time,
  size: finite,
  causes: list(cause, 'causes'),
};

const common = object<Published.Common>()(
  { ...step, theirs: object<Published.Theirs>()({ apps: texts, verdict: word<Published.Direction>() }, 'verdict') },
  'scenario',
  'metric',
  'run',
  'started_at',
  'size',
);

const change = object<Published.Change>()(
  {
    ...step,
    relative_to: text,
    app: name,
    variant: name,
    verdict: word<Published.Direction>(),
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

export const story = object<Published.Story>()({
  profile: text,
  runs: atLeastZero,
  judged: atLeastZero,
  segments: list(segment, 'machines'),
  marks: list(mark, 'marks'),
  joints: list(joint, 'changes of the runner'),
  changes: list(change, 'changes'),
  common: list(common, 'common changes'),
});

export const changes = (value: unknown, notices: Notices): Changes | string =>
  refusal(entries(value), NEWEST_VERSION, 'changes.json') ?? story(value, notices);

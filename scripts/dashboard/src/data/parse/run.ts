// A run's head, as it stands in the index and in the files of a period.
import type * as Published from '../generated/published';
import { atLeastZero, entries, name, object, type Plain, text, texts, time } from './border';

const verdicts: Plain<Published.Run['verdicts'], Map<string, number>> = value =>
  new Map(
    [...entries(value)].flatMap(([verdict, count]) => {
      const number = atLeastZero(count);
      return number === null ? [] : [[verdict, number] as const];
    }),
  );

export const run = object<Published.Run>()(
  {
    id: name,
    started_at: time,
    finished_at: time,
    profile: text,
    commit: text,
    rounds: atLeastZero,
    apps: atLeastZero,
    verdicts,
    machine: object<Published.Machine>()({ cpu_model: text, logical_cpus: atLeastZero }),
    rustc: text,
    oha: text,
    kernel: text,
    os: text,
    runner_image: text,
    runner: texts,
    harness: text,
    steal_share: atLeastZero,
    warnings: texts,
  },
  'id',
  'started_at',
);

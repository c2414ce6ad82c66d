// A run's head, as it stands in the index and in the files of a period.
import type { Run, RunDetail } from '../types';
import { atLeastZero, entries, name, text, texts, time } from './border';

export function run(value: unknown): Run | null {
  const source = entries(value);
  const id = name(source.get('id'));
  const startedAt = time(source.get('started_at'));
  if (id === null || startedAt === null) return null;
  const verdicts = new Map<string, number>();
  for (const [verdict, count] of entries(source.get('verdicts'))) {
    const number = atLeastZero(count);
    if (number !== null) verdicts.set(verdict, number);
  }
  const machine = entries(source.get('machine'));
  return {
    id,
    startedAt,
    profile: text(source.get('profile')),
    commit: text(source.get('commit')),
    rounds: atLeastZero(source.get('rounds')),
    apps: atLeastZero(source.get('apps')),
    verdicts,
    machine: { cpuModel: text(machine.get('cpu_model')), logicalCpus: atLeastZero(machine.get('logical_cpus')) },
  };
}

export function runDetail(value: unknown): RunDetail | null {
  const head = run(value);
  if (head === null) return null;
  const source = entries(value);
  return {
    ...head,
    finishedAt: time(source.get('finished_at')),
    rustc: text(source.get('rustc')),
    oha: text(source.get('oha')),
    kernel: text(source.get('kernel')),
    os: text(source.get('os')),
    runnerImage: text(source.get('runner_image')),
    harness: text(source.get('harness')),
    stealShare: atLeastZero(source.get('steal_share')),
    warnings: texts(source.get('warnings')),
  };
}

// data/<lane>/changes.json: what moved, when, and what may be behind it.
import type { Cause, Change, Changes, Common, Mark, Segment } from '../types';
import * as border from './border';

const NEWEST_VERSION = 1;

export function changes(value: unknown, notices: border.Notices): Changes | string {
  const source = border.entries(value);
  const refused = border.refusal(source, NEWEST_VERSION, 'changes.json');
  if (refused !== null) return refused;
  const causes = (fields: Map<string, unknown>) => border.list(fields.get('causes'), cause, 'causes', notices);
  return {
    profile: border.text(source.get('profile')),
    runs: border.atLeastZero(source.get('runs')),
    judged: border.atLeastZero(source.get('judged')),
    segments: border.list(source.get('segments'), segment, 'machines', notices),
    marks: border.list(source.get('marks'), mark, 'marks', notices),
    changes: border.list(source.get('changes'), item => change(item, causes), 'changes', notices),
    common: border.list(source.get('common'), item => common(item, causes), 'common changes', notices),
  };
}

function cause(value: unknown): Cause | null {
  const fields = border.entries(value);
  const kind = border.text(fields.get('kind'));
  if (kind === null) return null;
  const part = (key: string) => border.text(fields.get(key));
  return { kind, name: part('name'), before: part('before'), after: part('after') };
}

function segment(value: unknown): Segment | null {
  const fields = border.entries(value);
  const machine = border.text(fields.get('machine'));
  const run = border.name(fields.get('run'));
  const startedAt = border.time(fields.get('started_at'));
  if (machine === null || run === null || startedAt === null) return null;
  return { machine, run, startedAt, runs: border.atLeastZero(fields.get('runs')) };
}

function mark(value: unknown): Mark | null {
  const fields = border.entries(value);
  const run = border.name(fields.get('run'));
  const startedAt = border.time(fields.get('started_at'));
  const kind = border.text(fields.get('kind'));
  if (run === null || startedAt === null || kind === null) return null;
  const part = (key: string) => border.text(fields.get(key));
  return { run, startedAt, kind, app: border.name(fields.get('app')), before: part('before'), after: part('after') };
}

type Causes = (fields: Map<string, unknown>) => Cause[];

function common(value: unknown, causes: Causes): Common | null {
  const fields = border.entries(value);
  const scenario = border.name(fields.get('scenario'));
  const metric = border.name(fields.get('metric'));
  const run = border.name(fields.get('run'));
  const startedAt = border.time(fields.get('started_at'));
  const size = border.finite(fields.get('size'));
  if (scenario === null || metric === null || run === null || startedAt === null || size === null) return null;
  const theirs = border.entries(fields.get('theirs'));
  const verdict = border.text(theirs.get('verdict'));
  return {
    theirs: verdict === null ? null : { apps: border.texts(theirs.get('apps')), verdict },
    scenario,
    metric,
    run,
    startedAt,
    size,
    causes: causes(fields),
  };
}

function change(value: unknown, causes: Causes): Change | null {
  const read = common(value, causes);
  const fields = border.entries(value);
  const app = border.name(fields.get('app'));
  const variant = border.name(fields.get('variant'));
  const verdict = border.text(fields.get('verdict'));
  const state = border.text(fields.get('state'));
  if (read === null || app === null || variant === null || verdict === null || state === null) return null;
  const { theirs: _, ...shared } = read;
  return {
    ...shared,
    relativeTo: border.text(fields.get('relative_to')),
    app,
    variant,
    verdict,
    state,
    previousRun: border.name(fields.get('previous_run')),
    low: border.finite(fields.get('low')),
    high: border.finite(fields.get('high')),
    p: border.finite(fields.get('p')),
    runsBefore: border.atLeastZero(fields.get('runs_before')),
    runsAfter: border.atLeastZero(fields.get('runs_after')),
  };
}

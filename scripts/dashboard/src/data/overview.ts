// All kinds of work at once: what each framework needs of them, and what they come to by the reader's own weights. A mean of ratios is no
// score: it is a range, and says which kinds it knows nothing of.
import { cellAt, type Drawn, type OwnWork, type Value } from './figures';
import { type Judgement, paired, unjudged } from './judge';
import { hasOwnPage, type Kind, kindsOf } from './kinds';
import { CPU } from './metrics';
import { newestRun, runOf } from './runs';
import { families } from './scenarios';
import type { Store } from './store';
import type { Index, Lane, Period, Run, Scenario, Series, Subject } from './types';

/** A kind of work: a column. */
export interface Work {
  /** Its series: `hosted-x64:database`. */
  lane: string;
  /** The kind of run, in words. */
  kind: string;
  scenario: Scenario;
  series: Series;
  run: Run;
}

export interface Standing {
  /** Of the server that did this work. */
  key: string;
  value: Value | null;
  verdict: string | null;
  /** Why the framework does not do this at all, if so. */
  notOffered: string | null;
}

export interface FrameworkRow {
  name: string;
  subject: Subject;
  /** One for each kind of work; `null` where the framework did not take part. */
  standings: (Standing | null)[];
}

export interface Overview {
  works: Work[];
  rows: FrameworkRow[];
}

/** Drivers are not frameworks. */
const isShown = ({ role, variant, tier }: Subject): boolean =>
  role === 'framework' && variant === 'default' && tier !== 'driver';

/** The newest figures of all kinds of runs at a lane's place. */
export async function overview(store: Store, index: Index, lane: Lane, presets: Preset[] = PRESETS): Promise<Overview> {
  const kinds = kindsToChoose(index, lane).filter(kind => presets.some(preset => isOf(kind, preset)));
  const loaded = await Promise.all(kinds.map(kind => columnsOf(store, index, kind)));
  const columns = loaded.flat();
  const rows = new Map<string, FrameworkRow>();
  for (const [place, { period, series, work }] of columns.entries()) {
    for (const subject of period.subjects.values()) {
      if (!isShown(subject)) continue;
      const standing = standingOf(subject, series, work);
      if (standing === null) continue;
      const row = rows.get(subject.name) ?? { name: subject.name, subject, standings: columns.map(() => null) };
      row.standings[place] = standing;
      rows.set(subject.name, row);
    }
  }
  return { works: columns.map(({ work }) => work), rows: [...rows.values()] };
}

interface Loaded {
  period: Period;
  series: Series;
  work: Work;
}

async function columnsOf(store: Store, index: Index, { lane: name, label }: Kind): Promise<Loaded[]> {
  const newest = await newestRun(store, index.lanes.get(name));
  if (newest === null || ![...newest.period.subjects.values()].some(isShown)) return [];
  const { period } = newest;
  return shownScenarios(period.scenarios).flatMap((scenario): Loaded[] => {
    const series = newest.series.get(scenario.id);
    if (series === undefined) return [];
    return [{ period, series, work: { lane: name, kind: label, scenario, series, run: runOf(newest, series) } }];
  });
}

/** Each kind of work once, in a closed loop: of routes and layers the most, of all others the plain one. */
function shownScenarios(scenarios: Map<string, Scenario>): Scenario[] {
  return families(scenarios).flatMap(({ base, dimensions }) => {
    const most = (dimensions.get('routes') ?? dimensions.get('layers'))?.at(-1);
    const shown = most ?? base;
    return shown.load.model === 'closed' ? [shown] : [];
  });
}

function standingOf(subject: Subject, series: Series, { scenario, run }: Work): Standing | null {
  const notOffered = subject.services.get(scenario.service?.kind ?? '') ?? null;
  const { key } = subject;
  if (notOffered !== null) return { key, value: null, verdict: null, notOffered };
  const cell = cellAt(series, CPU.id, key, run.id);
  return cell && { key, value: cell.value, verdict: cell.verdict, notOffered: null };
}

/** One against another in a kind of work. */
export function relative(standing: Standing | null, base: Standing | null, { series }: Work): Judgement {
  const own = trustedRatio(standing);
  if (standing === null || base === null) return unjudged(null);
  if (standing.key === base.key) return unjudged(null, own && { middle: 1, low: 1, high: 1 });
  return paired(series, CPU, standing, base);
}

type Standings = Pick<FrameworkRow, 'standings'>;

/** A row against another one, in each kind of work. */
export const against = ({ standings }: Standings, base: Standings, works: Work[]): Judgement[] =>
  works.map((work, place) => relative(standings[place] ?? null, base.standings[place] ?? null, work));

/** The same, in all of it together. */
export const sumAgainst = (row: Standings, base: Standings, works: Work[], weights: number[]): Sum | null =>
  sumOf(
    against(row, base, works).map(({ ratio }) => ratio),
    weights,
  );

/** Whether its runs have intervals between frameworks: without, a mean would leave all of them out. */
export const isCompared = ({ series }: Work): boolean =>
  (series.metrics.get(CPU.id)?.pair_half_widths ?? []).some(row => row.at(-1)?.some(half => half !== null));

/** The ratio of a standing to the reference, where it may be believed. */
export function trustedRatio(standing: Standing | null): Drawn | null {
  const value = standing?.value ?? null;
  if (value === null || !value.trusted || value.ratio === null || value.ratio <= 0) return null;
  return { middle: value.ratio, low: value.ratio_low ?? value.ratio, high: value.ratio_high ?? value.ratio };
}

export interface Sum extends Drawn {
  /** Places of the kinds that have a weight and no ratio. */
  unknown: number[];
}

/**
 * The weighted geometric mean of the ratios, between the means of their lower and of their upper ends: at least as wide as an interval of
 * the mean would be. `null` where nothing is known.
 */
export function sumOf(ratios: (Drawn | null)[], weights: number[]): Sum | null {
  const unknown: number[] = [];
  let [total, middle, low, high] = [0, 0, 0, 0];
  for (const [place, ratio] of ratios.entries()) {
    const weight = weights[place] ?? 0;
    if (weight <= 0) continue;
    if (!ratio?.low || !ratio.high || ratio.low < 0) {
      unknown.push(place);
      continue;
    }
    total += weight;
    middle += weight * Math.log(ratio.middle);
    low += weight * Math.log(ratio.low);
    high += weight * Math.log(ratio.high);
  }
  if (total === 0) return null;
  return {
    middle: Math.exp(middle / total),
    low: Math.exp(low / total),
    high: Math.exp(high / total),
    unknown,
  };
}

/** The weighted mean of own work, and of its margins: no mean of them is less sure. `null` unless all kinds that count have it. */
export function meanOwnWork(standings: (Standing | null)[], weights: number[]): OwnWork | null {
  const counted = standings.flatMap((standing, place) => {
    const weight = weights[place] ?? 0;
    return weight > 0 ? [{ weight, value: standing?.value?.trusted ? standing.value : null }] : [];
  });
  if (counted.length === 0 || counted.some(({ value }) => (value?.own_work ?? null) === null)) return null;
  const sum = (of: (value: Value | null) => number) =>
    counted.reduce((sum, { value, weight }) => sum + weight * of(value), 0);
  const mean = (field: keyof OwnWork) => sum(value => value?.[field] ?? 0) / sum(() => 1);
  return { own_work: mean('own_work'), own_work_margin: mean('own_work_margin') };
}

/** A lane's profile; empty for the principal one. */
const profileOf = (lane: string): string => lane.split(':')[1] ?? '';

/** Drivers are no frameworks, and other rates and protocols no other work; what has a page of its own is there. */
const ELSEWHERE: ReadonlySet<string> = new Set(['drivers', 'latency', 'protocols']);

const kindsToChoose = (index: Index, lane: Lane): Kind[] =>
  kindsOf(index, lane).filter(kind => !hasOwnPage(kind.lane) && !ELSEWHERE.has(profileOf(kind.lane)));

interface Preset {
  id: string;
  label: string;
  /** The profile that has it, and whose files alone are read: empty is the principal one, `null` all. */
  of: string | null;
  has: (scenario: Scenario) => boolean;
}

const isOf = ({ lane }: Kind, { of }: Preset): boolean => of === null || of === profileOf(lane);
const everything = (): boolean => true;

/** What services do, and which kinds of work that comes to. */
const PRESETS: Preset[] = [
  { id: 'json', label: 'API with JSON', of: '', has: ({ id }) => id === 'hello' || id === 'simple' },
  { id: 'postgres', label: 'API with PostgreSQL', of: 'database', has: everything },
  { id: 'files', label: 'Files', of: 'services', has: ({ id }) => /^(static|upload|compress)/.test(id) },
  { id: 'realtime', label: 'Realtime', of: 'services', has: ({ id }) => /^(websocket|stream|events)/.test(id) },
  { id: 'all', label: 'Everything', of: null, has: everything },
];

/** Those that the runs of a place have. */
export const presetsOf = (index: Index, lane: Lane): Preset[] =>
  PRESETS.filter(preset => kindsToChoose(index, lane).some(kind => isOf(kind, preset)));

/** The weights that a reader may give to a kind of work. */
export const WEIGHTS = [0, 0.5, 1, 2, 4] as const;

/** Weights as they stand in an address, `db:2,ram:0`: 1 for all that are not named, or named wrongly. */
export function weightsOf(text: string | null, works: Work[]): number[] {
  const named = new Map(
    (text ?? '').split(',').map(part => {
      const [id = '', weight] = part.split(':', 2);
      return [id, weight] as const;
    }),
  );
  return works.map(({ scenario }) => {
    const weight = Number(named.get(scenario.id) ?? 1);
    return WEIGHTS.find(known => known === weight) ?? 1;
  });
}

export function weightsText(weights: number[], works: Work[]): string | null {
  const named = works.flatMap(({ scenario }, place) => {
    const weight = weights[place] ?? 1;
    return weight === 1 ? [] : [`${scenario.id}:${weight}`];
  });
  return named.length === 0 ? null : named.join(',');
}

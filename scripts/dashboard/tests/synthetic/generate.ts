// Writes the tree of docs/published.md for a synthetic history: weekly runs over years, in three lanes, and in the first one runs of
// servers with a database in the last weeks. Seeded, so that the same call writes the same bytes.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Published from '../../src/data/generated/published';
import { breaksFile, clientsFile, probeChangesFile } from './breaks';
import { changesFile } from './changes';
import { cellFigures, findOwnWork, rank } from './figures';
import { random } from './random';
import { recordFile } from './record';
import { releasesFile } from './releases';
import { scalingFile } from './scaling';
import { type Measured, periodFile, seriesFile, withCosts, withPairs } from './series';
import { APPS, type App, type Kind, keyOf, LANES, OTHER_KINDS, SCALING, type Shape, WEEKLY } from './world';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** A Monday; the history ends here and begins years before. */
const END = Date.UTC(2026, 10, 16, 4, 17, 0);
const NEWEST_RECORDS = 3;
/** Of so many runs there are files of their own. */
const NEWEST_RUNS = 30;
/** How long servers with a database have been measured. */
const OTHER_WEEKS = 6;

interface Options {
  seed?: number;
  weeks?: number;
  lanes?: number;
}

const UNMOVED = { marks: [], changes: [], common: [] };

export type Files = Map<string, unknown>;

const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
const idOf = (ms: number): string => `${iso(ms).replace(/[-:]/g, '')}-${((ms / 1000) % 4096).toString(16)}`;

/** Share of the history after which the lanes have another runner. */
const RUNNER_CHANGED = 0.985;

const at = (startedAt: number) => ({
  id: idOf(startedAt),
  startedAt: iso(startedAt),
  finishedAt: iso(startedAt + 5_400_000),
});

/** Each run as the one before it forecast it: three of four intervals held. */
const forecastsFile = (runs: Published.Run[]): Published.Forecasts => ({
  schema_version: 1,
  forecasts: runs.slice(-12).flatMap((run, place, newest) => {
    const from = newest[place - 1];
    const held: [number, number, number] = [10 + (place % 3), 16, 19];
    const pairs = { pairs: 40, confirmed: 36, reversed: place % 4 === 0 ? 1 : 0 };
    return from === undefined
      ? []
      : [{ from: from.id, to: run.id, at: run.started_at, sessions: 12, ratios: 20, held, ...pairs }];
  }),
});

/** All files, by their path below the pages folder. */
export function history({ seed = 1, weeks = 261, lanes = 3 }: Options = {}): Files {
  const files: Files = new Map();
  const index: Published.Index = { schema_version: 3, lanes: {} };
  for (const [number, lane] of LANES.slice(0, lanes).entries()) {
    const runs = runsOf(lane, weeks, seed + number, WEEKLY, END);
    index.lanes[lane.lane] = writeLane(files, lane.lane, runs);
    files.set(`data/${lane.lane}/forecasts.json`, forecastsFile(runs.map(headOf)));
  }
  const [first] = LANES as [(typeof LANES)[number]];
  const addSeries = (lane: Published.Lane, runs: Measured[]) =>
    Object.assign(index.lanes[lane]?.series ?? {}, {
      [(runs[0] as Measured).of.profile]: writeOther(files, lane, runs),
    });
  for (const [place, kind] of OTHER_KINDS.entries()) {
    // A minute later each, so that none begins with the partial run.
    const end = END - WEEK + (place + 1) * DAY + place * 60_000;
    addSeries(first.lane, runsOf(first, Math.min(weeks, OTHER_WEEKS), seed + 100 + place, kind, end));
  }
  const wide = LANES[2];
  if (wide !== undefined && lanes > 2) {
    const runs = runsOf(wide, 1, seed + 200, SCALING, END - 2 * DAY + 3_600_000);
    addSeries(wide.lane, runs);
    files.set(`data/${wide.lane}/scaling.json`, scalingFile(wide.lane, runs.map(headOf)[0] as Published.Run));
  }
  files.set('data/index.json', index);
  files.set('data/probes/breaks.json', breaksFile());
  files.set('data/probes/clients.json', clientsFile());
  files.set('data/probes/index.json', probeChangesFile());
  files.set('data/releases.json', releasesFile());
  files.set(
    'feed.xml',
    '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Confirmed changes</title></feed>\n',
  );
  return files;
}

const offers = ({ services }: App, { service }: Shape): boolean =>
  services === undefined || service === undefined || services.offers.includes(service.kind);

function runsOf(lane: (typeof LANES)[number], weeks: number, seed: number, of: Kind, end: number): Measured[] {
  const next = random(seed);
  return Array.from({ length: weeks }, (_, week) => {
    const startedAt = end - (weeks - 1 - week) * WEEK;
    const progress = week / (weeks - 1 || 1);
    const second = progress >= 0.7;
    const speed = lane.speed * (second ? 0.82 : 1) * (1 + (next() - 0.5) * 0.06);
    const cells = new Map(
      of.scenarios.map(scenario => {
        const offering = of.apps.filter(app => offers(app, scenario));
        const found = offering.map(app => ({ app, figures: cellFigures(app, scenario, progress, speed, next) }));
        findOwnWork(found);
        rank(found);
        return [scenario.id, new Map(found.map(({ app, figures }) => [keyOf(app), figures]))];
      }),
    );
    return {
      ...at(startedAt),
      of,
      progress,
      machine: { cpu_model: lane.machines[second ? 1 : 0] ?? '', logical_cpus: lane.cpus },
      runner: progress >= RUNNER_CHANGED ? 'ubuntu-26.04' : 'ubuntu-24.04',
      rustc: `rustc 1.${70 + Math.floor(progress * 26)}.0 (59807616e)`,
      commit: Math.floor(next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0')
        .repeat(5),
      warnings: lane.cpus < 8 ? ['runs under a hypervisor: neighbours on the host are not seen from here'] : [],
      cells,
    };
  });
}

function writeLane(files: Files, lane: Published.Lane, runs: Measured[]): Published.LaneIndex {
  writeSeries(files, lane, runs);
  files.set(`data/${lane}/changes/${WEEKLY.profile}.json`, changesFile(lane, runs));
  for (const app of APPS.filter(({ role, variant }) => role === 'framework' && variant === 'default')) {
    files.set(`data/${lane}/badges/${app.app}.json`, {
      schemaVersion: 1,
      label: app.app,
      message: 'rank 1–2 · 12.5 µs CPU/request',
      color: 'green',
    });
  }
  files.set(`charts/${lane}/index.html`, '<!doctype html><title>Charts</title>\n');
  const newest = runs.at(-1) as Measured;
  const partial = { ...newest, whole: false, ...at(END - 3 * DAY) };
  writeRun(files, lane, partial, false);
  files.set(`runs/${lane}/${partial.id}.json.gz`, recordFile(lane, partial));
  return {
    profile: WEEKLY.profile,
    series: { [WEEKLY.profile]: { runs: runs.length, newest: headOf(newest) } },
    partial: { runs: 1, newest: [headOf(partial)] },
  };
}

/** A series of whole runs besides the principal one; nothing has moved in it yet. */
function writeOther(files: Files, lane: Published.Lane, runs: Measured[]): Published.SeriesIndex {
  writeSeries(files, lane, runs);
  const newest = runs.at(-1) as Measured;
  files.set(`data/${lane}/changes/${newest.of.profile}.json`, { ...changesFile(lane, runs), ...UNMOVED });
  return { runs: runs.length, newest: headOf(newest) };
}

function headOf(run: Measured): Published.Run {
  const verdicts: Record<string, number> = {};
  for (const cells of run.cells.values()) {
    for (const { verdict } of cells.values()) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  }
  return {
    id: run.id,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    profile: run.of.profile,
    commit: run.commit,
    rounds: 6,
    apps: run.of.apps.length,
    verdicts,
    machine: run.machine,
    rustc: run.rustc,
    oha: '1.16.0',
    kernel: '6.11.0-1018-azure',
    os: run.runner === 'ubuntu-26.04' ? 'Ubuntu 26.04 LTS' : 'Ubuntu 24.04.3 LTS',
    runner: [run.runner],
    runner_image: `${run.runner === 'ubuntu-26.04' ? 'ubuntu26' : 'ubuntu24'} ${run.startedAt.slice(0, 10).replaceAll('-', '')}.1.0`,
    harness: '0.1.0',
    steal_share: 0.012,
    warnings: run.warnings,
  };
}

function writeSeries(files: Files, lane: Published.Lane, runs: Measured[]): void {
  const { profile, scenarios } = (runs[0] as Measured).of;
  const folder = `data/${lane}/series/${profile}`;
  files.set(`${folder}.json`, periodFile(lane, runs, headOf));
  for (const { id } of scenarios) files.set(`${folder}/${id}.json`, seriesFile(lane, id, runs));
  for (const run of runs.slice(-NEWEST_RUNS)) writeRun(files, lane, run);
  for (const run of runs.slice(-NEWEST_RECORDS)) files.set(`runs/${lane}/${run.id}.json.gz`, recordFile(lane, run));
}

/** The last that is written of a profile is its newest. */
function writeRun(files: Files, lane: Published.Lane, run: Measured, isWhole = true): void {
  const document: Published.RunFigures = {
    schema_version: 2,
    run: periodFile(lane, [run], headOf),
    figures: withCosts(
      run.of.scenarios.map(shape => withPairs(seriesFile(lane, shape.id, [run]), shape)),
      run.of.scenarios,
    ),
  };
  files.set(`data/${lane}/runs/${run.id}.json.gz`, document);
  if (isWhole) {
    files.set(`data/${lane}/newest/${run.of.profile}.json.gz`, document);
    const path = `data/${lane}/newest.json.gz`;
    const { newest } = (files.get(path) ?? { newest: [] }) as { newest: Published.RunFigures[] };
    const others = newest.filter(({ run: { profile } }) => profile !== run.of.profile);
    files.set(path, { schema_version: 2, newest: [...others, document] });
  }
}

export async function write(files: Files, folder: string): Promise<void> {
  const folders = new Set([...files.keys()].map(path => join(folder, path, '..')));
  for (const each of folders) await mkdir(each, { recursive: true });
  for (const [path, content] of files) {
    await writeFile(join(folder, path), typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  }
}

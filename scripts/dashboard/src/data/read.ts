// From the published documents, of which the generated types say what is in them, to what the site computes with: times become
// milliseconds, and objects maps.
import type * as Published from './generated/published';
import { FIRST, run, timed } from './lanes';
import { METRICS } from './metrics';
import { keyOf } from './names';
import {
  type Breaks,
  type Changes,
  type Clients,
  FIGURES,
  type Forecast,
  type MetricColumns,
  type Period,
  type ProbeChanges,
  type Rank,
  type Releases,
  type RunFigures,
  type Scaling,
  type Scenario,
  type Series,
  type Subject,
  type Summary,
  TO_PLAIN,
} from './types';

/** As a row shows it, by the rule that the harness has (`report::labels::version`). */
const version = <T extends string | null>(text: T): T | string =>
  text?.split('+')[0]?.includes('-') ? `${text} (pre-release)` : text;

export function period(runs: Published.Runs): Period {
  const scenarios = Object.values(runs.scenarios).map(scenario);
  return {
    runs: runs.runs.map(run),
    subjects: new Map(
      Object.values(runs.subjects)
        .map(subject)
        .map(each => [each.key, each]),
    ),
    versions: new Map(Object.entries(runs.versions).map(([key, versions]) => [key, versions.map(version)])),
    binary_bytes: new Map(Object.entries(runs.binary_bytes)),
    scenarios: new Map(
      scenarios.sort((a, b) => Number(b.id === FIRST) - Number(a.id === FIRST)).map(each => [each.id, each]),
    ),
  };
}

const subject = (value: Published.AppRecord): Subject => ({
  ...value,
  key: keyOf({ app: value.id, variant: value.variant }),
  app: value.id,
  known_fault: value.known_fault ?? null,
  note: value.note ?? null,
  services: new Map(Object.entries(value.services?.not_offered ?? {})),
});

const scenario = (value: Published.Scenario): Scenario => ({
  ...value,
  keep_alive: value.keep_alive !== false,
  load: value.load ?? { model: 'closed' },
});

export function series(value: Published.Figures): Series {
  const { scenario, runs, subjects, verdicts, reasons } = value;
  const metrics = new Map<string, MetricColumns>();
  for (const [id, matrix] of Object.entries(value.metrics)) {
    if (!METRICS.has(id)) continue;
    const rank = (row: number, place: number): Rank | null => {
      const [best, worst] = [matrix.rank_best?.[row]?.[place], matrix.rank_worst?.[row]?.[place]];
      return best == null || worst == null ? null : { best, worst };
    };
    const figures = Object.fromEntries([...FIGURES, ...TO_PLAIN].map(field => [field, matrix[field] ?? []]));
    metrics.set(id, {
      ...(figures as Pick<MetricColumns, (typeof FIGURES | typeof TO_PLAIN)[number]>),
      rank: subjects.map((_, row) => runs.map((_, place) => rank(row, place))),
      pair_half_widths: matrix.pair_half_widths ?? [],
      pair_verdicts: matrix.pair_verdicts ?? [],
      sessions: matrix.sessions ?? [],
      days: matrix.days ?? [],
    });
  }
  return { scenario, runs, subjects, verdicts, reasons, metrics };
}

export const runFigures = ({ run: runs, figures }: Published.RunFigures): RunFigures => ({
  run: run(runs.runs.at(-1) as Published.Run),
  period: period(runs),
  series: new Map(figures.map(each => [each.scenario, series(each)])),
});

const summaries = (metrics: Published.Cell['metrics']): Map<string, Summary> =>
  new Map(
    Object.entries(metrics)
      .filter(([id]) => METRICS.has(id))
      .map(([id, { median, interval, ratio, rank, trusted, trials }]) => [
        id,
        {
          median,
          low: interval?.low ?? null,
          high: interval?.high ?? null,
          ratio: ratio?.estimate ?? null,
          ratio_low: ratio?.interval?.low ?? null,
          ratio_high: ratio?.interval?.high ?? null,
          rank: trusted ? (rank ?? null) : null,
          trusted,
          trials,
        },
      ]),
  );

const moved = (each: Published.Change) => ({
  ...timed(each),
  ended: each.ended == null ? null : { ...timed(each.ended), causes: each.ended.causes ?? [] },
});

export const changes = (report: Published.HistoryReport): Changes => ({
  ...report,
  segments: report.segments.map(timed),
  marks: report.marks.map(timed),
  changes: report.changes.map(each => ({ ...moved(each), app: each.app ?? '', variant: each.variant ?? '' })),
  common: report.common.map(each => ({ ...moved(each), shared_by: each.shared_by ?? [] })),
});

const figures = (value: Record<string, number>): Map<string, number> => new Map(Object.entries(value));

export const breaks = (value: Published.WhatBreaks): Breaks => ({
  ...timed(value),
  cases: new Map(value.cases.map(each => [each.id, each])),
  servers: value.servers.map(each => ({ ...each, version: version(each.version), made: figures(each.made) })),
  results: value.results.map(each => ({ ...each, figures: figures(each.figures) })),
});

export const clients = (value: Published.Clients): Clients => ({
  ...timed(value),
  servers: value.servers.map(each => ({
    ...each,
    version: version(each.version),
    got: new Map(Object.entries(each.got)),
    statuses: figures(each.statuses),
    settings: new Map(Object.entries(each.settings)),
  })),
});

export const probeChanges = ({ runs, changes }: Published.ProbeStory): ProbeChanges => ({
  runs: runs.map(each => ({ ...timed(each), failed: figures(each.failed) })),
  changes: changes.map(timed),
});

export const forecasts = (document: Published.Forecasts): Forecast[] => document.forecasts;

export const scaling = (value: Published.Scaling): Scaling => ({
  run: run(value.run),
  server_cores: value.server_cores ?? null,
  curves: value.curves.map(curve => ({
    ...curve,
    app: subject(curve.app),
    points: curve.points.map(point => ({ ...point, cell: { ...point.cell, metrics: summaries(point.cell.metrics) } })),
  })),
});

export const releases = (value: Published.Releases): Releases => ({
  ...value,
  crates: value.crates.map(one => ({
    ...one,
    releases: one.releases.map(each => ({
      ...each,
      refused: each.refused ?? null,
      release: {
        ...each.release,
        published: each.release.published == null ? null : Date.parse(each.release.published),
      },
    })),
  })),
});

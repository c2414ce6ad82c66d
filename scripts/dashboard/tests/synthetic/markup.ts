// Names that mean harm, in files that are sound otherwise: on the page they are text.
import type { Files } from './generate';

export const MARKUP = '<img src=x onerror="window.__pwned=1"><script>window.__pwned=1</script>';

// biome-ignore lint/suspicious/noExplicitAny: it changes what was generated with types wherever there is a text.
type Loose = any;

export function renamed(files: Files): Files {
  const get = (path: string) => files.get(path) as Loose;
  const newest = get('data/index.json').lanes['hosted-x64'].series.weekly.newest.id;
  const ofRun = get(`data/hosted-x64/runs/${newest}.json.gz`);
  for (const runs of [get('data/hosted-x64/series/weekly.json'), ofRun.run]) {
    for (const subject of Object.values(runs.subjects) as Loose[]) subject.name = `${MARKUP}${subject.name}`;
    runs.subjects.viz.known_fault = MARKUP;
    runs.subjects.viz.note = MARKUP;
    runs.scenarios.plaintext.title = MARKUP;
    runs.runs.at(-1).warnings = [MARKUP];
  }
  const documents = [...files.keys()]
    .filter(path => path.startsWith('data/hosted-x64/runs/'))
    .map(path => get(path).run);
  for (const run of [get('data/hosted-x64/series/weekly.json'), ...documents].flatMap(({ runs }) => runs))
    Object.assign(run, { rustc: MARKUP, machine: { cpu_model: MARKUP, logical_cpus: 4 } });
  ofRun.figures[0].reasons[0] = [MARKUP];

  const { changes } = get('data/hosted-x64/changes/weekly.json');
  Object.assign(changes[0], { app: 'axum', state: 'confirmed', started_at: '2026-11-16T04:17:00Z' });
  changes[0].causes = [{ kind: MARKUP, name: MARKUP, before: MARKUP, after: MARKUP }];

  const record = get(`runs/hosted-x64/${newest}.json.gz`);
  record.trials[0].reasons = [MARKUP];
  record.environment.governor = MARKUP;
  record.apps[0].name = MARKUP;

  const scaling = get('data/self-hosted/scaling.json');
  for (const { app } of scaling.curves) app.name = `${MARKUP}${app.name}`;
  scaling.curves[0].title = MARKUP;
  scaling.run.machine.cpu_model = MARKUP;

  const breaks = get('data/probes/breaks.json');
  breaks.cpu_model = MARKUP;
  breaks.cases[0].title = MARKUP;
  breaks.servers[1].name = MARKUP;
  const failed = breaks.results.find((each: Loose) => each.outcome === 'failed');
  Object.assign(failed, { got: MARKUP, received: MARKUP });
  const story = get('data/probes/index.json');
  story.changes[0].causes = [{ kind: MARKUP, name: MARKUP, before: '', after: '' }];
  return files;
}

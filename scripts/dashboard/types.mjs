// Writes the types of the published files from their schemas, which follow from the types of the harness:
// `npm run types:generate`. With `--check` it writes nothing, and fails if they are stale.
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

const FILE = new URL('src/data/generated/published.ts', import.meta.url);
const PUBLISHED = 'index runs figures run changes breaks clients probe-changes scaling forecasts releases';
const SCHEMAS = [
  ...PUBLISHED.split(' ').map(name => `../harness/docs/published/${name}`),
  '../../bench-results/record',
];

const types = {};
const documents = {};

/** Leaves out what makes no type: a comment or a default that changes in the harness leaves the types as they are. */
const withoutWords = (key, value) =>
  (key === 'description' && typeof value === 'string') || key === 'default' || UNREAD.includes(key) ? undefined : value;

/** What no view reads has no types here. */
const UNREAD = [
  'behind confined confirmed_by controls costs counted counted_at cpu cpu_quota disturbed_slices drifts generator generators',
  'head_bytes judged lineups load_machines message_bytes of_its_day other_programs own_load p reference runs_after runs_before',
  'slice_seconds slices tools warmup_seconds',
].flatMap(names => names.split(' '));

/** Of some types, much of which is not read, or shown as it was recorded: the fields that a view names. */
const NAMED = {
  AppRecord: 'framework id known_fault link name note protocols role services tier variant',
  Cell: 'metrics scenario verdict',
  Environment: 'generator_cpus irq_time_apart server_cpus splits warnings',
  Harness: 'whole',
  Latency: 'p50 p90 p95 p99 p99_9',
  ProbeChange: 'app case causes fails started_at variant',
  Record: 'apps environment harness id lane seed trials',
  Segment: 'started_at',
  Trial: 'apart app attempt latency_ms order reasons round scenario variant verdict',
};

/** A type with the fields of these names only. */
function withFields(names, { properties, required, ...type }) {
  const isNamed = field => names.split(' ').includes(field);
  const named = Object.entries(properties).filter(([field]) => isNamed(field));
  return { ...type, properties: Object.fromEntries(named), required: required.filter(isNamed) };
}

/** Types that two documents share are one. */
function add(name, { $schema: _, $defs = {}, title, ...schema }) {
  for (const [key, type] of Object.entries({ ...$defs, [name]: schema })) {
    const read = key in NAMED ? withFields(NAMED[key], type) : type;
    const text = JSON.stringify(read, withoutWords);
    if (key in types && JSON.stringify(types[key]) !== text) throw new Error(`there are two types called ${key}`);
    types[key] = JSON.parse(text);
  }
  documents[name] = { $ref: `#/$defs/${name}` };
}

for (const path of SCHEMAS) {
  const schema = JSON.parse(await readFile(new URL(`${path}.schema.json`, import.meta.url), 'utf8'));
  add(schema.title, schema);
}
// A published file has figures by the names of their metrics, which only the words list.
const words = JSON.parse(await readFile(new URL('../harness/docs/published/words.json', import.meta.url), 'utf8'));
add('Metric', { enum: words.metrics.map(({ id }) => id) });
const all = { type: 'object', properties: documents, required: Object.keys(documents), $defs: types };
const compiled = await compile(all, 'Documents', {
  additionalProperties: false,
  bannerComment: '// Generated from the schemas by `npm run types:generate`.',
  style: { singleQuote: true, printWidth: 120 },
});
// What only holds them together.
const text = compiled.replace(/^export interface Documents \{[^}]*\}\n/m, '');
if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8')) !== text) {
  console.error('error: the types of the published files are stale; run `npm run types:generate`');
  process.exit(1);
}

// The metrics of a record: what they are called, in what they are shown, and which direction is better. The harness writes it.
import { words } from './words';

export type Metric = (typeof words.metrics)[number];

/** What a request costs: it holds whatever the limit was, so it is offered first. */
const FIRST: Metric['id'] = 'server_cpu_us_per_request';

const inOrder = [...words.metrics].sort((a, b) => Number(b.id === FIRST) - Number(a.id === FIRST));

/** In the order in which they are offered. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(inOrder.map(metric => [metric.id, metric]));

export const CPU = inOrder[0] as Metric;

/** Published only where a round has enough requests for it, at a fixed rate. */
export const P99 = METRICS.get('latency_p99_ms' satisfies Metric['id']) as Metric;

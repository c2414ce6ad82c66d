// The metrics of a record: what they are called, in what they are shown, and which direction is better.

export interface Metric {
  id: string;
  /** As a heading. */
  label: string;
  /** Where there is little room. */
  short: string;
  unit: string;
  /** Divides the figure of the file to get the unit. */
  divisor: number;
  better: 'less' | 'more';
  /** One sentence that says how to read it. */
  reading: string;
}

const MIB = 1024 * 1024;

const ALL: Metric[] = [
  {
    id: 'server_cpu_us_per_request',
    label: 'CPU per request',
    short: 'CPU',
    unit: 'µs',
    divisor: 1,
    better: 'less',
    reading:
      'Server CPU time per expected answer. It holds even where the load generator was the limit, so it is the fairest figure here.',
  },
  {
    id: 'goodput_rps',
    label: 'Goodput',
    short: 'Goodput',
    unit: 'req/s',
    divisor: 1,
    better: 'more',
    reading: 'Expected answers per second. Grey where the load generator was the limit: those servers could do more.',
  },
  {
    id: 'instructions_per_request',
    label: 'Instructions per request',
    short: 'Instructions',
    unit: 'instructions',
    divisor: 1,
    better: 'less',
    reading:
      'Instructions that the server executes in user space for one request, counted and not timed. They hardly depend on the machine, so a small change shows; what the kernel does is not in them.',
  },
  {
    id: 'rss_peak_bytes',
    label: 'Memory at most',
    short: 'Memory',
    unit: 'MiB',
    divisor: MIB,
    better: 'less',
    reading: 'Largest resident memory of the server process during the load.',
  },
  {
    id: 'latency_p50_ms',
    label: 'Latency p50',
    short: 'p50',
    unit: 'ms',
    divisor: 1,
    better: 'less',
    reading: 'Half of the answers came within this time.',
  },
  {
    id: 'latency_p99_ms',
    label: 'Latency p99',
    short: 'p99',
    unit: 'ms',
    divisor: 1,
    better: 'less',
    reading: '99 of 100 answers came within this time. Shown, never ranked.',
  },
  {
    id: 'capacity_rps',
    label: 'Capacity',
    short: 'Capacity',
    unit: 'req/s',
    divisor: 1,
    better: 'more',
    reading: 'Highest rate that was kept with the latency that the scenario asks for.',
  },
  {
    id: 'rss_idle_bytes',
    label: 'Memory idle',
    short: 'Idle',
    unit: 'MiB',
    divisor: MIB,
    better: 'less',
    reading: 'Resident memory after the start, before any load.',
  },
  {
    id: 'rss_after_bytes',
    label: 'Memory after',
    short: 'After',
    unit: 'MiB',
    divisor: MIB,
    better: 'less',
    reading: 'Resident memory right after the load.',
  },
  {
    id: 'startup_ms',
    label: 'Start-up',
    short: 'Start',
    unit: 'ms',
    divisor: 1,
    better: 'less',
    reading: 'From the start of the process to its first answer.',
  },
];

/** In the order in which they are offered. */
export const METRICS: ReadonlyMap<string, Metric> = new Map(ALL.map(metric => [metric.id, metric]));

export const CPU = ALL[0] as Metric;

export const metricOf = (id: string): Metric | null => METRICS.get(id) ?? null;

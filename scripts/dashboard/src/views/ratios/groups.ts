// What people argue about, in a sentence each, and why they do; and where the figures that answer are.
import type { Context } from '../../app/context';
import { SCALING } from '../../data/kinds';
import { CPU, METRICS, type Metric } from '../../data/metrics';
import { protocolLines } from '../../data/protocols';
import type { RatioLine } from '../../data/ratios';
import { inOrder, SCALED, scalingLines } from '../../data/scaling';
import { isProblem } from '../../data/store';
import { CONTROL, measuredVariants, variantLines } from '../../data/variants';
import type { Children } from '../../ui/dom';
import { lawsTable } from './laws';
import { counts, sizes } from './sentences';

export interface Topic {
  id: string;
  title: string;
  question: string;
  why: string;
}

/** What the runs of a place have of a group. */
export interface Measurements {
  /** At least one. */
  metrics: Metric[];
  linesBy: (metric: Metric) => RatioLine[];
  /** What stands above the lines of one kind of work. */
  above?: (work: string) => Children;
}

export interface Group {
  id: 'variants' | 'protocols' | 'scaling';
  title: string;
  heading: string;
  lead: string;
  questions: Topic[];
  /** One kind of work at a time. */
  eachWork?: boolean;
  /** What was found of one thing that is varied. */
  answer: (found: [name: string, lines: RatioLine[]], metric: Metric) => string;
  how: string[];
  /** A sentence where there is nothing. */
  read: (context: Context) => Promise<Measurements | string>;
}

async function readVariants({ store, index, lane, parameter }: Context): Promise<Measurements | string> {
  const measured = await measuredVariants(store, index, lane);
  const control = parameter('against') === CONTROL;
  const linesBy = (metric: Metric) => variantLines(measured, metric, control);
  if (linesBy(CPU).length === 0) return 'No run on this machine has measured a variant yet.';
  const known = [...METRICS.values()].filter(metric =>
    linesBy(metric).some(({ judgement }) => judgement.ratio !== null),
  );
  // Without any, what a request costs, so that it can be said why.
  return { metrics: known.length === 0 ? [CPU] : known, linesBy };
}

async function readProtocols({ store, index, lane }: Context): Promise<Measurements | string> {
  const lines = await protocolLines(store, index, lane);
  if (lines.length === 0) return 'No run on this machine has compared protocols yet.';
  return { metrics: [CPU], linesBy: () => lines };
}

async function readScaling({ index, lane, store }: Context): Promise<Measurements | string> {
  const name = `${lane.place}:${SCALING}`;
  // Read only where there is a run of it: a missing file would be an error on the console.
  const has = index.lanes.has(name) || index.lanes.get(lane.place)?.newest?.profile === SCALING;
  if (!has) return 'No run on this machine has compared numbers of workers yet.';
  const scaling = await store.scaling(lane.place);
  if (isProblem(scaling)) return scaling.problem;
  const of = (work?: string) => inOrder(scaling.curves.filter(({ like }) => work === undefined || like === work));
  return {
    metrics: SCALED,
    linesBy: metric => scalingLines(scaling, of(), metric, index.lanes.has(name) ? name : lane.place),
    above: work => lawsTable(of(work)),
  };
}

export const GROUPS: Group[] = [
  {
    id: 'protocols',
    title: 'TLS, HTTP/2',
    heading: 'What do TLS and HTTP/2 cost?',
    lead: 'A server over TLS, over HTTP/2 and over both, against itself over HTTP/1.1 without TLS.',
    questions: [
      {
        id: 'protocol',
        title: 'Protocol',
        question: 'What does a request cost over another protocol?',
        why: 'Connections are kept, so no handshake is in it. As many requests are in flight over each protocol; over HTTP/2 several share a connection, and so share its system calls: one request at a time would not get cheaper.',
      },
    ],
    answer: sizes,
    how: [
      'A ratio divides a server’s CPU time for a request over one protocol by its time over HTTP/1.1 without TLS, in the rounds of one run that have both, with its 95 % interval, which covers this session. A run of few rounds has none. The load generator’s own cost is not counted.',
    ],
    read: readProtocols,
  },
  {
    id: 'variants',
    title: 'Variants',
    heading: 'Does it make a server faster?',
    lead: 'What an allocator, a JSON library, a runtime, a flag or a setting is worth: a program that has it, against one of the same app and run that differs in nothing else, mostly the default.',
    questions: [
      {
        id: 'allocator',
        title: 'Allocator',
        question: 'Is the allocator of the system good enough for a server?',
        why: 'mimalloc is ahead of all others in its own benchmarks. jemalloc is made for servers that run for months on many cpus. A server that hardly allocates gains from neither. CPU time is half of the answer, and memory is the other half: choose it as the figure.',
      },
      {
        id: 'json',
        title: 'JSON library',
        question: 'Does the JSON library matter once a framework is around it?',
        why: 'sonic-rs and simd-json are ahead of serde_json in their own benchmarks, but a request is more than its JSON. The programs here run on any x86-64, so sonic-rs is built without AVX2. serde-json is the control: it takes bytes and answers bytes as the other two do, with the library of the default. An extractor may do more than parse, and then every library looks better without it.',
      },
      {
        id: 'runtime',
        title: 'Runtime',
        question: 'Is io_uring worth another runtime?',
        why: 'One system call takes many reads and writes to the kernel, so a request should cost less. Where the kernel or a container denies io_uring, such a server does not start. The code of ntex is the same on tokio and on its own runtime over io_uring.',
      },
      {
        id: 'cpu',
        title: 'Instructions of the cpu',
        question: 'Does a server get cheaper if it is compiled for newer cpus?',
        why: 'A program for any x86-64 leaves AVX2 and the like unused. newer-cpu is the default with the flag -C target-cpu=x86-64-v3, or neoverse-n1 on arm64, and sonic-rs-newer-cpu is sonic-rs with it, because that library is meant for more than SSE2. native, in older runs, was built for the very cpu that measured it.',
      },
      {
        id: 'set-up',
        title: 'Set-up',
        question: 'Are frameworks measured with the wrong settings?',
        why: 'That is the usual objection to a benchmark. tuned has what the documentation of the framework or its maintainers recommend, and nothing else. current-thread has one runtime for each cpu in place of one that shares its work among all.',
      },
      {
        id: 'other',
        title: 'Others',
        question: 'What else is there?',
        why: 'The runs have these variants as well.',
      },
    ],
    answer: counts,
    how: [
      'The ratio is from the rounds that both programs shared, with its 95 % interval. Cheaper and costlier is what the run says of the two in all of its work together, as of two frameworks; everything else is too close to call, however far its point lies from 1. What no run compares by pairs, such as memory, has a ratio that reaches to the extremes that the intervals of both allow, and no verdict.',
    ],
    read: readVariants,
  },
  {
    id: 'scaling',
    title: 'Scaling',
    heading: 'What more workers are worth',
    lead: 'Each server with 1, 2, 4, 8 … workers, each on a cpu of its own: how many times as much it answers as with one, and what a request then costs. Without any loss, twice as many workers answer twice as much.',
    questions: [
      {
        id: 'workers',
        title: 'Workers',
        question: 'How much more does a server do with more workers?',
        why: 'Goodput is compared, so a width counts only where the server was the limit: what the load generator limits says nothing of the server. Servers are in the order of their largest speed-up with a core for each worker, a choice and no ranking.',
      },
    ],
    eachWork: true,
    answer: sizes,
    how: [
      'A server with n workers has n of the cpus that serve, one of each core first, and 16 connections for each worker; the load generator keeps its cpus. A speed-up is the median over the rounds of what so many workers answered ÷ what one answered in the same round.',
      'σ, contention, is the share of the work that only one worker can do at a time, and κ, coherency, what each pair of workers costs: the Universal Scalability Law, goodput(n) = λn ÷ (1 + σ(n − 1) + κn(n − 1)), after N. J. Gunther. Each round is fitted by itself; the medians over the rounds have the intervals of all other figures here, and are cut off at 0. By simulation they hold what was planted in 91 of 100 runs at least. With two widths κ cannot be distinguished from σ, and the law is Amdahl’s. An interval that begins at 0 says that there may be no such loss. No law is fitted to workers that share cores.',
    ],
    read: readScaling,
  },
];

// How speed-ups and the law are to be read.
import { h } from '../../ui/dom';

export const method = (): HTMLElement =>
  h(
    'aside',
    { class: 'how' },
    h('h2', {}, 'How this is judged'),
    h(
      'p',
      {},
      'A server with n workers has n of the cpus that serve, one of each core first, and 16 connections for each worker; the load generator keeps its cpus. Speed-ups compare goodput, so a width counts only where the server was the limit: what the load generator limits says nothing of the server. CPU time per request stands there as well.',
    ),
    h(
      'p',
      {},
      'σ, contention, is the share of the work that only one worker can do at a time, and κ, coherency, what each pair of workers costs: the Universal Scalability Law, goodput(n) = λn ÷ (1 + σ(n − 1) + κn(n − 1)), after N. J. Gunther. Each round is fitted by itself; the medians over the rounds have the intervals of all other figures here, and are cut off at 0. By simulation they hold what was planted in 91 of 100 runs at least. With two widths κ cannot be distinguished from σ, and the law is Amdahl’s. An interval that begins at 0 says that there may be no such loss.',
    ),
  );

// The verdicts, in words. A verdict that this page does not know is shown by its name and never trusted.

export interface Verdict {
  id: string;
  label: string;
  happened: string;
  counts: string;
}

const ALL: Verdict[] = [
  { id: 'valid', label: 'valid', happened: 'Every rule was kept.', counts: 'everything' },
  {
    id: 'client_bound',
    label: 'client-bound',
    happened:
      'The load generator used more than 85 % of its cpus, or its connections were not all in use, or the server came within 80 % of the smallest possible server while that was limited by the generator.',
    counts: 'CPU per request, memory, start-up',
  },
  {
    id: 'unsaturated',
    label: 'unsaturated',
    happened: 'Neither was at its limit: the rate is a property of the scenario (a sleep, too few connections).',
    counts: 'all but goodput',
  },
  {
    id: 'unstable',
    label: 'unstable',
    happened: 'Goodput spread over more than half of its median.',
    counts: 'CPU per request, memory, start-up',
  },
  {
    id: 'environment_failed',
    label: 'environment failed',
    happened: 'The machine could not do it: open files, ports, cpu time taken by the hypervisor. It was tried twice.',
    counts: 'nothing',
  },
  {
    id: 'contract_failed',
    label: 'contract failed',
    happened: 'An answer was not the expected one.',
    counts: 'nothing',
  },
  { id: 'crashed', label: 'crashed', happened: 'The server died.', counts: 'nothing' },
  { id: 'build_failed', label: 'build failed', happened: 'The server could not be built.', counts: 'nothing' },
];

export const VERDICTS: ReadonlyMap<string, Verdict> = new Map(ALL.map(verdict => [verdict.id, verdict]));

export function verdictLabel(id: string | null): string {
  if (id === null) return 'not measured';
  return VERDICTS.get(id)?.label ?? `${id} (a verdict that this page does not know)`;
}

/** What a figure says for itself and what a verdict that is not known takes from it. */
export const knownVerdict = (id: string | null): boolean => id !== null && VERDICTS.has(id);

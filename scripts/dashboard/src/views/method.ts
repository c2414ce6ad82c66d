// Method: why to trust it, what it cannot say, how often it is wrong; the rest for who wants it.
import type { Context, Shown } from '../app/context';
import { METRICS } from '../data/metrics';
import { inRepository } from '../data/repository';
import { orNull } from '../data/store';
import { VERDICTS } from '../data/verdicts';
import { fold } from '../ui/controls';
import { type Children, h, link } from '../ui/dom';
import { list, OWN_WORK, titled } from '../ui/parts';
import { table } from '../ui/table';
import { forecasts, inShort } from './method/forecasts';

export async function show({ index, lane, store }: Context): Promise<Shown> {
  // Read only where there are runs: a missing file would be an error on the console.
  const read = index.lanes.has(lane.place) ? orNull(await store.forecasts(lane.place)) : null;
  return {
    title: 'Method',
    body: [
      h('h1', {}, 'Can I trust this?'),
      h(
        'div',
        { class: 'columns' },
        titled('Why', list('bullets', WHY)),
        titled('What it cannot say', list('bullets', CANNOT)),
      ),
      h('h2', {}, 'How often it is wrong'),
      h('p', {}, inShort(read ?? [])),
      h('h2', {}, 'How to read a number'),
      h(
        'p',
        {},
        `${OWN_WORK} A ratio (×) to the reference is that of one machine: it stands next to its 95 % interval.`,
      ),
      fold('terms', 'The words', () => [
        h(
          'dl',
          { class: 'terms' },
          term(
            'A round',
            'restarts every server, checks its answers, and then drives all of them in turns: slices of a few hundredths of a second, in an order that is shuffled for every turn. If the machine is slow in that time, it is slow for all of them. Work that is too slow for slices gets a load of its own in each round.',
          ),
          term(
            'A figure',
            'is the median over the rounds of a run. “4 of 6 rounds” means that the machine or the server spoilt the other two.',
          ),
          term(
            '× reference',
            'is the figure divided by a frozen hyper server’s in the same round. A slow machine slows both, so compare ratios between runs, not absolute figures; but ratios move too, by 10 % and more from one day to the next, and far more from one kind of cpu to another. Where several sessions of a kind of machine are known, the ratio is their mean, and the interval covers with 95 % what another day there would find, or another hour if they were all on one day; otherwise it covers this session only.',
          ),
          term(
            'A rank',
            'is the range of places that a session leaves open: from 1 plus the number of others that were found better, to the number of all minus those that were found worse. “1” was the best, “2–5” is somewhere from second to fifth. Frameworks, engines and legacy frameworks are each ranked among themselves. Within such a group, all ranks of one kind of work and one figure hold together with 95 %: for another session where the intervals do, otherwise for this one. Only a range that does not begin with 1 is called “behind”. What is not trusted has no rank.',
          ),
          term(
            'The order',
            'follows the figure that is ranked. Two neighbours whose ranges overlap may swap places in the next run.',
          ),
          term(
            'A lane',
            'is where runs were made, such as one kind of runner. Series of different lanes are never mixed, and a new kind of cpu begins a new level.',
          ),
          term(
            'A change',
            'is a step in a framework’s history relative to all others, so that nobody is blamed for a slower machine. At first it is suspected; the next run confirms it or not. Its cause is what changed between the two runs: a dependency, the framework, the compiler, the machine, or, if nothing did, the environment.',
          ),
        ),
      ]),
      fold('of-figures', 'All figures', () => [
        table(
          'Figures',
          [
            { label: 'Figure', cell: m => m.label },
            { label: 'Unit', cell: m => m.unit },
            { label: 'Better', cell: m => m.better },
            { label: 'How to read it', cell: m => m.reading },
          ],
          [...METRICS.values()],
        ),
      ]),
      fold('of-verdicts', 'All verdicts', () => [
        table(
          'Verdicts',
          [
            { label: 'Verdict', cell: v => v.label },
            { label: 'What happened', cell: v => v.happened },
            { label: 'What still counts', cell: v => v.counts },
          ],
          [...VERDICTS.values()],
        ),
      ]),
      fold('of-errors', 'How often each judgement is wrong', () => [forecasts(read ?? []), others()]),
    ],
  };
}

const WHY = [
  'All servers take turns in slices of a few hundredths of a second, in shuffled order: a slow moment is slow for all.',
  'Every server proves its answers before and after the load. One wrong answer, and it has no figure.',
  'What the load generator limited is grey and has no rank.',
  'Every ratio has a 95 % interval, ranks hold for all pairs at once, and each run is the test of the one before.',
  'Every server is built from a committed lockfile; every record has all trials and can be computed again.',
];
const CANNOT = [
  'The time on your machine, such as one with ARM: another kind of cpu moves ratios by 10 % and more, and own work by what stands after ±.',
  'What a container costs, unless a kind of work names Docker: `./scripts/bench run --isolation docker` measures both in turns.',
  'Your program: a query or a template usually costs more than the framework.',
  'Many cores, unless the machine has them; real networks, unless a run says so.',
  'The slowest 1 % from a run with fewer than 10,000 requests a round.',
  'Whether a framework is pleasant, safe or well kept.',
];

/** Of what this page does not judge. */
const others = (): HTMLElement =>
  h(
    'p',
    {},
    'How often the others are wrong, and which changes they find: ',
    documented('compare', 'comparisons of two revisions'),
    ', ',
    documented('history', 'the history of a lane'),
    '.',
  );

function documented(name: string, text: string): Children {
  const path = `scripts/harness/docs/${name}.md`;
  const href = inRepository(path);
  return href === null ? `${text} (${path})` : link(href, text);
}

const term = (name: string, text: string) => h('div', {}, h('dt', {}, name), h('dd', {}, text));

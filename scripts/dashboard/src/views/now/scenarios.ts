// The chooser of the landing view: kinds of work in people's words, as a list next to the figures, on a phone as a select.

import type { Context } from '../../app/context';
import { families, fullTitle } from '../../data/scenarios';
import type { Scenario } from '../../data/types';
import { select } from '../../ui/controls';
import { h } from '../../ui/dom';
import { kindsOfRun } from '../../ui/parts';

export function scenarioList(context: Context, scenarios: Map<string, Scenario>, chosen: Scenario): HTMLElement {
  const found = families(scenarios);
  const members = ({ base, dimensions }: (typeof found)[number]) => [base, ...[...dimensions.values()].flat()];
  // Another kind of work has figures of its own, so the metric is not kept.
  const kept = Object.fromEntries(['kinds', 'variant', 'run'].map(name => [name, context.parameter(name)]));
  const to = (id: string) => context.to('now', null, { ...kept, scenario: id });
  return h(
    'section',
    { class: 'chooser' },
    h('h2', {}, 'What does your service do?'),
    kindsOfRun(context, 'now'),
    h(
      'ul',
      { class: 'scenarios' },
      found.map(family => {
        const inside = members(family).includes(chosen);
        return h(
          'li',
          {},
          h(
            'a',
            { id: `scenario-${family.base.id}`, href: to(family.base.id), 'aria-current': inside ? 'true' : null },
            h('span', { class: 'title' }, fullTitle(family.base, scenarios)),
            h('span', { class: 'id' }, family.base.id),
          ),
        );
      }),
    ),
    h(
      'div',
      { class: 'scenario-select' },
      select(
        'scenario',
        'Kind of work',
        [...scenarios.values()].map(scenario => ({ value: scenario.id, label: fullTitle(scenario, scenarios) })),
        chosen.id,
        value => context.go({ scenario: value, metric: null }),
      ),
    ),
  );
}

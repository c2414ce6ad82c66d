// What each release of a framework, and of crates beneath it, changed of a request.
import type { Context } from '../../app/context';
import { isDark } from '../../app/theme';
import { strokeOf } from '../../charts/palette';
import { releasesChart, turnsText } from '../../charts/releases';
import { callsMoved, stepsOf } from '../../data/releases';
import { shortTitle } from '../../data/scenarios';
import { orNull } from '../../data/store';
import type { CrateReleases, Upgrade } from '../../data/types';
import { fold } from '../../ui/controls';
import { type Children, h, link } from '../../ui/dom';
import { bytes, date, day, MISSING, number, percent } from '../../ui/format';
import { keys } from '../../ui/line-chooser';
import { reading, titled } from '../../ui/parts';
import { table } from '../../ui/table';

const READING =
  'Instructions of a request, one after the other over one connection, against the oldest release, at the day of each release’s publication; a version is written where it is a step: it changed them by more than 1 %, and by more than starts of one program differ. All else is as it was locked when they were counted. A hollow point is the CPU time, the kernel’s part included, of servers of that release and an earlier one driven in turns: from where the earlier one lies, with its 95 % interval.';

type Span = CrateReleases['spans'][number];

/** Empty where none was measured. */
export async function releasesOf({ store }: Context, name: string): Promise<HTMLElement | null> {
  const found = orNull(await store.releases());
  const own = (found?.crates ?? []).filter(one => one.name === name);
  if (found === null || own.length === 0) return null;
  return titled(
    'What its releases cost',
    reading(READING),
    own.map(one => section(one)),
  );
}

/** Of all frameworks, since the release of a year before the count; where there is none since, since the oldest. */
export async function allReleases({ store, to }: Context): Promise<HTMLElement | null> {
  const found = orNull(await store.releases());
  const rows = (found?.crates ?? []).flatMap(one => one.spans.slice(0, 1).map(span => ({ one, span })));
  if (found === null || rows.length === 0) return null;
  return titled(
    'What their releases brought',
    table(
      'Instructions of a request, by release',
      [
        { label: 'Framework', cell: ({ one }) => link(to('framework', one.app), one.name) },
        { label: 'Crate', cell: ({ one }) => one.crate },
        { label: 'From', cell: ({ one, span }) => version(one.releases[span.from]) },
        { label: 'To', cell: ({ one, span }) => version(one.releases[span.to]) },
        { label: 'Change', prose: true, cell: ({ one, span }) => changes(one, span.changes) },
        { label: 'Since', prose: true, cell: ({ one, span }) => steps(one, span) || MISSING },
      ],
      rows,
    ),
  );
}

function section(one: CrateReleases): Children {
  const lines = one.scenarios.map((scenario, at) => ({
    name: shortTitle(scenario),
    stroke: strokeOf(at, isDark()),
    trusted: true,
  }));
  const label = `Change of instructions by release of ${one.crate}; the table below has the same figures`;
  return [
    h('h3', {}, one.is_framework ? one.crate : `${one.crate} beneath it`),
    one.spans.map(span => h('p', {}, sentence(one, span))),
    one.spans.length === 0
      ? null
      : [
          releasesChart(
            one,
            lines.map(({ stroke }) => stroke),
            label,
          ),
          keys(lines),
        ],
    fold(`releases-${one.crate}`, `All releases of ${one.crate} as a table`, () => [each(one)]),
  ];
}

const version = (release: Upgrade | undefined): string => {
  const at = release?.release.published ?? null;
  return `${release?.release.version}${at === null ? '' : ` (${day(at)})`}`;
};

const changes = ({ scenarios }: CrateReleases, each: Span['changes']): string =>
  each.map((change, at) => `${shortTitle(scenarios[at])} ${change == null ? MISSING : percent(change)}`).join(', ');

/** `1.12.0: JSON −10 %`, the newest first. */
const steps = ({ releases, scenarios }: CrateReleases, span: Span): string =>
  releases
    .slice(span.from + 1, span.to + 1)
    .reverse()
    .flatMap(release => {
      const moved = stepsOf(release).map(([at, change]) => `${shortTitle(scenarios[at])} ${percent(change)}`);
      return moved.length === 0 ? [] : [`${release.release.version}: ${moved.join(', ')}`];
    })
    .join('; ');

function sentence(one: CrateReleases, span: Span): Children {
  const since = steps(one, span);
  return [
    h('b', {}, `${version(one.releases[span.from])} → ${version(one.releases[span.to])}`),
    `: ${changes(one, span.changes)}. `,
    since === '' ? 'No release is a step. ' : `By ${since}. `,
    one.in_turns
      .filter(({ from, to }) => span.from <= from && to <= span.to)
      .map(found => `In turns, ${turnsText(one, found)}. `),
  ];
}

function each(one: CrateReleases): HTMLElement {
  const rows = one.releases.map((release, place) => ({ ...release, place })).reverse();
  return table(
    `Releases of ${one.crate}`,
    [
      { label: 'Release', cell: ({ release }) => release.version },
      {
        label: 'Published',
        figure: true,
        cell: ({ release }) => (release.published === null ? MISSING : date(release.published)),
      },
      ...one.scenarios.map((scenario, at) => ({
        label: shortTitle(scenario),
        figure: true,
        cell: ({ counts }: Upgrade) => {
          const found = counts[at];
          if (found == null) return MISSING;
          return `${number(found.instructions)}${found.change == null ? '' : ` (${percent(found.change)})`}`;
        },
      })),
      { label: 'Program', figure: true, cell: ({ binary_bytes }) => bytes(binary_bytes ?? null) },
      {
        label: 'Remarks',
        prose: true,
        cell: ({ release, refused, others, place }) => {
          const turns = one.in_turns.filter(({ to }) => to === place);
          const isKnown = others.some(change => change != null);
          const since = isKnown ? `other crates since its day: ${changes(one, others)}` : '';
          return [
            release.yanked ? 'yanked' : '',
            refused ?? '',
            release.together_with?.length ? `with ${release.together_with.join(', ')} of its version` : '',
            ...callsMoved(one, place),
            ...turns.map(found => turnsText(one, found)),
            since,
          ]
            .filter(Boolean)
            .join('; ');
        },
      },
    ],
    rows,
  );
}

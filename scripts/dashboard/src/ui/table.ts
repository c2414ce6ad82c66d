// Tables: the same figures as the chart before them, for who reads, copies or listens instead of looking.
import { button } from './controls';
import { csvButton } from './csv';
import { type Children, h } from './dom';

export interface Column<T> {
  label: string;
  /** Figures are aligned to the right. */
  figure?: boolean;
  /** Sentences have the width to be read in. */
  prose?: boolean;
  cell: (row: T) => Children;
}

/** A table in a box that scrolls by itself, so that the page never scrolls sideways. */
export function table<T>(
  caption: string,
  columns: Column<T>[],
  rows: T[],
  rowClass?: (row: T) => string | null,
): HTMLElement {
  return withCsv(caption, columns, rows, box(caption, columns, rows, rowClass));
}

/** Below it, a button hands over all rows as they are shown. */
function withCsv<T>(caption: string, columns: Column<T>[], rows: T[], shown: HTMLElement): HTMLElement {
  const cells = () => rows.map(row => columns.map(column => h('span', {}, column.cell(row)).textContent));
  return h(
    'div',
    {},
    shown,
    csvButton(caption, () => [columns.map(({ label }) => label), ...cells()]),
  );
}

function box<T>(caption: string, columns: Column<T>[], rows: T[], rowClass?: (row: T) => string | null): HTMLElement {
  return h(
    'div',
    { class: 'table-box', role: 'region', 'aria-label': caption, tabindex: '0' },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          columns.map(c => h('th', { scope: 'col', class: c.figure ? 'figure' : null }, c.label)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map(row =>
          h(
            'tr',
            { class: rowClass?.(row) },
            columns.map((c, place) =>
              place === 0
                ? h('th', { scope: 'row', class: c.figure ? 'figure' : null }, c.cell(row))
                : h('td', { class: c.figure ? 'figure' : c.prose ? 'prose' : null }, c.cell(row)),
            ),
          ),
        ),
      ),
    ),
  );
}

const PAGE_ROWS = 50;

/** A table of which only one page is in the document, however many rows there are. */
export function pagedTable<T>(
  id: string,
  caption: string,
  columns: Column<T>[],
  rows: T[],
  page: number,
  turn: (page: number) => void,
  rowClass?: (row: T) => string | null,
): HTMLElement {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const current = Math.min(Math.max(1, page), pages);
  const from = (current - 1) * PAGE_ROWS;
  const shown = rows.slice(from, from + PAGE_ROWS);
  const range =
    rows.length === 0 ? 'nothing' : `${from + 1} to ${from + shown.length} of ${rows.length.toLocaleString('en')}`;
  const pager = h(
    'nav',
    { class: 'pager', 'aria-label': `Pages: ${caption}` },
    button(`${id}-first`, 'First', () => turn(1), current === 1),
    button(`${id}-previous`, 'Previous', () => turn(current - 1), current === 1),
    h('span', { role: 'status' }, range),
    button(`${id}-next`, 'Next', () => turn(current + 1), current === pages),
    button(`${id}-last`, 'Last', () => turn(pages), current === pages),
  );
  const all = withCsv(caption, columns, rows, box(caption, columns, shown, rowClass));
  return h('div', { class: 'paged' }, all, pages > 1 ? pager : null);
}

/** The page that the address names. */
export const pageNumber = (parameter: string | null): number => Math.max(1, Math.floor(Number(parameter)) || 1);

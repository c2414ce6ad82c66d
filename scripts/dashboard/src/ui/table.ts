// Tables: the same figures as the chart before them, for who reads, copies or listens instead of looking.
import type { Context } from '../app/context';
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

/** The box with a table of any form: `bodies` are groups of rows. */
export const tableBox = (label: string, caption: Children, head: Node[], bodies: Node[][], kind = ''): HTMLElement =>
  h(
    'div',
    { class: `table-box ${kind}`, role: 'region', 'aria-label': label, tabindex: '0' },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, head)),
      bodies.map(rows => h('tbody', {}, rows)),
    ),
  );

export const columnHead = (label: Children, figure = false, title: string | null = null): HTMLElement =>
  h('th', { scope: 'col', class: figure ? 'figure' : null, title }, label);

function box<T>(caption: string, columns: Column<T>[], rows: T[], rowClass?: (row: T) => string | null): HTMLElement {
  const cells = (row: T) =>
    columns.map(({ figure, prose, cell }, place) =>
      place === 0
        ? h('th', { scope: 'row', class: figure ? 'figure' : null }, cell(row))
        : h('td', { class: figure ? 'figure' : prose ? 'prose' : null }, cell(row)),
    );
  return tableBox(
    caption,
    caption,
    columns.map(({ label, figure }) => columnHead(label, figure)),
    [rows.map(row => h('tr', { class: rowClass?.(row) }, cells(row)))],
  );
}

const PAGE_ROWS = 50;

/** A table of which only one page is in the document, however many rows there are; the address names it by `parameter`. */
export function pagedTable<T>(
  context: Context,
  id: string,
  caption: string,
  columns: Column<T>[],
  rows: T[],
  rowClass?: (row: T) => string | null,
  parameter = 'page',
): HTMLElement {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const named = Math.floor(Number(context.parameter(parameter))) || 1;
  const current = Math.min(Math.max(1, named), pages);
  const from = (current - 1) * PAGE_ROWS;
  const shown = rows.slice(from, from + PAGE_ROWS);
  const range =
    rows.length === 0 ? 'nothing' : `${from + 1} to ${from + shown.length} of ${rows.length.toLocaleString('en')}`;
  const turn = (name: string, label: string, page: number, end: boolean) =>
    button(`${id}-${name}`, label, () => context.go({ [parameter]: String(page) }), end);
  const pager = h(
    'nav',
    { class: 'pager', 'aria-label': `Pages: ${caption}` },
    turn('first', 'First', 1, current === 1),
    turn('previous', 'Previous', current - 1, current === 1),
    h('span', { role: 'status' }, range),
    turn('next', 'Next', current + 1, current === pages),
    turn('last', 'Last', pages, current === pages),
  );
  const all = withCsv(caption, columns, rows, box(caption, columns, shown, rowClass));
  return h('div', { class: 'paged' }, all, pages > 1 ? pager : null);
}

// Comma-separated values (RFC 4180), made in the browser of what it shows.
import { button } from './controls';
import { save } from './save';

type Cell = string | number | null;

/** The first row has the names. */
export const csv = (rows: Cell[][]): string => rows.map(row => `${row.map(quoted).join(',')}\r\n`).join('');

function quoted(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet takes what begins like this for a formula and would compute it.
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Hands over what `rows` gives, as a file of that name. */
export function csvButton(name: string, rows: () => Cell[][], label = 'CSV'): HTMLElement {
  const id = `csv-${name.toLowerCase().replace(/\W+/g, '-')}`;
  return button(id, label, () => save(`${name}.csv`, new Blob([csv(rows())], { type: 'text/csv' })));
}

/** The cells of a table as they are read. What is small stands in brackets: it would run into the rest. */
export const cellsOf = (table: HTMLElement): string[][] =>
  [...table.querySelectorAll('tr')].map(row =>
    [...row.cells].map(cell =>
      [...cell.childNodes]
        .map(node => (node.nodeName === 'SMALL' ? ` (${node.textContent})` : (node.textContent ?? '')))
        .join('')
        .trim(),
    ),
  );

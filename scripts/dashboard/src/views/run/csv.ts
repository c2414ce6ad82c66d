// The trials of a run as CSV (RFC 4180), made in the browser from the columns of the record.
import type { TrialTable } from '../../data/types';

export function csv({ columns, rows }: TrialTable): string {
  const lines = [[...columns.keys()].map(quoted).join(',')];
  const all = [...columns.values()];
  for (let row = 0; row < rows; row += 1) lines.push(all.map(column => quoted(column[row] ?? null)).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

function quoted(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet takes what begins like this for a formula and would compute it.
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

// Sentences to the reader about what is not there or cannot be trusted.
import { h } from './dom';

export const notice = (text: string): HTMLElement => h('p', { class: 'notice', role: 'status' }, text);

/** What was left out of the data, folded away: it matters to who looks for it. */
export function noticeList(texts: string[]): HTMLElement {
  if (texts.length === 0) return h('div', { hidden: true });
  return h(
    'details',
    { id: 'left-out', class: 'fold left-out' },
    h('summary', {}, `Left out of the data: ${texts.length} ${texts.length === 1 ? 'notice' : 'notices'}`),
    h(
      'ul',
      {},
      texts.map(text => h('li', {}, text)),
    ),
  );
}

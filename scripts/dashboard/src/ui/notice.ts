// Sentences to the reader about what is not there or cannot be trusted.
import { h } from './dom';

export const notice = (text: string): HTMLElement => h('p', { class: 'notice', role: 'status' }, text);

// Controls of the views. Each has an id that stays the same, for the router gives focus back by it after a view was rebuilt.
import { h } from './dom';

export interface Option {
  value: string;
  label: string;
  title?: string;
}

const asOption = (option: Option | string): Option =>
  typeof option === 'string' ? { value: option, label: option } : option;

/** One of a few, all to be seen: radio buttons, so that arrows choose and Tab leaves. */
export function segmented(
  name: string,
  legend: string,
  options: (Option | string)[],
  value: string,
  choose: (value: string) => void,
): HTMLElement {
  return h(
    'fieldset',
    { class: 'segmented' },
    h('legend', {}, legend),
    h(
      'div',
      { class: 'segments' },
      options.map(asOption).map(option => {
        const id = `${name}-${option.value}`;
        return h(
          'label',
          { for: id, title: option.title },
          h('input', {
            type: 'radio',
            id,
            name,
            value: option.value,
            checked: option.value === value,
            onchange: () => choose(option.value),
          }),
          h('span', {}, option.label),
        );
      }),
    ),
  );
}

/** One of many; what is called by its value stands for itself. */
export function select(
  id: string,
  label: string,
  options: (Option | string)[],
  value: string,
  choose: (value: string) => void,
): HTMLElement {
  const control = h(
    'select',
    { id },
    options
      .map(asOption)
      .map(option => h('option', { value: option.value, selected: option.value === value }, option.label)),
  );
  control.addEventListener('change', () => choose(control.value));
  return h('label', { class: 'field', for: id }, h('span', {}, label), control);
}

/** Links of which one leads to where the reader is. */
export const linkChoice = (label: string, links: { id: string; href: string; text: string; isHere: boolean }[]) =>
  h(
    'nav',
    { class: 'run-kinds', 'aria-label': label },
    links.map(({ id, href, text, isHere }) => h('a', { id, href, 'aria-current': isHere ? 'true' : null }, text)),
  );

/** Any of a few. */
export function checks(
  name: string,
  legend: string,
  options: Option[],
  chosen: Set<string>,
  choose: (chosen: Set<string>) => void,
) {
  return h(
    'fieldset',
    { class: 'checks' },
    h('legend', {}, legend),
    options.map(option => {
      const id = `${name}-${option.value}`;
      const toggle = (event: Event) => {
        const next = new Set(chosen);
        if ((event.target as HTMLInputElement).checked) next.add(option.value);
        else next.delete(option.value);
        choose(next);
      };
      return h(
        'label',
        { for: id },
        h('input', { type: 'checkbox', id, checked: chosen.has(option.value), onchange: toggle }),
        h('span', {}, option.label),
      );
    }),
  );
}

export const button = (id: string, label: string, press: () => void, disabled = false): HTMLButtonElement =>
  h('button', { id, type: 'button', class: 'button', disabled, onclick: press }, label);

/** Folded away, and built when it is first unfolded: a table of all figures takes longer than the chart before it. */
export function fold(id: string, summary: string, build: () => Node[]): HTMLElement {
  const details = h('details', { id, class: 'fold' }, h('summary', {}, summary));
  details.addEventListener('toggle', () => details.append(...build()), { once: true });
  return details;
}

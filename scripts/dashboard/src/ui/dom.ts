// Typed helpers to build elements. Text goes in as text nodes and never as markup, so data cannot become code.

type Child = Node | string | number | null | undefined | false;
export type Children = Child | Children[];

interface Attributes {
  [name: string]: string | number | boolean | null | undefined | ((event: Event) => void);
}

export function append(parent: Element, children: Children): void {
  for (const child of Array.isArray(children) ? children : [children]) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.append(child instanceof Node ? child : String(child));
  }
}

function built<E extends Element>(element: E, attributes: Attributes, children: Children): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

/** An HTML element: `h('a', { href }, 'text')`; attributes that begin with `on` are listeners. */
export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children[]
): HTMLElementTagNameMap[K] => built(document.createElement(tag), attributes, children);

export const link = (href: string, ...content: Children[]): HTMLAnchorElement => h('a', { href }, content);

/** An SVG element. */
export const s = <K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Children[]
): SVGElementTagNameMap[K] => built(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

/** Places an element by CSSOM: the content security policy forbids style attributes, not this. */
export function place<T extends HTMLElement>(
  element: T,
  styles: Partial<Record<'left' | 'top' | 'width' | 'height', string>>,
): T {
  for (const [property, value] of Object.entries(styles)) element.style.setProperty(property, value);
  return element;
}

// A chart as a picture by itself: its rows, or its canvas, as the page draws them, with what it shows and where it comes from.
import { s } from '../ui/dom';

const [PAD, ROW, PLOT, LEAST] = [16, 26, 360, 640];
/** Pixels of a letter, as a share of its size. */
const WIDE = 0.6;
const STYLES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity'];

/** All texts of these, apart; without what is no figure. */
const textOf = (...nodes: Node[]): string =>
  nodes
    .flatMap(node =>
      node instanceof Element
        ? node.matches('.visually-hidden, .small, svg')
          ? []
          : textOf(...node.childNodes)
        : (node.textContent ?? ''),
    )
    .map(text => text.trim())
    .filter(text => text !== '')
    .join(' ');

/** A shape with the colours that the page gives it. */
function copied(shape: Element): Element {
  const copy = s(shape.tagName as 'line');
  for (const { name, value } of shape.attributes) if (name !== 'class') copy.setAttribute(name, value);
  const style = getComputedStyle(shape);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value !== '') copy.setAttribute(name, value);
  }
  return copy;
}

const lined = (text: string, most: number): string[] =>
  text.match(new RegExp(`.{1,${most}}(?= |$)|.{1,${most}}`, 'g')) ?? [];

export function picture(chart: Element, title: string, sources: string[]): SVGElement {
  const { color: ink, backgroundColor: paper } = getComputedStyle(document.body);
  const rows = [...chart.querySelectorAll('h2, .row, .difference')].map(row => ({
    row,
    name: textOf(...row.querySelectorAll('.rank, .name')),
    words: [...row.querySelectorAll('.value, .absolute, .words, .missed')]
      .map(cell => textOf(cell))
      .filter(text => text !== '')
      .join(' · '),
  }));
  const widest = (texts: string[]) => Math.max(0, ...texts.map(({ length }) => length * 13 * WIDE));
  const left = PAD + widest(rows.map(({ name }) => name)) + PAD;
  const right = left + PLOT + PAD;
  const canvas = chart.querySelector('canvas');
  const wide = canvas?.clientWidth || right + widest(rows.map(({ words }) => words));
  const width = Math.ceil(Math.max(LEAST, wide + PAD, widest([title]) * 1.4));
  const write = (text: string, x: number, y: number, more = {}) => s('text', { x, y, ...more }, text);
  let y = 3 * PAD;
  const drawn = rows.flatMap(({ row, name, words }): Element[] => {
    y += ROW;
    const base = y - 8;
    if (row.matches('h2')) return [write(textOf(row), PAD, base, { 'font-weight': 700 })];
    const at = (tick: HTMLElement) => left + (Number.parseFloat(tick.style.left) / 100) * PLOT;
    const beyond = row.querySelector('.beyond');
    const end = beyond?.matches('.left')
      ? { x: left, 'text-anchor': 'start' }
      : { x: left + PLOT, 'text-anchor': 'end' };
    return [
      write(name, left - PAD, base, { 'text-anchor': 'end' }),
      ...[...row.querySelectorAll<HTMLElement>('.tick')].map(tick =>
        write(textOf(tick), at(tick), base - (tick.matches('.reference') ? 12 : 0), {
          'text-anchor': 'middle',
          'font-size': 11,
        }),
      ),
      s(
        'svg',
        { x: left, y: y - ROW, width: PLOT, height: ROW, overflow: 'visible' },
        [...row.querySelectorAll('.plot > svg > *')].map(copied),
      ),
      ...(beyond === null ? [] : [write(textOf(beyond), end.x, base, end)]),
      write(words, right, base),
    ];
  });
  if (canvas !== null) {
    const height = canvas.clientHeight || canvas.height;
    drawn.push(s('image', { href: canvas.toDataURL(), x: 0, y, width: wide, height }));
    y += height;
  }
  const foot = sources.flatMap(source => lined(source, Math.floor((width - 2 * PAD) / (11 * WIDE))));
  const height = y + PAD + foot.length * 15 + PAD;
  return s(
    'svg',
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'font-family': 'system-ui, sans-serif',
      'font-size': 13,
      fill: ink,
    },
    s('title', {}, title),
    s('rect', { width, height, fill: paper }),
    write(title, PAD, 2 * PAD, { 'font-size': 18, 'font-weight': 700 }),
    drawn,
    foot.map((text, line) => write(text, PAD, y + 2 * PAD + line * 15, { 'font-size': 11, opacity: 0.75 })),
  );
}

export const xmlOf = (picture: SVGElement): string => new XMLSerializer().serializeToString(picture);

/** With twice the pixels, for screens that have them. */
export async function pngOf(picture: SVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(xmlOf(picture))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise(done => canvas.toBlob(blob => blob && done(blob)));
}

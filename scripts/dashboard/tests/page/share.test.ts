// @vitest-environment happy-dom
// What is taken away of a view says where it comes from, and a picture has what the chart has.
import { beforeAll, expect, it, vi } from 'vitest';
import { BEFORE, NEWEST } from '../browser/routes';
import { history } from '../synthetic/generate';
import { all, one, open, start } from './page';

const MACHINE = 'AMD EPYC 9V74, 4 cpus';
let copied = '';
const saved: Blob[] = [];
beforeAll(async () => {
  const writeText = async (text: string) => {
    copied = text;
  };
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
  URL.createObjectURL = content => `blob:${saved.push(content as Blob)}`;
  HTMLAnchorElement.prototype.click = () => {};
  await start(history({ weeks: 8, lanes: 1 }));
});

it.each([
  [`now?lane=hosted-x64&run=${BEFORE}`, '.ranking', `run ${BEFORE}`, 'A small JSON answer'],
  ['compare?lane=hosted-x64&left=axum&right=rocket', '.difference', NEWEST, 'Axum or Rocket?'],
  ['framework/axum?lane=hosted-x64', '.differences', NEWEST, 'Axum: CPU per request'],
  ['trends?lane=hosted-x64', 'canvas', `8 runs, `, 'over time'],
])('%s can be cited and pictured', async (route, chart, run, title) => {
  await open(route);
  one('#cite').click();
  await vi.waitFor(() => expect(one('#cite').textContent).toBe('Copied'));
  const address = new RegExp(`#/${route.split('?')[0]}\\?.*lane=hosted-x64`);
  for (const part of [title, run, MACHINE, 'Nov 2026', 'Axum 0.']) expect(copied).toContain(part);
  expect(copied).toMatch(address);
  one('#picture-svg').click();
  const svg = (await saved.at(-1)?.text()) ?? '';
  for (const part of [title, run, MACHINE, 'Nov 2026', 'Axum 0.']) expect(svg).toContain(part);
  const circles = all(`${chart} .plot circle`);
  expect(svg.match(/<circle/g)?.length ?? 0).toBe(circles.length);
  for (const { textContent } of all(`${chart} .row .name > a`)) expect(svg).toContain(textContent);
  expect(svg.includes('<image')).toBe(chart === 'canvas');
});

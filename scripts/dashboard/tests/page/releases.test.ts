// @vitest-environment happy-dom
// What releases cost: the chart of a framework and of the crates beneath it, its table, and the last year of all.
import { beforeAll, expect, it } from 'vitest';
import { history } from '../synthetic/generate';
import { all, main, one, open, start, texts, unfold } from './page';

beforeAll(() => start(history({ weeks: 4 })));

it('the page of a framework shows each release at its day, and names those that are steps', async () => {
  await open('framework/axum?lane=hosted-x64');
  expect(texts('h3').slice(0, 2)).toEqual(['axum', 'tokio beneath it']);
  const [axum, tokio] = all('.percentiles');
  // Five that were counted, in two kinds of work.
  expect(axum?.querySelectorAll('.curve circle')).toHaveLength(10);
  // The backport stands beside the line.
  expect(axum?.querySelectorAll('line.step')).toHaveLength(6);
  expect([...(axum?.querySelectorAll('svg text') ?? [])].map(({ textContent }) => textContent)).toEqual([
    '0.8.1',
    '0.8.4',
  ]);
  expect(axum?.querySelector('title')?.textContent).toMatch(/^axum 0\.8\.0, 1 Jan 2025: 12,000 instructions in /);
  expect(tokio?.querySelectorAll('circle.stepped')).toHaveLength(0);
  expect(axum?.getAttribute('aria-label')).toContain('the table below');
  expect(main()).toContain('0.8.1 (12 Apr 2025) → 0.8.5 (14 Sep 2026): Plaintext −9.9\u00a0%');
  expect(main()).toContain('No release is a step.');
  const driven = 'CPU time in Plaintext −4.0\u00a0% (−5.0\u00a0% to −3.0\u00a0%)';
  expect(axum?.querySelector('.in-turns title')?.textContent).toBe(`0.8.3 → 0.8.4: ${driven}`);
  expect(main()).toContain(`In turns, 0.8.3 → 0.8.4: ${driven}.`);
});

it('the table has all of them, the newest first, and why one has no figures', async () => {
  await open('framework/axum?lane=hosted-x64');
  unfold('#releases-axum');
  const rows = texts('#releases-axum tbody tr');
  expect(rows).toHaveLength(6);
  expect(rows[0]).toMatch(/^0\.8\.52026-09-1411,000 \(±0\.0/);
  expect(rows[1]).toMatch(/system calls 4 → 3; 0\.8\.3 → 0\.8\.4: CPU time in Plaintext −4\.0/);
  expect(rows[2]).toMatch(/yanked$/);
  expect(rows[4]).toMatch(/3\.00 MiBwith axum-core of its version$/);
  expect(rows[5]).toMatch(/other crates since its day: Plaintext −9\.0\u00a0%, JSON answer –$/);
  expect(rows[3]).toMatch(/–.*does not build: .*<b>mismatched<\/b>/);
});

it('a framework without measured releases has no such section, and all frameworks have their last year', async () => {
  await open('framework/viz?lane=hosted-x64');
  expect(all('.percentiles')).toHaveLength(0);
  await open('framework?lane=hosted-x64');
  const rows = all('tbody tr').filter(row => row.textContent.includes('0.8.1'));
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Axumaxum0\.8\.1 \(12 Apr 2025\)0\.8\.5 .*0\.8\.4: Plaintext −10\u00a0%, /),
  ]);
  expect(one('main').textContent).toContain('What their releases brought');
});

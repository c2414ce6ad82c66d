// Releases of Axum, and of tokio beneath it: steps, one that does not build, one that was taken back, and a backport.
import type * as Published from '../../src/data/generated/published';

type Row = [version: string, published: string, plaintext: number | null, change: number | null];

const AXUM: Row[] = [
  ['0.8.0', '2025-01-01', 12_000, null],
  ['0.8.1', '2025-04-12', 12_240, 0.02],
  ['0.8.2', '2025-04-30', null, null],
  ['0.8.3', '2026-06-20', 12_252, 0.001],
  ['0.8.4', '2025-12-20', 11_027, -0.1],
  ['0.8.5', '2026-09-14', 11_027, 0],
];
const TOKIO: Row[] = [
  ['1.53.1', '2026-07-20', 11_000, null],
  ['1.54.0', '2026-10-19', 11_033, 0.003],
];

const IN_TURNS: Published.InTurns = {
  from: 3,
  to: 4,
  scenario: 0,
  change: -0.04,
  interval: { low: -0.05, high: -0.03 },
};

function releasesOf(crate: string, rows: Row[], spans: Published.Span[]): Published.CrateReleases {
  return {
    app: 'axum',
    name: 'Axum',
    crate,
    is_framework: crate === 'axum',
    scenarios: ['plaintext', 'hello'],
    releases: rows.map(([version, published, instructions, change]) => ({
      release: {
        crate,
        version,
        published: `${published}T12:00:00Z`,
        yanked: version === '0.8.3',
        together_with: version === '0.8.1' ? ['axum-core'] : [],
      },
      run: '20261116T041700Z-3bc',
      backport: version === '0.8.3',
      refused: instructions === null ? 'does not build: error[E0308]: <b>mismatched</b> types' : null,
      binary_bytes: instructions === null ? null : 3_145_728,
      counts: [1, 1.4].map(times =>
        instructions === null
          ? null
          : {
              instructions: instructions * times,
              change: change === null ? null : change / times,
              is_step: Math.abs(change ?? 0) / times > 0.01,
              syscalls: version > '0.8.3' ? 3.04 : 4.02,
            },
      ),
      others: [version === '0.8.0' ? -0.09 : null, null],
    })),
    spans,
    in_turns: crate === 'axum' ? [IN_TURNS] : [],
  };
}

export const releasesFile = (): Published.Releases => ({
  schema_version: 1,
  crates: [
    releasesOf('axum', AXUM, [
      { from: 1, to: 5, changes: [-0.0991, -0.0708] },
      { from: 0, to: 5, changes: [-0.0811, -0.0575] },
    ]),
    releasesOf('tokio', TOKIO, [{ from: 0, to: 1, changes: [0.003, 0.0021] }]),
  ],
});

import { expect, it } from 'vitest';
import { failedRules, sourceAddress } from '../../src/data/breaks';
import { keyOf } from '../../src/data/names';
import type { Store } from '../../src/data/store';

it('knows servers by the names that each file has for them, and frameworks by any of their servers', async () => {
  const story = { runs: [{ failed: new Map(Object.entries({ ohkami: 51, 'axum (tuned)': 3 })) }] };
  const rules = await failedRules({ probeChanges: async () => story } as unknown as Store);
  const keys = ['ohkami', 'ohkami-postgres', 'ohkami-services', keyOf({ app: 'axum', variant: 'tuned' }), 'axum'];
  expect(keys.map(rules)).toEqual([51, 51, 51, 3, undefined]);
});

it('links to sections of RFCs and to nothing else', () => {
  expect(sourceAddress('RFC 9112, section 9.3.2')).toBe('https://www.rfc-editor.org/rfc/rfc9112#section-9.3.2');
  for (const other of ['signal(7)', 'RFC 9112', 'javascript:alert(1)', 'RFC 9112, section 3"onload='])
    expect(sourceAddress(other)).toBeNull();
});

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { stateOfZip } from '../../../src/lib/postal/zip-state.ts';

interface ZipCode {
  readonly zip: string;
  readonly state: string;
  readonly country: string;
}
const { codes } = createRequire(import.meta.url)('zipcodes') as { readonly codes: Readonly<Record<string, ZipCode>> };
const known = Object.values(codes).filter(({ country, zip }) => country === 'US' && /^\d{5}$/.test(zip));

describe('the state of a ZIP code', () => {
  it('WF-05 is that of the table of all ZIP codes; those of the armed forces have none', () => {
    assert.ok(known.length > 40_000);
    const military = new Set(['AA', 'AE', 'AP']);
    assert.deepEqual(
      known.filter(({ zip, state }) => stateOfZip(zip) !== (military.has(state) ? undefined : state)),
      [],
    );
  });

  it('is also known of a code that the table lacks, and of ZIP+4', () => {
    assert.deepEqual(['18776', '06900', '10205-7661', ' 75001 ', '750011234'].map(stateOfZip), [
      'PA',
      'CT',
      'NY',
      'TX',
      'TX',
    ]);
    assert.deepEqual(['', '1234', 'H0H 0H0', '00000', '75001-12'].map(stateOfZip), [
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

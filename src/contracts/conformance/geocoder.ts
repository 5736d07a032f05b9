import assert from 'node:assert/strict';
import { CANDIDATES_MAX, type AddressQuestion, type Geocoder } from '../geocoder.ts';

/** What a test tells about its provider: an address that it finds, and one that it does not. */
export interface GeocoderCase {
  readonly geocoder: Geocoder;
  readonly known: AddressQuestion;
  readonly nowhere: AddressQuestion;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface GeocoderDemand {
  readonly title: string;
  readonly check: (of: GeocoderCase) => Promise<void>;
}

async function found(
  geocoder: Geocoder,
  question: AddressQuestion,
): Promise<Extract<Awaited<ReturnType<Geocoder['geocode']>>, { kind: 'found' }>['candidates']> {
  const answer = await geocoder.geocode(question);
  assert.ok(answer.kind === 'found', JSON.stringify(answer));
  return answer.candidates;
}

/** Malformed queries. */
const strange: readonly AddressQuestion[] = [
  {},
  { Address: '', City: '', State: '', PostalCode: '' },
  { PostalCode: '__proto__' },
  { City: 'constructor', State: 'toString' },
  { Address: `1 ${'Main '.repeat(2_000)}St`, PostalCode: '7'.repeat(5_000) },
  { Address: '1 Main\r\nHost: evil.example', City: '\u0000', State: '\ud800', PostalCode: '%00&zip=1' },
  { City: 'Springfield', State: 'Somewhere', Country: 'Atlantis' },
];

/** Requirements of every provider of the contract. */
export const geocoderConformance: readonly GeocoderDemand[] = [
  {
    title: 'finds a known address: candidates best first, on the globe, with a confidence from 0 to 100',
    async check({ geocoder, known }) {
      const candidates = await found(geocoder, known);
      assert.ok(candidates.length > 0 && candidates.length <= CANDIDATES_MAX);
      for (const { Latitude, Longitude, Confidence, MatchLevel } of candidates) {
        assert.ok(Math.abs(Latitude) <= 90 && Math.abs(Longitude) <= 180, `${Latitude} ${Longitude}`);
        assert.ok(Number.isInteger(Confidence) && Confidence >= 0 && Confidence <= 100, String(Confidence));
        assert.ok(['Address', 'Street', 'PostalCode', 'City'].includes(MatchLevel));
      }
      assert.deepEqual(
        candidates.map((c) => c.Confidence),
        candidates.map((c) => c.Confidence).sort((a, b) => b - a),
      );
    },
  },
  {
    title: 'is less than certain about a building if it knows only an area',
    async check({ geocoder, known }) {
      for (const { MatchLevel, Confidence } of await found(geocoder, known))
        assert.ok(
          MatchLevel === 'Address' || MatchLevel === 'Street' || Confidence < 80,
          `${MatchLevel} ${Confidence}`,
        );
    },
  },
  {
    title: 'returns nothing for an address that does not exist',
    check: async ({ geocoder, nowhere }) => assert.deepEqual(await found(geocoder, nowhere), []),
  },
  {
    title: 'gives the same answer to the same query',
    check: async ({ geocoder, known }) =>
      assert.deepEqual(await geocoder.geocode(known), await geocoder.geocode(known)),
  },
  {
    title: 'never throws, however strange the query',
    async check({ geocoder }) {
      for (const question of strange) assert.match((await geocoder.geocode(question)).kind, /^(found|unavailable)$/);
    },
  },
];

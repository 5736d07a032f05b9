import {
  CANDIDATES_MAX,
  type AddressCandidate,
  type AddressQuestion,
  type Geocoder,
} from '../../../contracts/geocoder.ts';
import type { OutboundRules } from '../../../kernel/security/outbound.ts';
import { fetchJson } from './fetch-json.ts';
import { readMatches, type CensusMatch } from './matches.ts';

/** What the provider is configured with, as the settings stand. */
export interface CensusOptions {
  /** The service's root, such as `https://geocoding.example/geocoder`; empty where it is off. */
  readonly url: string;
  readonly benchmark: string;
  readonly timeoutSeconds: number;
  readonly rules: OutboundRules;
}

/** As much of each part of an address is sent. */
const PART_CHARACTERS_MAX = 200;

/** How much a difference between what was asked and what was found takes away. */
const OTHER = { number: 40, street: 25, city: 10, state: 40, postalCode: 15, anotherMatch: 10 } as const;

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

/** How sure it is that a match is what was asked: the service says only that it found something. */
function confidenceOf(question: AddressQuestion, match: CensusMatch, matches: number): number {
  const differs = (given: string | undefined, found: string): boolean =>
    given !== undefined && folded(given) !== '' && folded(found) !== '' && folded(given) !== folded(found);
  const street = folded(question.Address ?? '');
  const number = /^\d+/.exec(street)?.[0];
  let confidence = 100 - OTHER.anotherMatch * (matches - 1);
  if (number !== /^\d+/.exec(folded(match.street))?.[0]) confidence -= OTHER.number;
  if (!` ${street} `.includes(` ${folded(match.streetName)} `)) confidence -= OTHER.street;
  if (differs(question.City, match.city)) confidence -= OTHER.city;
  if (differs(question.State, match.state)) confidence -= OTHER.state;
  if (differs(question.PostalCode?.slice(0, 5), match.postalCode)) confidence -= OTHER.postalCode;
  return Math.max(0, confidence);
}

/** The part of a street line that says where in the building: the service leaves it out. */
const unit =
  /[\s,]+((?:#|(?:apt|apartment|unit|suite|ste|fl|floor|rm|room|bldg|building|lot)\b)\.?\s*[\w-]{1,10})\s*$/i;

function candidateOf(question: AddressQuestion, match: CensusMatch, matches: number): AddressCandidate {
  const unitText = unit.exec((question.Address ?? '').slice(0, PART_CHARACTERS_MAX))?.[1];
  return {
    Address: unitText === undefined ? match.street : `${match.street} ${unitText}`,
    City: match.city,
    State: match.state,
    PostalCode: match.postalCode,
    Country: 'US',
    Latitude: match.latitude,
    Longitude: match.longitude,
    Confidence: confidenceOf(question, match, matches),
    MatchLevel: 'Address',
  };
}

/** The names of states are no matter to the service; the country is. */
const countries = /^(?:|us|usa|u\.s\.a?\.|united states(?: of america)?)$/i;

/**
 * Asks a geocoder that speaks the public protocol of the census bureau:
 * `{url}/locations/address?street=&city=&state=&zip=`, one JSON document of matches. It knows buildings, not areas:
 * without a street line it has no candidates.
 */
export function censusGeocoder(options: () => CensusOptions): Geocoder {
  return {
    isConfigured: () => options().url !== '',

    async geocode(question) {
      const { url, benchmark, timeoutSeconds, rules } = options();
      if (url === '') return { kind: 'off' };
      if ((question.Address ?? '').trim() === '' || !countries.test((question.Country ?? '').slice(0, 60).trim()))
        return { kind: 'found', candidates: [] };
      const query = new URLSearchParams({ benchmark, format: 'json' });
      for (const [name, value] of [
        ['street', question.Address],
        ['city', question.City],
        ['state', question.State],
        ['zip', question.PostalCode],
      ] as const) {
        if (value) query.set(name, value.slice(0, PART_CHARACTERS_MAX).toWellFormed());
      }
      const response = await fetchJson(
        `${url.replace(/\/+$/, '')}/locations/address?${query.toString()}`,
        rules,
        timeoutSeconds * 1_000,
      );
      if (response.kind === 'unavailable') return response;
      // So it answers what it does not take for an address.
      if (response.status === 400) return { kind: 'found', candidates: [] };
      const matches = readMatches(response.json);
      if (!matches) return { kind: 'unavailable', problem: 'NOT_UNDERSTOOD' };
      const candidates = matches
        .map((match) => candidateOf(question, match, matches.length))
        .sort((a, b) => b.Confidence - a.Confidence);
      return { kind: 'found', candidates: candidates.slice(0, CANDIDATES_MAX) };
    },
  };
}

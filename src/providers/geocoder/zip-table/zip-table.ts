import {
  CANDIDATES_MAX,
  type AddressCandidate,
  type AddressQuestion,
  type Geocoder,
} from '../../../contracts/geocoder.ts';
import { foldedCity, placeOfPostalCode, places, placesOfCity, stateOf, type ZipPlace } from './zip-places.ts';

/**
 * How sure the middle of a postal code's area can be at most: it says nothing of the building, and must never be taken
 * for it.
 */
const POSTAL_CODE_CONFIDENCE = 60;
/** Of a city the middle of its postal codes' areas is known, which is less. */
const CITY_CONFIDENCE = 40;
const ONE_OF_SEVERAL_CONFIDENCE = 30;
/** How much a sent city or state takes away that is not the postal code's. */
const OTHER_CITY = 20;
const OTHER_STATE = 35;

/** Countries that the table is of. */
const countries = /^(?:|us|usa|u\.s\.a?\.|united states(?: of america)?|puerto rico)$/i;

/** Of some codes the table knows the city alone. */
function isOnGlobe(place: ZipPlace): boolean {
  return Boolean(place.latitude) && Boolean(place.longitude);
}

function candidate(
  question: AddressQuestion,
  place: ZipPlace,
  Confidence: number,
  MatchLevel: 'PostalCode' | 'City',
): AddressCandidate {
  return {
    // The street is not looked at: it stays as it was asked.
    ...(question.Address === undefined ? {} : { Address: question.Address }),
    City: place.city,
    State: place.state,
    PostalCode: place.zip,
    Country: 'US',
    Latitude: place.latitude,
    Longitude: place.longitude,
    Confidence,
    MatchLevel,
  };
}

function byPostalCode(question: AddressQuestion, place: ZipPlace): AddressCandidate {
  const state = question.State === undefined ? undefined : (stateOf(question.State) ?? '');
  // A postal code has other names of places beside the one that the table has.
  const isOther = question.City !== undefined && foldedCity(question.City) !== foldedCity(place.city);
  const confidence =
    POSTAL_CODE_CONFIDENCE -
    (isOther ? OTHER_CITY : 0) -
    (state !== undefined && state !== place.state ? OTHER_STATE : 0);
  const found = candidate(question, place, confidence, 'PostalCode');
  return isOther && (state === undefined || state === place.state)
    ? { ...found, City: question.City ?? place.city }
    : found;
}

function byCity(question: AddressQuestion, found: readonly ZipPlace[]): AddressCandidate[] {
  const [first] = found;
  if (!first) return [];
  if (found.length === 1) return [candidate(question, first, POSTAL_CODE_CONFIDENCE - OTHER_CITY, 'PostalCode')];
  const middle = (of: (place: ZipPlace) => number): number =>
    Math.round((found.reduce((sum, place) => sum + of(place), 0) / found.length) * 10_000) / 10_000;
  const { PostalCode: _none, ...city } = {
    ...candidate(question, first, CITY_CONFIDENCE, 'City'),
    Latitude: middle((place) => place.latitude),
    Longitude: middle((place) => place.longitude),
  };
  return [
    city,
    ...found
      .slice(0, CANDIDATES_MAX - 1)
      .map((place) => candidate(question, place, ONE_OF_SEVERAL_CONFIDENCE, 'PostalCode')),
  ];
}

/**
 * Knows the middle of the area of each postal code of the United States, without asking anybody: how far two people
 * live from each other, in which city a code is. What it answers is never sure enough to be taken for the building.
 */
export const zipTableGeocoder: Geocoder = {
  places,
  confidenceMax: POSTAL_CODE_CONFIDENCE,
  async geocode(question) {
    if (!countries.test((question.Country ?? '').slice(0, 60).trim())) return { kind: 'found', candidates: [] };
    const place = question.PostalCode === undefined ? undefined : placeOfPostalCode(question.PostalCode);
    if (place) return { kind: 'found', candidates: isOnGlobe(place) ? [byPostalCode(question, place)] : [] };
    const state = question.State === undefined ? undefined : stateOf(question.State);
    if (state === undefined || question.City === undefined) return { kind: 'found', candidates: [] };
    return { kind: 'found', candidates: byCity(question, placesOfCity(state, question.City).filter(isOnGlobe)) };
  },
};

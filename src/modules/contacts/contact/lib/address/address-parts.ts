import { createRequire } from 'node:module';
import type { PostalPlaces } from '../../../../../contracts/geocoder.ts';
import { defined } from '../../../../../kernel/parameters/defined.ts';

/** An address in its parts. A part that is neither in the line nor derivable is absent. */
export interface AddressParts {
  readonly Address?: string;
  readonly City?: string;
  readonly State?: string;
  readonly PostalCode?: string;
}

/** Longest line that is parsed, in characters. */
export const LINE_CHARACTERS_MAX = 300;
/** Most words in the name of a city. */
const CITY_WORDS_MAX = 5;
const STATE_WORDS_MAX = 4;

type ParseLocation = (line: string) => { readonly city?: string } | null;

let parser: ParseLocation | undefined;

/** The library that distinguishes a street from a city by street words; loaded on first use. */
function cityByStreetWords(line: string): string | undefined {
  try {
    parser ??= (createRequire(import.meta.url)('parse-address') as { readonly parseLocation: ParseLocation })
      .parseLocation;
    return parser(line)?.city;
  } catch {
    // The library may throw for arbitrary text.
    return undefined;
  }
}

const country = /[,\s]+(?:usa|u\.s\.a\.?|united states(?: of america)?|us)\.?\s*$/i;
const zip = /(?:^|[,\s])(\d{5})(?:[-\s]?(\d{4}))?\s*$/;
/** A part between commas that is not a city: a location in the building, or a number. */
const UNIT_WORDS =
  'apt|apartment|unit|suite|ste|fl|floor|rm|room|bldg|building|lot|spc|space|dept|ph|po box|box|mb|urb';
const unit = new RegExp(`^(?:#|(?:${UNIT_WORDS})\\b|\\d+\\s*$)`, 'i');

const tidy = (text: string): string => text.replace(/^[\s,;]+|[\s,;]+$/g, '').replace(/\s+/g, ' ');

/** Yields the last words of a line, one more each time, with the text before them. */
function* endings(line: string, most: number): Generator<{ readonly before: string; readonly end: string }> {
  const words = [...line.matchAll(/[^\s,]+/g)];
  for (let n = 1; n <= Math.min(most, words.length); n++) {
    const at = words[words.length - n]?.index ?? 0;
    yield { before: line.slice(0, at), end: tidy(line.slice(at)) };
  }
}

/** Returns the state at the end of a line: the longest name, so that West Virginia is not Virginia. */
function splitOffState(
  line: string,
  places: PostalPlaces,
): { readonly before: string; readonly State: string } | undefined {
  let found: { before: string; State: string } | undefined;
  for (const { before, end } of endings(line, STATE_WORDS_MAX)) {
    const State = end.includes(',') ? undefined : places.stateOf(end);
    // A street may be named like a state: then no street would be left before it.
    if (State !== undefined && (tidy(before) !== '' || end.length === 2)) found = { before, State };
  }
  return found;
}

const canBeCity = (text: string): boolean => text !== '' && !unit.test(text) && !/^\d/.test(text);

/**
 * Returns the city at the end of the text before the state: after the last comma, otherwise the longest city name of
 * the state.
 */
function splitOffCity(
  line: string,
  given: string | undefined,
  ofZip: { readonly City: string; readonly State: string } | undefined,
  places: PostalPlaces,
): { readonly before: string; readonly City: string } | undefined {
  const text = tidy(line);
  const comma = text.lastIndexOf(',');
  const last = tidy(text.slice(comma + 1));
  if (comma >= 0 && canBeCity(last)) return { before: text.slice(0, comma), City: last };
  const state = given ?? ofZip?.State;
  let found: { before: string; City: string } | undefined;
  for (const { before, end } of endings(text, CITY_WORDS_MAX)) {
    const isKnown = state !== undefined && places.cityOf(state, end) !== undefined;
    if (isKnown || end.toLowerCase() === ofZip?.City.toLowerCase()) found = { before, City: end };
  }
  if (found) return found;
  // An address with a state has a city before it; with a postal code alone it may not.
  const guessed = given === undefined ? undefined : cityByStreetWords(`${text}, ${given}`);
  if (guessed === undefined || !text.toLowerCase().endsWith(guessed.toLowerCase())) return undefined;
  return { before: text.slice(0, text.length - guessed.length), City: text.slice(text.length - guessed.length) };
}

/** Returns the postal code at the end of a line. Five digits alone at the beginning are a house number. */
function splitOffPostalCode(line: string): { readonly before: string; readonly PostalCode: string | undefined } {
  const code = zip.exec(line);
  if (!code || (code.index === 0 && tidy(line).length > 10)) return { before: line, PostalCode: undefined };
  const [, first = '', extension] = code;
  const PostalCode = extension === undefined ? first : `${first}-${extension}`;
  return { before: line.slice(0, code.index), PostalCode };
}

/**
 * Splits a one-line address from its end: country, postal code, state, city. The rest is the street, word for word,
 * with its unit, box or half number. A postal code supplies city and state if the line lacks them. Never throws.
 */
export function addressParts(line: string, places: PostalPlaces): AddressParts {
  let rest = tidy(
    line
      .slice(0, LINE_CHARACTERS_MAX)
      .replace(/[\r\n\t]+/g, ', ')
      .replace(/(?:\s*,)+/g, ','),
  ).replace(country, '');
  const { before, PostalCode } = splitOffPostalCode(rest);
  rest = before;
  const ofZip = PostalCode === undefined ? undefined : places.byPostalCode(PostalCode);
  const state = splitOffState(rest, places);
  if (state) rest = state.before;
  const State = state?.State ?? ofZip?.State;
  const city = splitOffCity(rest, state?.State, ofZip, places);
  if (city) rest = city.before;
  const Address = tidy(rest);
  const City = city?.City ?? ofZip?.City;
  return defined({ Address: Address === '' ? undefined : Address, City, State, PostalCode });
}

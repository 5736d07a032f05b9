/** A place that the service found. */
export interface CensusMatch {
  /** The street line in words as people write them. */
  readonly street: string;
  readonly streetName: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The most matches that are looked at. */
const MATCHES_MAX = 100;
/** As much of each part is taken as the columns of an address hold. */
const PART_CHARACTERS_MAX = 100;

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
        .toWellFormed()
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, PART_CHARACTERS_MAX)
    : '';
}

/** Words that stay in capitals. */
const capitals = new Set(['NE', 'NW', 'SE', 'SW', 'N', 'S', 'E', 'W', 'US', 'FM', 'CR', 'PO', 'RR', 'HC']);

/** The service answers in capitals: `SILVER HILL RD NW` is `Silver Hill Rd NW`. */
function titleCased(text: string): string {
  if (text !== text.toUpperCase()) return text;
  return text
    .split(' ')
    .map((word) => (capitals.has(word) ? word : word.charAt(0) + word.slice(1).toLowerCase()))
    .join(' ');
}

/** A match out of the document; undefined where a part is missing or is nowhere on the globe. */
function readMatch(value: unknown): CensusMatch | undefined {
  const match = objectOf(value);
  const [coordinates, parts] = [objectOf(match?.['coordinates']), objectOf(match?.['addressComponents'])];
  if (!match || !coordinates || !parts) return undefined;
  const { x: longitude, y: latitude } = coordinates;
  const street = textOf(textOf(match['matchedAddress']).split(',')[0]);
  const state = textOf(parts['state']);
  if (
    typeof longitude !== 'number' ||
    typeof latitude !== 'number' ||
    !(Math.abs(latitude) <= 90) ||
    !(Math.abs(longitude) <= 180) ||
    street === '' ||
    state === ''
  )
    return undefined;
  return {
    street: titleCased(street),
    streetName: textOf(parts['streetName']),
    city: titleCased(textOf(parts['city'])),
    state,
    postalCode: textOf(parts['zip']),
    latitude,
    longitude,
  };
}

/** The matches of an answer; undefined where it is not of the protocol. */
export function readMatches(json: unknown): readonly CensusMatch[] | undefined {
  const matches = objectOf(objectOf(json)?.['result'])?.['addressMatches'];
  if (!Array.isArray(matches)) return undefined;
  return (matches as readonly unknown[]).slice(0, MATCHES_MAX).flatMap((match) => readMatch(match) ?? []);
}

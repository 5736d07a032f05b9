import { contract } from '../kernel/ports/providers.ts';

/**
 * A query: an address with its postal code, or with city and state, or a city and state alone. Unknown parts are
 * absent.
 */
export interface AddressQuestion {
  readonly Address?: string;
  readonly City?: string;
  readonly State?: string;
  readonly PostalCode?: string;
  readonly Country?: string;
}

/** Precision of a position: the building, its street, or the center of a postal code's or city's area. */
export type MatchLevel = 'Address' | 'Street' | 'PostalCode' | 'City';

/** A possible match. Parts that the provider does not know are as in the query. */
export interface AddressCandidate extends AddressQuestion {
  readonly Latitude: number;
  readonly Longitude: number;
  /** Confidence from 0 to 100 that this is the intended address, and that it exists. 80 and more counts as right. */
  readonly Confidence: number;
  readonly MatchLevel: MatchLevel;
}

/**
 * The result of a query. `found`: candidates, best first; none if the provider knows none. `off`: not configured.
 * `unavailable`: could not answer, with a short reason and, if the provider says so, how long to wait.
 */
export type GeocodeResult =
  | { readonly kind: 'found'; readonly candidates: readonly AddressCandidate[] }
  | { readonly kind: 'off' }
  | { readonly kind: 'unavailable'; readonly problem: string; readonly retryAfterSeconds?: number };

/** Most candidates of a result. */
export const CANDIDATES_MAX = 25;

/** Lookup by postal code, for providers with such a table. */
export interface PostalPlaces {
  byPostalCode(postalCode: string): { readonly City: string; readonly State: string } | undefined;
  /** Returns the city in its official spelling if the state (two letters) has one of this name. */
  cityOf(state: string, name: string): string | undefined;
  /** Returns the two letters of a state, given as letters or name. */
  stateOf(text: string): string | undefined;
}

/**
 * Finds the position of an address. Called outside any transaction; ends within its own time limit, and never throws
 * for any text as address.
 *
 * @example
 * const answer = await ctx.providers.get(GEOCODER).geocode({ Address: '1 Main St', PostalCode: '78701' });
 */
export interface Geocoder {
  geocode(question: AddressQuestion): Promise<GeocodeResult>;
  /** Whether it is configured, so that it is not `off`. Omitted by geocoders that need no configuration. */
  isConfigured?(): boolean;
  /** The highest confidence of its candidates; 100 if omitted. */
  readonly confidenceMax?: number;
  readonly places?: PostalPlaces;
}

/** Geocoders, in the order in which they are tried. */
export const GEOCODER = contract<Geocoder>('geocoder');

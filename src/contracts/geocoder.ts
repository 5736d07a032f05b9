/** What is asked: an address with its postal code, or with city and state, or a city and state alone. Absent is what is not known. */
export interface AddressQuestion {
  readonly Address?: string;
  readonly City?: string;
  readonly State?: string;
  readonly PostalCode?: string;
  readonly Country?: string;
}

/** How closely a place is known: the building, its street, or the middle of a postal code's or city's area. */
export type MatchLevel = 'Address' | 'Street' | 'PostalCode' | 'City';

/** A place that may be meant. What the provider does not know stays as it was asked. */
export interface AddressCandidate extends AddressQuestion {
  readonly Latitude: number;
  readonly Longitude: number;
  /** From 0 to 100: how sure it is that this is the address that was meant, and that it is one. 80 and more is taken for right. */
  readonly Confidence: number;
  readonly MatchLevel: MatchLevel;
}

/**
 * What came of a question. `found`: the candidates, best first, none where the provider knows none. `off`: it is not configured.
 * `unavailable`: it could not answer, with a short word why and how long it asks to be left alone, where it says so.
 */
export type GeocodeResult =
  | { readonly kind: 'found'; readonly candidates: readonly AddressCandidate[] }
  | { readonly kind: 'off' }
  | { readonly kind: 'unavailable'; readonly problem: string; readonly retryAfterSeconds?: number };

/** The most candidates that a provider answers. */
export const CANDIDATES_MAX = 25;

/** Places by their postal codes, where a provider has a table of them. */
export interface PostalPlaces {
  byPostalCode(postalCode: string): { readonly City: string; readonly State: string } | undefined;
  /** The city in its own spelling, where the state has one of this name. `state` is its two letters. */
  cityOf(state: string, name: string): string | undefined;
  /** The two letters of a state by them or by its name. */
  stateOf(text: string): string | undefined;
}

/**
 * Finds where an address is. Asked outside of any transaction; it ends within its own time limit and never throws for what it
 * was asked: an address may be any text.
 *
 * @example
 * const answer = await ctx.providers.get<Geocoder>('geocoder').geocode({ Address: '1 Main St', PostalCode: '78701' });
 */
export interface Geocoder {
  geocode(question: AddressQuestion): Promise<GeocodeResult>;
  readonly places?: PostalPlaces;
}

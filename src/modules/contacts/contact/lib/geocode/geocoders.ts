import { GEOCODER, type AddressCandidate, type AddressQuestion } from '../../../../../contracts/geocoder.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';

/** Confidence required of a candidate by default. */
export const DEFAULT_CONFIDENCE = 80;
/** Most candidates returned. */
const CANDIDATES_MAX = 25;
/** Consecutive failures after which a provider is not queried again in a call. */
const FAILURES_MAX = 3;

/** A candidate with the provider that returned it. */
export interface Candidate extends AddressCandidate {
  readonly Provider: string;
}

/** The candidates, best first, and why providers failed. */
export interface GeocodeResult {
  readonly candidates: readonly Candidate[];
  readonly problems: readonly string[];
}

/** Returns the non-empty parts of the submitted address. */
export function addressQuestion(parts: { readonly [K in keyof AddressQuestion]: unknown }): AddressQuestion {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  return Object.fromEntries(
    (['Address', 'City', 'State', 'PostalCode', 'Country'] as const).flatMap((name) =>
      text(parts[name]) === undefined ? [] : [[name, text(parts[name])]],
    ),
  );
}

/**
 * Returns the part missing for a query, which takes an address with its postal code, or city and state; undefined if it
 * is complete.
 */
export function missingPart(question: AddressQuestion): 'PostalCode' | 'City' | 'State' | 'Address' | undefined {
  const { Address, City, State, PostalCode } = question;
  if ((Address && PostalCode) || (City && State)) return undefined;
  if (City) return 'State';
  if (State) return 'City';
  return Address && !PostalCode ? 'PostalCode' : 'Address';
}

/** Throws for an invalid confidence or an unregistered provider. */
export function checkGeocodeParameters(ctx: Context, confidence: number, provider: string | null | undefined): void {
  if (confidence < 0 || confidence > 100) throw bad('Confidence', 'a number from 0 to 100');
  if (provider) ctx.providers.get(GEOCODER, provider);
}

/**
 * Returns the confidence that a call requires which sends none: the default, or what the configured geocoders can reach
 * if that is less.
 */
export function defaultConfidence(ctx: Context, provider: string | null | undefined): number {
  const reachable = geocoderNames(ctx, provider)
    .map((name) => ctx.providers.get(GEOCODER, name))
    .filter((geocoder) => geocoder.isConfigured?.() !== false)
    .map(({ confidenceMax = 100 }) => confidenceMax);
  return reachable.length === 0 ? DEFAULT_CONFIDENCE : Math.min(DEFAULT_CONFIDENCE, Math.max(...reachable));
}

function geocoderNames({ providers }: Context, provider: string | null | undefined): readonly string[] {
  const known = providers.names(GEOCODER);
  return provider ? known.filter((name) => name.toLowerCase() === provider.toLowerCase()) : known;
}

/**
 * Queries the geocoders of a call in order until one is confident enough. A provider that keeps failing, or that sends
 * a retry-after, is not queried again in the same call.
 */
export class Geocoders {
  private readonly failures = new Map<string, { count: number; problem: string }>();
  private readonly ctx: Context;
  private readonly provider: string | undefined;
  private readonly confidence: number;

  constructor(ctx: Context, confidence: number, provider: string | null | undefined) {
    this.ctx = ctx;
    this.confidence = confidence;
    this.provider = provider === '' ? undefined : (provider ?? undefined);
  }

  async ask(question: AddressQuestion): Promise<GeocodeResult> {
    const candidates: Candidate[] = [];
    const problems: string[] = [];
    for (const name of geocoderNames(this.ctx, this.provider)) {
      const failed = this.failures.get(name.toLowerCase());
      if (failed && failed.count >= FAILURES_MAX) {
        problems.push(failed.problem);
        continue;
      }
      const answer = await this.ctx.providers.get(GEOCODER, name).geocode(question);
      if (answer.kind === 'found') {
        this.failures.delete(name.toLowerCase());
        candidates.push(...answer.candidates.map((candidate) => ({ ...candidate, Provider: name })));
        if (candidates.some((candidate) => candidate.Confidence >= this.confidence)) break;
      } else if (answer.kind === 'off') {
        if (this.provider !== undefined)
          throw new PlatformError('UNAVAILABLE', {
            field: 'Provider',
            message: `Provider: ${name} is not configured; set its address in the settings.`,
          });
      } else {
        const { problem, retryAfterSeconds } = answer;
        const retry = retryAfterSeconds === undefined ? '' : `; it asks to retry after ${retryAfterSeconds} seconds`;
        const failureText = `${name} did not answer (${problem}${retry})`;
        this.failures.set(name.toLowerCase(), {
          count: retryAfterSeconds === undefined ? (failed?.count ?? 0) + 1 : FAILURES_MAX,
          problem: failureText,
        });
        problems.push(failureText);
      }
    }
    // Sorting is stable: of equal candidates, the provider that was queried first comes first.
    return { candidates: candidates.sort((a, b) => b.Confidence - a.Confidence).slice(0, CANDIDATES_MAX), problems };
  }
}

import { contract } from '../kernel/ports/providers.ts';

/** The person to look up. A source needs the last name, and the number or the birth date. */
export interface MilitaryPerson {
  readonly lastName: string;
  readonly firstName?: string;
  readonly middleName?: string;
  /** Nine digits. */
  readonly ssn?: string;
  /** `YYYY-MM-DD`, as all dates here. */
  readonly birthDate?: string;
}

/** Whether a kind of service covers the requested date, and which. */
export interface Coverage {
  readonly covered: boolean;
  readonly startDate?: string;
  /** Absent while the service continues. */
  readonly endDate?: string;
  /** A letter for the branch and one for the component, such as AV. */
  readonly serviceComponentCode?: string;
}

/** A person's service status on one date. */
export interface MilitaryStatus {
  readonly dateOfInterest: string;
  /** Whether any of the three covers the date. */
  readonly covered: boolean;
  /** On active duty on the date. */
  readonly activeDuty: Coverage;
  /** Notified of a future call to active duty. */
  readonly earlyIndication: Coverage;
  /** Active duty that ended within {@link LOOKBACK_DAYS} days before. */
  readonly recentDuty: Coverage;
  /** Whether the source knows the person; an unknown person is never covered. */
  readonly matched: boolean;
  /** The source's id of the answer, if it has one. */
  readonly transactionId?: string;
}

/** Days after its end, that day included, in which service still counts. */
export const LOOKBACK_DAYS = 367;

/**
 * The result of a query. `refused`: the source rejects the query for good. `unavailable`: it could not answer now, with
 * a short reason and, if the source says so, how long to wait.
 */
export type MilitaryAnswer =
  | { readonly kind: 'answered'; readonly status: MilitaryStatus }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'unavailable'; readonly problem: string; readonly retryAfterSeconds?: number };

/**
 * Answers whether a person served on a date. Called outside any transaction; ends within its own time limit. Queries
 * have no side effects.
 *
 * @example
 * const source = ctx.providers.get(MILITARY_SOURCE);
 * const answer = await source.check({ lastName: 'Doe', ssn: '900123456' }, '2026-01-31');
 */
export interface MilitarySource {
  check(person: MilitaryPerson, dateOfInterest: string): Promise<MilitaryAnswer>;
}

/** Sources of service status; the first is the default. */
export const MILITARY_SOURCE = contract<MilitarySource>('military-source');

/** Who is looked for. A source needs the last name with the number or the birth date. */
export interface MilitaryPerson {
  readonly lastName: string;
  readonly firstName?: string;
  readonly middleName?: string;
  /** Nine digits. */
  readonly ssn?: string;
  /** `YYYY-MM-DD`, as all days here. */
  readonly birthDate?: string;
}

/** Whether service of one kind covers the day that was asked for, and which. */
export interface Coverage {
  readonly covered: boolean;
  readonly startDate?: string;
  /** Absent while the service goes on. */
  readonly endDate?: string;
  /** A letter for the branch and one for the component, such as AV. */
  readonly serviceComponentCode?: string;
}

/** What a source knows of a person for one day. */
export interface MilitaryStatus {
  readonly dateOfInterest: string;
  /** True where any of the three covers the day. */
  readonly covered: boolean;
  /** On active duty on the day. */
  readonly activeDuty: Coverage;
  /** Told of a call to active duty that is to come. */
  readonly earlyIndication: Coverage;
  /** Active duty that ended within the days of {@link LOOKBACK_DAYS} before. */
  readonly recentDuty: Coverage;
  /** Whether the source knows the person at all: of who is unknown nothing covers the day either. */
  readonly matched: boolean;
  /** By what it names the answer, where it does. */
  readonly transactionId?: string;
}

/** Service that ended so many days before the day of interest still counts, that day included. */
export const LOOKBACK_DAYS = 367;

/**
 * What came of a question. `refused`: the source does not take it, and would not later. `unavailable`: it could not answer now, with a
 * short word why and how long it asks to be left alone, where it says so.
 */
export type MilitaryAnswer =
  | { readonly kind: 'answered'; readonly status: MilitaryStatus }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'unavailable'; readonly problem: string; readonly retryAfterSeconds?: number };

/**
 * Says whether a person served on a day. Asked outside of any transaction; it ends within its own time limit, and asking again
 * costs nothing but the question.
 *
 * @example
 * const answer = await ctx.providers.get<MilitarySource>('military-source').check({ lastName: 'Doe', ssn: '900123456' }, '2026-01-31');
 */
export interface MilitarySource {
  check(person: MilitaryPerson, dateOfInterest: string): Promise<MilitaryAnswer>;
}

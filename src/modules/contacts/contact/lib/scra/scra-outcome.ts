import type { Values } from '../../../../../kernel/declare/values.ts';
import type { contact } from '../../contact.record.ts';
import type { Coverage, MilitaryAnswer, MilitaryStatus } from '../../../../../contracts/military-source.ts';

/** What a contact's SCRAStatus can be; `Pending` until the source has answered. */
export type ScraStatus =
  | 'Pending'
  | 'Active Duty'
  | 'Called Up'
  | 'Recent Active Duty'
  | 'Not Active'
  | 'No Record'
  | 'Incomplete'
  | 'Error';

/** What a check writes to the contact. */
export interface ScraOutcome {
  readonly status: ScraStatus;
  readonly source?: string;
  readonly asOf?: string;
  readonly service?: Coverage;
  readonly message?: string;
}

/** Returns the strongest status that covers the day, with its service. */
function strongestStatus(status: MilitaryStatus): Pick<ScraOutcome, 'status' | 'service'> {
  if (status.activeDuty.covered) return { status: 'Active Duty', service: status.activeDuty };
  if (status.earlyIndication.covered) return { status: 'Called Up', service: status.earlyIndication };
  if (status.recentDuty.covered) return { status: 'Recent Active Duty', service: status.recentDuty };
  return { status: status.matched ? 'Not Active' : 'No Record' };
}

/** Returns the outcome of an answer; undefined if the source should be queried again. */
export function scraOutcome(
  answer: MilitaryAnswer,
  source: string,
  attempt: number,
  attemptsMax: number,
): ScraOutcome | undefined {
  if (answer.kind === 'answered')
    return { ...strongestStatus(answer.status), source, asOf: answer.status.dateOfInterest };
  if (answer.kind === 'refused')
    return { status: 'Error', message: `${source} refused the request: ${answer.problem}.` };
  return attempt < attemptsMax
    ? undefined
    : { status: 'Error', message: `${source} did not answer ${attempt} times, the last time: ${answer.problem}.` };
}

/** The wait before the second attempt, doubled for each further one, and its limit. */
const FIRST_SECONDS = 30;
const WAIT_SECONDS_MAX = 4 * 3_600;

/**
 * Returns the seconds to wait before the next attempt: doubling, at least the source's retry-after, within the limit.
 */
export function retryWaitSeconds(attempt: number, requestedSeconds = 0): number {
  return Math.min(WAIT_SECONDS_MAX, Math.max(FIRST_SECONDS * 2 ** Math.min(attempt - 1, 20), requestedSeconds));
}

/** Returns the columns of an outcome. Clears the results of an earlier check. */
export function outcomeColumns({ status, source, asOf, service, message }: ScraOutcome): Values<typeof contact> {
  return {
    SCRAStatus: status,
    SCRASource: source ?? null,
    SCRAStatusAsOf: asOf ?? null,
    SCRAActiveDutyStartDate: service?.startDate ?? null,
    SCRAActiveDutyEndDate: service?.endDate ?? null,
    SCRAServiceComponentCode: service?.serviceComponentCode?.slice(0, 10) ?? null,
    SCRAMessage: message?.slice(0, 255) ?? null,
  };
}

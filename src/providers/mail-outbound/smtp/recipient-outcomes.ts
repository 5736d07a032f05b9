import type { NodemailerError } from 'nodemailer';
import type { RecipientOutcome } from '../../../contracts/mail-outbound.ts';
import type { SendingStatus } from '../../../contracts/sending.ts';
import { replyDetail } from '../../../lib/sending/reply-detail.ts';

/** A refused recipient, as the library reports it. */
export type Refusal = Pick<NodemailerError, 'responseCode' | 'response' | 'message'> & {
  readonly recipient?: string | undefined;
};

/** Returns the outcomes of a mail that the server accepted for at least one recipient. */
export function outcomesOfSuccess(addresses: readonly string[], refusals: readonly Refusal[]): RecipientOutcome[] {
  const refused = byRecipient(refusals);
  return addresses.map((address) => {
    const refusal = refused.get(address.toLowerCase());
    return refusal
      ? { address, status: statusOf(refusal.responseCode), detail: detailOf(refusal) }
      : { address, status: 'accepted', detail: null };
  });
}

/** Returns the outcomes of a mail that failed. `isWhole`: all of it was transmitted before the failure. */
export function outcomesOfFailure(addresses: readonly string[], error: unknown, isWhole: boolean): RecipientOutcome[] {
  const failure: Refusal & Partial<Pick<NodemailerError, 'code' | 'command' | 'rejectedErrors'>> =
    error instanceof Error ? error : { message: 'failed' };
  const refused = byRecipient(failure.rejectedErrors ?? []);
  const all = failureStatus(failure, isWhole);
  return addresses.map((address) => {
    const refusal = refused.get(address.toLowerCase());
    return refusal
      ? { address, status: statusOf(refusal.responseCode), detail: detailOf(refusal) }
      : { address, status: all, detail: detailOf(failure) };
  });
}

function failureStatus(
  { responseCode, code, command = '' }: Refusal & Partial<Pick<NodemailerError, 'code' | 'command'>>,
  isWhole: boolean,
): SendingStatus {
  // A reply to the mail itself, or to its sender, concerns the mail; one to the sign-in or greeting concerns the
  // account.
  const isAboutMail = command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA';
  if (responseCode) return isAboutMail ? statusOf(responseCode) : 'later';
  // Larger than the size the server announced.
  if (code === 'EMESSAGE') return 'refused';
  return isWhole ? 'unknown' : 'later';
}

/** Whether a reply is permanent: 5xx is; 421 and the other 4xx are not. */
function statusOf(responseCode: number | undefined): SendingStatus {
  return responseCode !== undefined && responseCode >= 500 ? 'refused' : 'later';
}

function byRecipient(refusals: readonly Refusal[]): ReadonlyMap<string, Refusal> {
  return new Map(
    refusals.flatMap((refusal) =>
      refusal.recipient === undefined ? [] : [[refusal.recipient.toLowerCase(), refusal] as const],
    ),
  );
}

/** Returns the server's reply, or the library's message, on one line and without numbers that may be protected. */
export function detailOf({ response, message }: Pick<Refusal, 'response' | 'message'>): string {
  return replyDetail(typeof response === 'string' && response !== '' ? response : message);
}

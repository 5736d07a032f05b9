import { createHash } from 'node:crypto';
import type { Cipher } from '../../kernel/security/cipher.ts';
import type { Alert } from '../../kernel/door/errors.ts';
import type { QueuedCall } from '../../kernel/ports/queue.ts';

/** What stands in the queue's table: enough to find and route a message; the parameters are sealed. */
export interface Envelope {
  readonly messageId: string;
  readonly route: string;
  readonly personId: number;
  readonly label: string | null;
  readonly scheduleName: string | null;
  /** The first message of the recurring call, null where it does not recur. */
  readonly scheduleId: string | null;
  readonly correlationId: string;
  readonly sealed: string;
}

/** The parts of a call that are sealed in its envelope. */
export type SealedCall = Pick<QueuedCall, 'parameters' | 'cause' | 'parent' | 'agent'>;

/** What a failed attempt leaves: the code in the open, to be searched for, its words sealed since rules write them freely. */
export interface AttemptFailure {
  readonly message: string;
  readonly alerts: readonly Alert[];
}

/** What the sealed parts of a queued call, and the words of its failure, are bound to. */
export const CALL_PURPOSE = 'queue.parameters';
export const FAILURE_PURPOSE = 'queue.failure';

/** Puts a call into its envelope. */
export function sealCall(cipher: Cipher, call: QueuedCall): Envelope {
  const content: SealedCall = {
    parameters: call.parameters,
    cause: call.cause,
    ...(call.parent === undefined ? {} : { parent: call.parent }),
    ...(call.agent ? { agent: call.agent } : {}),
  };
  const recurring = call.scheduleName !== undefined;
  return {
    messageId: call.messageId,
    route: call.route,
    personId: call.personId,
    label: call.label ?? null,
    scheduleName: call.scheduleName ?? null,
    scheduleId: recurring ? (call.scheduleId ?? call.messageId) : null,
    correlationId: call.correlationId,
    sealed: cipher.seal(CALL_PURPOSE, JSON.stringify(content)).toString('base64'),
  };
}

/** Opens an envelope. */
export function openCall(cipher: Cipher, envelope: Envelope): SealedCall {
  return JSON.parse(cipher.open(CALL_PURPOSE, Buffer.from(envelope.sealed, 'base64')).toString()) as SealedCall;
}

/** A failure as it is kept with the job. */
export function sealFailure(cipher: Cipher, failure: AttemptFailure): string {
  return cipher.seal(FAILURE_PURPOSE, JSON.stringify(failure)).toString('base64');
}

/** Opens a failure; one that cannot be opened any more (its key is gone) has no words. */
export function openFailure(cipher: Cipher, sealed: string): AttemptFailure {
  try {
    return JSON.parse(cipher.open(FAILURE_PURPOSE, Buffer.from(sealed, 'base64')).toString()) as AttemptFailure;
  } catch {
    return { message: '', alerts: [] };
  }
}

/**
 * The id of the next run of a recurring call. It is made from this run's id, so that a run that is delivered twice, or by
 * two workers, queues one next run: the second insert finds the id taken.
 */
export function nextMessageId(messageId: string): string {
  const hash = createHash('sha256').update(`casewright next run\n${messageId}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

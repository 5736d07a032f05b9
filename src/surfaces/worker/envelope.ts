import { createHash } from 'node:crypto';
import type { Cipher } from '../../kernel/security/cipher.ts';
import type { Alert } from '../../kernel/door/errors.ts';
import type { QueuedCall } from '../../kernel/ports/queue.ts';

/** A queued call as stored in the queue's table: enough to find and route it in clear, the parameters sealed. */
export interface Envelope {
  readonly messageId: string;
  readonly route: string;
  readonly personId: number;
  readonly label: string | null;
  readonly scheduleName: string | null;
  /** The first message of the recurring call, or null. */
  readonly scheduleId: string | null;
  readonly correlationId: string;
  readonly sealed: string;
}

/** The members of a call that are sealed. */
export type SealedCall = Pick<QueuedCall, 'parameters' | 'cause' | 'parent' | 'agent' | 'unconfirmed'>;

/**
 * The stored result of a failed attempt, sealed because rules can put anything into its text. The code is stored in
 * clear, to search by it.
 */
export interface AttemptFailure {
  readonly message: string;
  readonly alerts: readonly Alert[];
}

/** Purposes that sealed calls and sealed failures are bound to. */
export const CALL_PURPOSE = 'queue.parameters';
export const FAILURE_PURPOSE = 'queue.failure';

/** Seals a call into its envelope. */
export function sealCall(cipher: Cipher, call: QueuedCall): Envelope {
  const content: SealedCall = {
    parameters: call.parameters,
    cause: call.cause,
    ...(call.parent === undefined ? {} : { parent: call.parent }),
    ...(call.agent ? { agent: call.agent } : {}),
    ...(call.unconfirmed ? { unconfirmed: call.unconfirmed } : {}),
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

/** Opens a stored call; without parameters if its key is gone. */
export function openStoredCall(cipher: Cipher, sealed: string): Pick<SealedCall, 'parameters' | 'parent'> {
  try {
    return JSON.parse(cipher.open(CALL_PURPOSE, Buffer.from(sealed, 'base64')).toString()) as SealedCall;
  } catch {
    return { parameters: {} };
  }
}

/** Seals a failure for its job. */
export function sealFailure(cipher: Cipher, failure: AttemptFailure): string {
  return cipher.seal(FAILURE_PURPOSE, JSON.stringify(failure)).toString('base64');
}

/** Opens a sealed failure; empty if its key is gone. */
export function openFailure(cipher: Cipher, sealed: string): AttemptFailure {
  try {
    return JSON.parse(cipher.open(FAILURE_PURPOSE, Buffer.from(sealed, 'base64')).toString()) as AttemptFailure;
  } catch {
    return { message: '', alerts: [] };
  }
}

/**
 * Returns the message id of a recurring call's next run. It is derived from this run's id, so that a run delivered
 * twice, or to two workers, queues one next run: the second insert finds the id taken.
 */
export function nextMessageId(messageId: string): string {
  const hash = createHash('sha256').update(`casewright next run\n${messageId}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

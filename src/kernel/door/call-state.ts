import type { Actor } from '../database/store.ts';
import type { Registry } from '../declare/registry.ts';
import type { Platform } from '../ports/platform.ts';
import { firmOf, type Principal } from '../security/identity.ts';
import type { Call } from './call.ts';
import type { Body } from './context.ts';
import type { Alert } from './errors.ts';

/** What all contexts of one call share. */
export interface CallState {
  readonly platform: Platform;
  /** The registry as it was when the call began. The call keeps it even if custom fields change meanwhile. */
  readonly registry: Registry;
  readonly user: Principal;
  /** Who made the call, when part of it runs as a built-in user. */
  readonly caller?: Principal;
  readonly correlationId: string;
  readonly address: string;
  readonly alerts: Alert[];
  readonly body: Body | undefined;
  /** Message id of a queued call. */
  readonly messageId?: string | undefined;
  /** Longest time that one SQL statement may take, if the surface sets one. */
  readonly statementMilliseconds?: number | undefined;
  /** Whether nobody will receive the answer, now or by its Idempotency-Key. */
  readonly isCanceled?: (() => boolean) | undefined;
}

/** Returns the state of an authorized call. */
export function stateOf(call: Call, authorized: Pick<CallState, 'platform' | 'registry' | 'user'>): CallState {
  const { correlationId, address, body, statementMilliseconds, idempotency } = call;
  const { messageId } = idempotency ?? {};
  const isCanceled = idempotency ? undefined : call.isCanceled;
  return { ...authorized, correlationId, address, alerts: [], body, messageId, statementMilliseconds, isCanceled };
}

/** Returns the database actor of the call's transactions. */
export function actorOf(state: CallState): Actor {
  const { statementMilliseconds } = state;
  return {
    personId: state.user.personId,
    firm: firmOf(state.user),
    callId: state.correlationId,
    ...(statementMilliseconds === undefined ? {} : { statementMilliseconds }),
  };
}

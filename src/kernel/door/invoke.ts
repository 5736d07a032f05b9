import type { Operation } from '../declare/operation.ts';
import { isConfiguration } from '../declare/record.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { CallResult, Surface } from '../ports/metrics.ts';
import type { Platform } from '../ports/platform.ts';
import type { Credential, Principal } from '../security/identity.ts';
import type { Answer } from './answer.ts';
import { authorize } from './authorize.ts';
import type { CallState } from './call-state.ts';
import { toCallerError } from './caller-error.ts';
import type { Body } from './context.ts';
import { PlatformError, type Alert } from './errors.ts';
import { execute } from './execute.ts';
import type { IdempotentRequest, RenderedAnswer } from './idempotency.ts';
import { unknownOperation, type Route } from './route.ts';

/** A call as a surface passes it to the door. */
export interface Call {
  readonly route: Route;
  /** A function if the parameters may be read only after the caller has been authorized. */
  readonly parameters: Parameters | ((operation: Operation, user: Principal) => Promise<Parameters> | Parameters);
  /** What proves who calls; absent where the surface has established `principal` (a queued call, a session). */
  readonly credential?: Credential | undefined;
  readonly principal?: Principal | undefined;
  /** The caller's network address, for limits and the security log. */
  readonly address: string;
  readonly correlationId: string;
  /** The surface that the call came through; `http` by default. */
  readonly surface?: Surface;
  readonly body?: Body | undefined;
  readonly cause?: readonly string[];
  /** Longest time that one SQL statement may take, in milliseconds; the pool's limit by default. */
  readonly statementMilliseconds?: number;
  /** The Idempotency-Key, and how the answer is rendered to be stored under it. */
  readonly idempotency?:
    | (IdempotentRequest & { readonly render: (outcome: CallOutcome) => RenderedAnswer })
    | undefined;
}

/** The result of a call. `replay` replaces the answer if the Idempotency-Key repeated an earlier call. */
export interface CallOutcome<A extends Answer = Answer> {
  readonly operation: Operation;
  readonly answer: A;
  readonly alerts: readonly Alert[];
  readonly queued: boolean;
  readonly replay?: RenderedAnswer;
  /** Returned to the caller instead of the answer: the call committed, and something that followed from it failed. */
  readonly failure?: PlatformError;
}

/**
 * The door: every call of every surface passes through here. Find, authenticate, authorize, begin, parse, reach, rules,
 * run, react, enqueue, commit. Reveals nothing about operations or records before the caller is authorized.
 * @throws PlatformError only; any other exception is logged and becomes INTERNAL
 */
export async function invoke(platform: Platform, call: Call): Promise<CallOutcome> {
  let user: Principal | undefined = call.principal;
  const { module, path } = call.route;
  const began = performance.now();
  let { operation } = call.route;
  const count = (result: CallResult): void => {
    platform.metrics.call(call.surface ?? 'http', operation, result, performance.now() - began);
  };
  try {
    const stale = platform.settings.fresh();
    if (stale) await stale;
    // The route was parsed before configuration was refreshed, which may have added fields to the record type.
    const { registry } = platform;
    operation =
      (operation && registry.operation(operation.route)) ??
      operation ??
      (await platform.savedOperations.find(module, path));
    user ??= await authenticate(platform, call, operation);
    if (!operation) throw unknownOperation(module, path);
    authorize(user, operation);
    const { correlationId, address, body, statementMilliseconds } = call;
    const messageId = call.idempotency?.messageId;
    const state: CallState = {
      platform,
      registry,
      user,
      correlationId,
      address,
      alerts: [],
      body,
      messageId,
      statementMilliseconds,
    };
    const outcome = await execute(state, call, operation);
    // A transaction expires what it notes as changed; an operation may also have written configuration by its own SQL.
    if (operation.effect === 'write' && operation.record && isConfiguration(operation.record))
      platform.configuration.expire();
    if (outcome.failure && !outcome.replay) throw outcome.failure;
    count(resultOf(outcome));
    return outcome;
  } catch (error) {
    const known = await toCallerError(platform, call, user, error);
    count(known.code);
    throw known;
  }
}

function resultOf({ answer, queued, replay }: CallOutcome): CallResult {
  if (replay) return 'REPLAYED';
  if (queued) return 'QUEUED';
  return answer.kind === 'tree' && answer.failed ? 'FAILED' : 'OK';
}

const anonymousPrincipal: Principal = {
  personId: 0,
  name: '',
  organizationId: null,
  roles: [],
  universal: false,
  permissions: new Set(),
};

function authenticate(
  platform: Platform,
  call: Call,
  operation: Operation | undefined,
): Promise<Principal> | Principal {
  if (call.credential) return platform.identity.authenticate(call.credential, call.address);
  // Queued calls need a user: otherwise anybody could fill the queue.
  if (operation?.access === 'anonymous' && !call.route.queued) return anonymousPrincipal;
  throw new PlatformError('NOT_SIGNED_IN');
}

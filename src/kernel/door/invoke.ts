import type { Operation } from '../declare/operation.ts';
import { isConfiguration } from '../declare/record.ts';
import type { Registry } from '../declare/registry.ts';
import type { CallResult } from '../ports/metrics.ts';
import type { Platform } from '../ports/platform.ts';
import type { Principal } from '../security/identity.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import type { Call, CallOutcome } from './call.ts';
import { stateOf } from './call-state.ts';
import { toCallerError } from './caller-error.ts';
import { execute } from './execute.ts';
import { unknownOperation } from './route.ts';

/**
 * The door: every call of every surface passes through here. Find, authenticate, authorize, begin, parse, reach, rules,
 * run, react, enqueue, commit. Reveals nothing about operations or records before the caller is authorized.
 * @throws PlatformError only; any other exception is logged and becomes INTERNAL
 */
export async function invoke(platform: Platform, call: Call): Promise<CallOutcome> {
  const began = performance.now();
  let user: Principal | undefined = call.principal;
  let { operation } = call.route;
  const count = (result: CallResult): void => {
    platform.metrics.call(call.surface ?? 'http', operation, result, performance.now() - began);
  };
  try {
    const refreshing = platform.settings.fresh();
    if (refreshing) await refreshing;
    const { registry } = platform;
    operation = currentOperation(registry, operation) ?? (await savedOperation(platform, call));
    user ??= await authenticate(platform, call, operation);
    call.onAuthenticated?.(user);
    if (!operation) throw unknownOperation(registry, call.route);
    authorize(user, operation);
    const outcome = await execute(stateOf(call, { platform, registry, user }), call, operation);
    expireConfiguration(platform, operation);
    if (outcome.failure && !outcome.replay) throw outcome.failure;
    count(resultOf(outcome));
    return outcome;
  } catch (error) {
    const known = await toCallerError(platform, call, user, error);
    count(known.code);
    throw known;
  }
}

/**
 * Returns the operation as it is now: the route was parsed before configuration was refreshed, which may have added
 * fields to the record type.
 */
function currentOperation(registry: Registry, operation: Operation | undefined): Operation | undefined {
  return operation && (registry.operation(operation.route) ?? operation);
}

function savedOperation({ savedOperations }: Platform, { route }: Call): Promise<Operation | undefined> {
  return savedOperations.find(route.module, route.path);
}

/**
 * A transaction invalidates what it knows to have changed; an operation's own SQL may have written configuration too.
 */
function expireConfiguration({ configuration }: Platform, { effect, record }: Operation): void {
  if (effect === 'write' && record && isConfiguration(record)) configuration.expire();
}

function resultOf({ answer, queued, replay }: CallOutcome): CallResult {
  if (replay) return 'REPLAYED';
  if (queued) return 'QUEUED';
  return answer.kind === 'tree' && answer.failed ? 'FAILED' : 'OK';
}

import type { Answer } from './answer.ts';
import {
  authorize,
  CallContext,
  autocommitScope,
  queueCall,
  readOnlyDb,
  retrying,
  runParsed,
  withTransaction,
  type CallState,
} from './call-context.ts';
import type { Body } from './context.ts';
import { fromDatabaseError, loggableMessage } from '../database/database-error.ts';
import { PlatformError, type Alert } from './errors.ts';
import {
  claimKey,
  isAlreadyAnswered,
  storeAnswer,
  storeAnswerStatement,
  insertAnswerStatement,
  releaseClaim,
  type IdempotentRequest,
  type RenderedAnswer,
} from './idempotency.ts';
import { firmOf, type Credential, type Principal } from '../security/identity.ts';
import type { Operation } from '../declare/operation.ts';
import { maskNumbers } from '../security/mask.ts';
import type { CallResult, Surface } from '../ports/metrics.ts';
import { mergeParameters, type Parameters } from '../parameters/parameters.ts';
import type { Platform } from '../ports/platform.ts';
import { isConfiguration } from '../declare/record.ts';
import { withHolder } from '../records/save/holder.ts';
import { unknownOperation, type Route } from './route.ts';
import type { Transaction } from '../database/store.ts';

/** A call as a surface hands it to the door. */
export interface Call {
  readonly route: Route;
  /** What was sent; a function where reading it must wait until the caller is let in, who and to what is then known. */
  readonly parameters: Parameters | ((operation: Operation, user: Principal) => Promise<Parameters>);
  /** What the caller proved; or `principal`, where a surface has established it (a queued call, a session). */
  readonly credential?: Credential | undefined;
  readonly principal?: Principal | undefined;
  /** The network address of the caller, for limits and the security log. */
  readonly address: string;
  readonly correlationId: string;
  /** Where the call came in; `http` where it is not said. */
  readonly surface?: Surface;
  readonly body?: Body | undefined;
  readonly cause?: readonly string[];
  /** The longest that one statement may take, in milliseconds; the pool's limit where it is not set. */
  readonly statementMilliseconds?: number;
  readonly idempotency?:
    (IdempotentRequest & { readonly render: (outcome: CallOutcome) => RenderedAnswer }) | undefined;
}

/** What came of a call. `replay` stands in for the answer where an Idempotency-Key repeated an earlier one. */
export interface CallOutcome {
  readonly operation: Operation;
  readonly answer: Answer;
  readonly alerts: readonly Alert[];
  readonly queued: boolean;
  readonly replay?: RenderedAnswer;
  /** What the caller is told instead of the answer: the call has committed, and something that followed from it failed. */
  readonly failure?: PlatformError;
}

/**
 * The one door: find, authenticate, authorize, parse, open a transaction, reach, check, run, react, enqueue, commit.
 * Every surface comes through here. Nothing is told about operations or records before authorization.
 * Throws PlatformError only; anything else is written to the error log and told as INTERNAL.
 */
export async function invoke(platform: Platform, call: Call): Promise<CallOutcome> {
  let user: Principal | undefined = call.principal;
  const { module, path } = call.route;
  const began = performance.now();
  let { operation } = call.route;
  const count = (result: CallResult): void =>
    platform.metrics.call(call.surface ?? 'http', operation, result, performance.now() - began);
  try {
    const stale = platform.settings.fresh();
    if (stale) await stale;
    // The route was taken apart before what is configured had been looked at; it may have added fields to the record type.
    const { registry } = platform;
    operation =
      (operation && registry.operation(operation.route)) ??
      operation ??
      (await platform.savedOperations.find(module, path));
    user ??= await signIn(platform, call, operation);
    if (!operation) throw unknownOperation(module, path);
    authorize(user, operation);
    const outcome = await execute(
      {
        platform,
        registry,
        user,
        correlationId: call.correlationId,
        address: call.address,
        alerts: [],
        body: call.body,
        messageId: call.idempotency?.messageId,
        statementMilliseconds: call.statementMilliseconds,
      },
      call,
      operation,
    );
    // What a transaction notes as changed is seen at once already; an operation may write configuration by SQL of its own.
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

const nobody: Principal = {
  personId: 0,
  name: '',
  organizationId: null,
  roles: [],
  universal: false,
  permissions: new Set(),
};

async function signIn(platform: Platform, call: Call, operation: Operation | undefined): Promise<Principal> {
  if (call.credential) return platform.identity.authenticate(call.credential, call.address);
  // A call that is made later is somebody's: nobody could have as many kept as there is room for.
  if (operation?.access === 'anonymous' && !call.route.queued) return nobody;
  throw new PlatformError('NOT_SIGNED_IN');
}

async function execute(state: CallState, call: Call, operation: Operation): Promise<CallOutcome> {
  const outcome = (answer: Answer): CallOutcome => ({
    operation,
    answer,
    alerts: state.alerts,
    queued: call.route.queued,
  });
  const sent = typeof call.parameters === 'function' ? await call.parameters(operation, state.user) : call.parameters;
  const parameters = mergeParameters(
    sent,
    call.route.segments,
    call.route.id === undefined ? {} : { ID: call.route.id },
  );
  const cause = [...(call.cause ?? []), operation.permissionName];
  if (call.route.queued) return executeQueued(state, call, operation, parameters, cause, outcome);
  if (operation.transactions === 'own') return executeOwn(state, call, operation, parameters, cause, outcome);
  if (operation.effect === 'read') return executeRead(state, call, operation, parameters, cause, outcome);
  const remember = call.idempotency && remembering(call.idempotency, parameters);
  const inTransaction = (
    run: (ctx: CallContext, make: () => Promise<CallOutcome>) => Promise<CallOutcome>,
  ): Promise<CallOutcome> =>
    retrying(state, () =>
      withTransaction(state, 'write', (place) => {
        const ctx = new CallContext(state, place, operation, call.route.parent, cause);
        return run(ctx, async () => {
          const made = outcome(await runParsed(ctx, operation, parameters));
          return ctx.failure ? { ...made, failure: ctx.failure } : made;
        });
      }),
    );
  if (!remember) return inTransaction((_ctx, make) => make());
  const claiming = (): Promise<CallOutcome> =>
    inTransaction((ctx, make) => rememberIn(state, remember, ctx.transaction(), operation, make));
  if (remember.messageId === undefined || remember.redelivered) return claiming();
  // Of a message that comes for the first time nobody waits for an answer, so it need not be claimed before the work.
  return inTransaction((ctx, make) => rememberAfter(state, remember, ctx.transaction(), make)).catch(
    (error: unknown) => {
      if (!isAlreadyAnswered(error)) throw error;
      state.alerts.length = 0;
      return claiming();
    },
  );
}

/** Runs, and keeps the answer together with the commit, which fails where another delivery of the message was quicker. */
async function rememberAfter(
  state: CallState,
  remembered: NonNullable<Call['idempotency']>,
  transaction: Transaction,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const { cipher, clock } = state.platform;
  const result = await run();
  // Tried again it is made again, since what failed may have passed.
  if (result.failure) return result;
  const kept = insertAnswerStatement(
    cipher,
    clock,
    state.user.personId,
    remembered,
    remembered.render(result),
    'refuse',
  );
  await transaction.elevated(async () => transaction.later(...kept));
  return result;
}

/** A read keeps no answer, but where it was queued: its caller comes for it later. */
async function executeRead(
  state: CallState,
  call: Call,
  operation: Operation,
  parameters: Parameters,
  cause: readonly string[],
  outcome: (answer: Answer) => CallOutcome,
): Promise<CallOutcome> {
  const result = outcome(
    await runParsed(
      new CallContext(state, autocommitScope(state), operation, call.route.parent, cause),
      operation,
      parameters,
    ),
  );
  if (call.idempotency?.messageId === undefined) return result;
  const { store, cipher, clock } = state.platform;
  const remember = remembering(call.idempotency, parameters);
  await store.query(
    ...insertAnswerStatement(cipher, clock, state.user.personId, remember, remember.render(result), 'replace'),
  );
  return result;
}

/** Runs with an Idempotency-Key inside the call's own transaction: the claim, the work and the kept answer commit together. */
async function rememberIn(
  state: CallState,
  remembered: NonNullable<Call['idempotency']>,
  transaction: Transaction,
  operation: Operation,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const replay = await claimElevated(transaction, state, remembered);
  if (replay) return { operation, answer: { kind: 'nothing' }, alerts: [], queued: false, replay };
  const result = await run();
  if (result.failure && remembered.messageId !== undefined) {
    await transaction.elevated((db) => releaseClaim(db, state.user.personId, remembered));
    return result;
  }
  const rendered = remembered.render(result);
  // Nothing but the commit follows, so the two go together.
  await transaction.elevated(async () =>
    transaction.later(...storeAnswerStatement(state.platform.cipher, state.user.personId, remembered, rendered)),
  );
  return result;
}

/** The request is known by its parameters too: the same key with other ones is refused. */
function remembering(
  remember: NonNullable<Call['idempotency']>,
  parameters: Parameters,
): NonNullable<Call['idempotency']> {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...remember, request: `${remember.request}\n${JSON.stringify(sorted)}` };
}

function claimElevated(
  transaction: Transaction,
  state: CallState,
  remembered: IdempotentRequest,
): Promise<RenderedAnswer | undefined> {
  return transaction.elevated((db) =>
    claimKey(db, state.platform.cipher, state.platform.clock, state.user.personId, remembered),
  );
}

/** Operations that commit item by item keep their claim in a transaction of its own, and give it up where they fail as a whole. */
async function executeOwn(
  state: CallState,
  call: Call,
  operation: Operation,
  parameters: Parameters,
  cause: readonly string[],
  outcome: (answer: Answer) => CallOutcome,
): Promise<CallOutcome> {
  const ctx = new CallContext(state, autocommitScope(state), operation, call.route.parent, cause);
  const { store, cipher, clock } = state.platform;
  const remember = call.idempotency && remembering(call.idempotency, parameters);
  if (!remember) return outcome(await runParsed(ctx, operation, parameters));
  const replay = await claimKey(store, cipher, clock, state.user.personId, remember);
  if (replay) return { ...outcome({ kind: 'nothing' }), replay };
  try {
    const result = outcome(await runParsed(ctx, operation, parameters));
    await storeAnswer(store, cipher, state.user.personId, remember, remember.render(result));
    return result;
  } catch (error) {
    await releaseClaim(store, state.user.personId, remember);
    throw error;
  }
}

/** The `/queue/` form: the parameters are checked now, the call is made later as the same user. */
async function executeQueued(
  state: CallState,
  call: Call,
  operation: Operation,
  parameters: Parameters,
  cause: readonly string[],
  outcome: (answer: Answer) => CallOutcome,
): Promise<CallOutcome> {
  const { idempotency: remember } = call;
  return retrying(state, () =>
    withTransaction(state, 'write', async (place) => {
      const ctx = new CallContext(state, place, operation, call.route.parent, cause);
      const put = async (): Promise<CallOutcome> => outcome(await queueCall(ctx, operation, parameters));
      return remember ? rememberIn(state, remembering(remember, parameters), ctx.transaction(), operation, put) : put();
    }),
  );
}

/** What the caller is told: a PlatformError as it is, a foreseen database error as one; the rest is logged and told as INTERNAL. */
async function toCallerError(
  platform: Platform,
  call: Call,
  user: Principal | undefined,
  error: unknown,
): Promise<PlatformError> {
  const operation = maskNumbers(`${call.route.module}/${call.route.path}`);
  const known =
    error instanceof PlatformError
      ? error
      : fromDatabaseError(error, (table, column) => platform.registry.record(table)?.columns.get(column)?.name);
  if (known) {
    if (known.code === 'NO_PERMISSION')
      await platform.journal
        .security(
          {
            event: 'Refused',
            personId: user?.personId ?? null,
            object: operation.slice(0, 60),
            address: call.address,
            detail: known.code,
          },
          call.correlationId,
        )
        .catch((failure: unknown) =>
          platform.log.error('security log unavailable', { error: loggableMessage(failure) }),
        );
    return (
      user
        ? await withHolder({ registry: platform.registry, user, db: readOnlyDb(platform.store, firmOf(user)) }, known)
        : known
    ).masked();
  }
  const entry = {
    correlationId: call.correlationId,
    operation,
    message: loggableMessage(error),
    cause: (call.cause ?? []).join(' > '),
    stack: stackOf(error),
    personId: user?.personId ?? null,
  };
  platform.log.error('call failed', { correlationId: entry.correlationId, operation, error: entry.message });
  await platform.journal
    .error(entry)
    .catch((failure: unknown) => platform.log.error('error log unavailable', { error: loggableMessage(failure) }));
  return new PlatformError('INTERNAL', { cause: error });
}

/** The stack without the message, which may be of several lines. */
function stackOf(error: unknown): string {
  return error instanceof Error
    ? (error.stack ?? '')
        .split('\n')
        .filter((line) => /^ {4}at /.test(line))
        .join('\n')
        .slice(0, 8_000)
    : '';
}

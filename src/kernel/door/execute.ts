import type { Operation } from '../declare/operation.ts';
import { withPathId } from '../parameters/identification.ts';
import { UnknownOutcome } from '../database/database-error.ts';
import { mergeParameters, type Parameters } from '../parameters/parameters.ts';
import type { Answer } from './answer.ts';
import { assertNoCardNumbers } from './card-numbers.ts';
import { CallContext } from './call-context.ts';
import type { CallState } from './call-state.ts';
import {
  claimKey,
  insertAnswerStatement,
  isAlreadyAnswered,
  releaseClaim,
  requestKeyOf,
  repeatedAnswer,
  storeAnswerStatement,
  type AnswerOwner,
  type RenderedAnswer,
} from './idempotency.ts';
import type { Call, CallOutcome } from './call.ts';
import { combinationKey } from './combination-key.ts';
import { queueOperation } from './queue-operation.ts';
import { retryTransaction } from './retry.ts';
import { runOperation } from './run-operation.ts';
import { assertNoSecretAnswer } from './secret-answers.ts';
import { autocommitScope, withTransaction, type UnitOfWork } from './unit-of-work.ts';

type Idempotency = NonNullable<Call['idempotency']>;

/** An authorized call with all that is needed to run it. */
interface Execution {
  readonly state: CallState;
  readonly call: Call;
  readonly operation: Operation;
  readonly parameters: Parameters;
  readonly cause: readonly string[];
  /** The Idempotency-Key, with the parameters as part of the request that it names. */
  readonly idempotency: Idempotency | undefined;
}

/**
 * Runs an authorized call in one of four ways: put it into the queue, let the operation open its own transactions, read
 * without a transaction, or run it in one transaction.
 */
export async function execute(state: CallState, call: Call, operation: Operation): Promise<CallOutcome> {
  const sent = typeof call.parameters === 'function' ? await call.parameters(operation, state.user) : call.parameters;
  const { segments, id, queued } = call.route;
  const parameters = withPathId(mergeParameters(sent, segments), id);
  // A worker runs what was checked when it was queued, and what the platform composed.
  if ((operation.effect === 'write' || queued) && call.surface !== 'queue')
    assertNoCardNumbers(state.platform, operation, parameters);
  const cause = [...(call.cause ?? []), operation.permissionName];
  const idempotency = call.idempotency && withParameters(call.idempotency, parameters);
  // A queued call stores its answer, and may have been queued before the operation was marked.
  if (idempotency?.messageId !== undefined || state.user.agent === true) assertNoSecretAnswer(operation, parameters);
  const execution: Execution = { state, call, operation, parameters, cause, idempotency };
  if (queued) return await executeQueued(execution);
  if (operation.transactions === 'own') return await executeWithOwnTransactions(execution);
  if (operation.effect === 'read') return await executeRead(execution);
  return await executeInTransaction(execution);
}

/** The `/queue/` form: checks the parameters now, and queues the call to run later as the same user. */
function executeQueued(execution: Execution): Promise<CallOutcome> {
  const { idempotency, operation, parameters } = execution;
  return inTransaction(execution, (ctx) => {
    const put = async (): Promise<CallOutcome> =>
      outcomeOf(execution, await queueOperation(ctx, operation, parameters));
    return idempotency ? claimAndRun(execution, idempotency, ctx, put) : put();
  });
}

/** The operation commits item by item: the claim is committed before it runs, and released if it fails as a whole. */
async function executeWithOwnTransactions(execution: Execution): Promise<CallOutcome> {
  const { state, idempotency, operation, parameters } = execution;
  const ctx = contextOf(execution, autocommitScope(state));
  if (!idempotency) return outcomeOf(execution, await runOperation(ctx, operation, parameters));
  const { store } = state.platform;
  const owner = ownerOf(state);
  const stored = await claimKey(store, owner, idempotency);
  if (stored) return replayOf(execution, await repeatedAnswer(idempotency, stored));
  try {
    const outcome = outcomeOf(execution, await runOperation(ctx, operation, parameters));
    await store.query(...(await storeAnswerStatement(owner, idempotency, idempotency.render(outcome))));
    return outcome;
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) await releaseClaim(store, owner, idempotency);
    throw error;
  }
}

/** Stores no answer, except for a queued read, whose caller fetches it later. */
async function executeRead(execution: Execution): Promise<CallOutcome> {
  const { state, idempotency, operation, parameters } = execution;
  const ctx = contextOf(execution, autocommitScope(state));
  const outcome = outcomeOf(execution, await runOperation(ctx, operation, parameters));
  if (idempotency?.messageId === undefined) return outcome;
  await state.platform.store.query(
    ...insertAnswerStatement(ownerOf(state), idempotency, idempotency.render(outcome), 'replace'),
  );
  return outcome;
}

async function executeInTransaction(execution: Execution): Promise<CallOutcome> {
  const { state, idempotency, operation, parameters } = execution;
  const run = async (ctx: CallContext): Promise<CallOutcome> => {
    const outcome = outcomeOf(execution, await runOperation(ctx, operation, parameters));
    const failure = ctx.failureAfterCommit;
    return failure ? { ...outcome, failure } : outcome;
  };
  if (!idempotency) return inTransaction(execution, run);
  const claimFirst = (): Promise<CallOutcome> =>
    inTransaction(execution, (ctx) => claimAndRun(execution, idempotency, ctx, () => run(ctx)));
  if (idempotency.messageId === undefined || idempotency.redelivered) return claimFirst();
  // Nobody waits for the answer of a message that is delivered for the first time: no claim is needed before the work.
  try {
    return await inTransaction(execution, (ctx) => runAndInsertAnswer(execution, idempotency, ctx, () => run(ctx)));
  } catch (error) {
    if (!isAlreadyAnswered(error)) throw error;
    state.alerts.length = 0;
    return claimFirst();
  }
}

/** Runs with an Idempotency-Key in the call's transaction: claim, work and stored answer commit together. */
async function claimAndRun(
  execution: Execution,
  idempotency: Idempotency,
  ctx: CallContext,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const owner = ownerOf(execution.state);
  const transaction = ctx.transaction();
  const stored = await transaction.elevated((db) => claimKey(db, owner, idempotency));
  if (stored) return replayOf(execution, await repeatedAnswer(idempotency, stored));
  const outcome = await run();
  if (outcome.failure && idempotency.messageId !== undefined) {
    await transaction.elevated((db) => releaseClaim(db, owner, idempotency));
    return outcome;
  }
  const statement = await storeAnswerStatement(owner, idempotency, idempotency.render(outcome));
  // Nothing but the commit follows, so the statement is sent together with it.
  await transaction.elevated(async () => {
    transaction.later(...statement);
  });
  return outcome;
}

/** Runs, and inserts the answer with the commit, which fails if another delivery of the message was quicker. */
async function runAndInsertAnswer(
  execution: Execution,
  idempotency: Idempotency,
  ctx: CallContext,
  run: () => Promise<CallOutcome>,
): Promise<CallOutcome> {
  const outcome = await run();
  // A retry must run it again, since the cause of the failure may have passed.
  if (outcome.failure) return outcome;
  const transaction = ctx.transaction();
  const answer = idempotency.render(outcome);
  const statement = insertAnswerStatement(ownerOf(execution.state), idempotency, answer, 'refuse');
  await transaction.elevated(async () => {
    transaction.later(...statement);
  });
  return outcome;
}

function inTransaction(execution: Execution, run: (ctx: CallContext) => Promise<CallOutcome>): Promise<CallOutcome> {
  const { state, operation, parameters, idempotency } = execution;
  const key = idempotency?.messageId === undefined ? combinationKey(state, operation, parameters) : undefined;
  return retryTransaction(state, (attempt) =>
    withTransaction(state, (unit) => run(contextOf(execution, unit)), attempt === 1 ? key : undefined),
  );
}

function contextOf({ state, call, operation, cause, idempotency }: Execution, unit: UnitOfWork): CallContext {
  const requestKey = idempotency && requestKeyOf(ownerOf(state), idempotency);
  return new CallContext(state, unit, { operation, parent: call.route.parent, cause, requestKey });
}

function outcomeOf({ operation, state, call }: Execution, answer: Answer): CallOutcome {
  return { operation, answer, alerts: state.alerts, queued: call.route.queued };
}

function replayOf({ operation }: Execution, replay: RenderedAnswer): CallOutcome {
  return { operation, answer: { kind: 'nothing' }, alerts: [], queued: false, replay };
}

function ownerOf({ platform, user }: CallState): AnswerOwner {
  return { cipher: platform.cipher, clock: platform.clock, personId: user.personId };
}

/** The parameters are part of the request: the same key with different ones is refused. */
function withParameters(idempotency: Idempotency, parameters: Parameters): Idempotency {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...idempotency, request: `${idempotency.request}\n${JSON.stringify(sorted)}` };
}

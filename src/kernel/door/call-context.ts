import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { item, type Answer, type ListAnswer, type TreeAnswer } from './answer.ts';
import { enforceBusinessRules } from '../ports/business-rules.ts';
import { type Configuration, OwnConfiguration } from '../database/configuration.ts';
import type { Body, Context, WriteCounts } from './context.ts';
import { callDepthMax, timeZone } from '../declare/core-settings.ts';
import { isRetryable } from '../database/database-error.ts';
import { PlatformError, type Alert } from './errors.ts';
import { f } from '../declare/field.ts';
import { firmOf, type Principal, type SecurityEvent } from '../security/identity.ts';
import type { Operation, Run } from '../declare/operation.ts';
import { maskNumbers } from '../security/mask.ts';
import { parametersFromCode, type Parameters } from '../parameters/parameters.ts';
import { parseParameters, type ParsedCall } from '../parameters/parse-parameters.ts';
import type { Platform } from '../ports/platform.ts';
import type { QueuedCall, QueueRequest } from '../ports/queue.ts';
import { queueParameters } from '../parameters/queue-parameters.ts';
import type { RecordType } from '../declare/record.ts';
import { belowParent, parentParameters, savedId } from '../records/save/parent.ts';
import { assertQueueable } from '../records/save/sent.ts';
import { requireSubscription } from '../records/save/subscription.ts';
import { changeOperations, type Registry } from '../declare/registry.ts';
import { parseRoute, unknownOperation } from './route.ts';
import type { Actor, Db, Store, Transaction } from '../database/store.ts';
import { builtinPersonId, type BuiltinUser } from '../security/system-user.ts';

/** What all contexts of one call share. */
export interface CallState {
  readonly platform: Platform;
  /** What existed when the call began: it goes on with that where the installation's fields change meanwhile. */
  readonly registry: Registry;
  readonly user: Principal;
  /** Who made the call, where a part of it runs as a built-in user. */
  readonly caller?: Principal;
  readonly correlationId: string;
  readonly address: string;
  readonly alerts: Alert[];
  readonly body: Body | undefined;
  /** The queued message that the call is of. */
  readonly messageId?: string | undefined;
  /** The longest that one statement may take, where the surface sets it. */
  readonly statementMilliseconds?: number | undefined;
}

/** Where a context's SQL runs: an open transaction with the jobs that will commit with it, or the pool. */
interface UnitOfWork {
  readonly db: Db;
  readonly transaction: Transaction | undefined;
  readonly jobs: QueuedCall[];
  readonly reached: Set<string>;
  readonly writeCounts: WriteCounts;
  readonly undoHooks: (() => Promise<void>)[];
  /** Configuration as the transaction sees it, once it has changed some. */
  readonly configuration: { own: OwnConfiguration | undefined };
  /** What is done just before the transaction commits. */
  readonly beforeCommitHooks: (() => Promise<void>)[];
  /** What the caller is told once it has committed. */
  readonly failuresAfterCommit: PlatformError[];
}

type Parent = Context['parent'];

/** How many remarks an answer has at most: a call may save a great many records. */
const ALERTS_MAX = 1_000;

/** The actor that a call's transactions run as. */
function actorOf(state: CallState): Actor {
  const { statementMilliseconds } = state;
  return {
    personId: state.user.personId,
    firm: firmOf(state.user),
    callId: state.correlationId,
    ...(statementMilliseconds === undefined ? {} : { statementMilliseconds }),
  };
}

/** A context for one operation of a call. */
export class CallContext implements Context {
  readonly operation: Operation;
  readonly parent: Parent;
  readonly cause: readonly string[];
  readonly authority: Context['authority'];
  rawParameters: Parameters = {};
  private readonly state: CallState;
  private readonly place: UnitOfWork;

  constructor(
    state: CallState,
    place: UnitOfWork,
    operation: Operation,
    parent: Parent,
    cause: readonly string[],
    authority: Context['authority'] = 'checked',
  ) {
    this.state = state;
    this.place = place;
    this.operation = operation;
    this.parent = parent;
    this.cause = cause;
    this.authority = authority;
  }

  get user(): Principal {
    return this.state.user;
  }
  get caller(): Principal {
    return this.state.caller ?? this.state.user;
  }
  get db(): Db {
    return this.place.db;
  }
  get clock() {
    return this.state.platform.clock;
  }
  get settings() {
    return this.state.platform.settings;
  }
  get registry() {
    return this.state.registry;
  }
  get configuration(): Configuration {
    const { own } = this.place.configuration;
    // Under row security not all configuration is seen, and none is changed.
    return own === undefined || !this.user.universal ? this.state.platform.configuration : own;
  }
  get cipher() {
    return this.state.platform.cipher;
  }
  get log() {
    return this.state.platform.log;
  }
  get providers() {
    return this.state.platform.providers;
  }
  get queue() {
    return this.state.platform.queue;
  }
  get documents() {
    return this.state.platform.documents;
  }
  get fileWatch() {
    return this.state.platform.fileWatch;
  }
  get sandbox() {
    return this.state.platform.sandbox;
  }
  get businessRules() {
    return this.state.platform.businessRules;
  }
  get recordEvents() {
    return this.state.platform.recordEvents;
  }
  get reached(): Set<string> {
    return this.place.reached;
  }
  get writeCounts(): WriteCounts {
    return this.place.writeCounts;
  }
  get correlationId(): string {
    return this.state.correlationId;
  }
  get address(): string {
    return this.state.address;
  }
  get messageId(): string | undefined {
    return this.state.messageId;
  }
  get body(): Body | undefined {
    return this.state.body;
  }

  get record(): RecordType {
    if (!this.operation.record) throw new Error(`${this.operation.route} works on no record type`);
    return this.operation.record;
  }

  readonly call: Context['call'] = (name, params) =>
    this.callRoute(name, parametersFromCode(params as Record<string, unknown>), 'granted') as never;

  callNamed(route: string, params: Parameters): Promise<Answer> {
    return this.callRoute(route, params, 'checked');
  }

  private async callRoute(name: string, parameters: Parameters, authority: 'granted' | 'checked'): Promise<Answer> {
    const { operation, context, sent, queued } = await this.callee(name, parameters, authority);
    if (operation.effect === 'write' && !this.place.transaction && operation.transactions !== 'own') {
      return this.inTransaction((ctx) => (ctx as CallContext).callRoute(name, parameters, authority));
    }
    return queued ? queueCall(context, operation, sent) : runParsed(context, operation, sent);
  }

  /** What a route names, let in or refused, with the context in which it runs. */
  private async callee(
    name: string,
    parameters: Parameters,
    authority: 'granted' | 'checked',
  ): Promise<{
    readonly operation: Operation;
    readonly context: CallContext;
    readonly sent: Parameters;
    readonly queued: boolean;
  }> {
    const { savedOperations: saved, settings } = this.state.platform;
    const { registry } = this.state;
    const route = parseRoute(registry, name.split('/'), 'POST');
    const operation = route.operation ?? (await saved.find(route.module, route.path));
    if (!operation) throw unknownOperation(route.module, route.path);
    if (authority === 'checked') authorize(this.user, operation);
    const sent = { ...parameters, ...route.segments, ...(route.id === undefined ? {} : { ID: route.id }) };
    const cause = [...this.cause, operation.permissionName];
    if (cause.length > settings.get(callDepthMax))
      throw new PlatformError('CHAIN_TOO_DEEP', {
        message: `Operations called one another more than ${settings.get(callDepthMax)} deep.`,
        details: { cause: cause.slice(-5) },
      });
    return {
      operation,
      context: new CallContext(this.state, this.place, operation, route.parent, cause, authority),
      sent,
      queued: route.queued,
    };
  }

  async readNamed(
    route: string,
    parameters: Parameters,
    take: (piece: ListAnswer | TreeAnswer) => Promise<void>,
  ): Promise<void> {
    const { operation, context, sent, queued } = await this.callee(route, parameters, 'checked');
    const { returns, effect, readWhole } = operation;
    if (queued || effect !== 'read' || (returns !== 'list' && returns !== 'tree'))
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Operation',
        message: `Operation: ${operation.permissionName} answers no rows; expected an operation that reads and answers a list or a tree, such as Search, ListByObject or a saved statement.`,
      });
    const paged = Object.keys(operation.params).find((name) => name === 'DisplaySize');
    if (paged === undefined) {
      const answer = await runParsed(context, operation, sent);
      return answer.kind === 'list' || answer.kind === 'tree' ? take(answer as ListAnswer | TreeAnswer) : undefined;
    }
    if (!readWhole)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Operation',
        message: `Operation: ${operation.permissionName} answers a page at a time and cannot be read whole; expected one such as Search, ListByObject or a saved statement.`,
      });
    const page = Object.keys(sent).find((name) => /^(?:recordstart|displaysize)$/i.test(name));
    if (page !== undefined)
      throw new PlatformError('BAD_PARAMETER', {
        field: page,
        message: `${page}: all rows are read; choose them by filters.`,
      });
    await runParsed(context, operation, sent, async (ctx, params, rest) => {
      await readWhole(ctx, params, rest, take);
      return { kind: 'nothing' };
    });
  }

  async findOperation(module: string, path: string): Promise<Operation | undefined> {
    return (
      this.registry.find(module, path)?.operation ?? (await this.state.platform.savedOperations.find(module, path))
    );
  }

  principalOf(personId: number): Promise<Principal> {
    return this.state.platform.identity.ofPerson(personId);
  }

  alert(alert: Alert): void {
    const { alerts } = this.state;
    if (alerts.length < ALERTS_MAX) alerts.push({ ...alert, text: maskNumbers(alert.text) });
    else if (alerts.length === ALERTS_MAX)
      alerts.push({
        code: 'MORE_ALERTS',
        text: `There were more than ${ALERTS_MAX} remarks; the others are not told.`,
      });
  }

  takeAlerts(code: string): readonly Alert[] {
    const { alerts } = this.state;
    const taken = alerts.filter((alert) => alert.code === code);
    if (taken.length > 0) alerts.splice(0, alerts.length, ...alerts.filter((alert) => alert.code !== code));
    return taken;
  }

  async enqueue({ continuation: goesOn, ...request }: QueueRequest): Promise<string> {
    const messageId = randomUUID();
    // The platform's own work is nobody's: an agent's change brings it about like any other.
    const agent = this.user.agent === true && request.personId === undefined;
    const call: QueuedCall = {
      ...request,
      queueName: this.state.platform.queue.queueOf(request.queueName),
      messageId,
      personId: request.personId ?? this.user.personId,
      correlationId: this.correlationId,
      cause: goesOn ? this.cause.slice(0, -1) : this.cause,
      ...(agent ? { agent } : {}),
    };
    if (this.place.transaction) this.place.jobs.push(call);
    else await this.state.platform.queue.send(this.state.platform.store, [call]);
    return messageId;
  }

  onUndo(undo: () => Promise<void>): void {
    this.place.undoHooks.push(undo);
  }

  async savepoint<T>(run: () => Promise<T>): Promise<T> {
    const { jobs, undoHooks: undos, beforeCommitHooks: endings, failuresAfterCommit: failures, reached } = this.place;
    const { alerts } = this.state;
    const before = {
      jobs: jobs.length,
      undos: undos.length,
      endings: endings.length,
      failures: failures.length,
      reached: reached.size,
      alerts: alerts.length,
    };
    try {
      return await this.transaction().savepoint(run);
    } catch (error) {
      jobs.length = before.jobs;
      endings.length = before.endings;
      failures.length = before.failures;
      alerts.length = before.alerts;
      this.place.configuration.own?.expire();
      // A set keeps the order in which it was filled.
      for (const name of [...reached].slice(before.reached)) reached.delete(name);
      for (const undo of undos.splice(before.undos))
        await undo().catch(() =>
          this.state.platform.log.warn('undoing outside of the database failed', { correlationId: this.correlationId }),
        );
      throw error;
    }
  }

  configurationChanged(): void {
    const { configuration, transaction } = this.place;
    if (configuration.own) configuration.own.expire();
    else if (transaction)
      configuration.own = new OwnConfiguration(this.state.platform.configuration, transaction, this.clock);
  }

  beforeCommit(run: () => Promise<void>): void {
    this.place.beforeCommitHooks.push(run);
  }

  async actingAs<T>(name: BuiltinUser, run: (ctx: Context) => Promise<T>): Promise<T> {
    const personId = await builtinPersonId(this.configuration, name);
    if (personId === undefined)
      throw new PlatformError('STATE_REFUSES', {
        message: `The built-in user ${name} is missing; an administrator must make a person of this name with the role Administrator.`,
      });
    if (personId === this.user.personId) return run(this);
    const user = await this.principalOf(personId);
    const state = { ...this.state, user, caller: this.caller };
    const { transaction } = this.place;
    if (!transaction)
      return run(new CallContext(state, autocommitScope(state), this.operation, undefined, this.cause, 'checked'));
    // What was in reach of the caller, or out of it, says nothing of the other.
    const place: UnitOfWork = { ...this.place, db: transaction, reached: new Set() };
    return transaction.actingAs(personId, () =>
      run(new CallContext(state, place, this.operation, undefined, this.cause, 'checked')),
    );
  }

  failAfterCommit(error: PlatformError): void {
    this.place.failuresAfterCommit.push(error);
  }

  /** The first failure that the caller will be told of once the transaction has committed. */
  get failure(): PlatformError | undefined {
    return this.place.failuresAfterCommit[0];
  }

  security(event: SecurityEvent): Promise<void> {
    return this.state.platform.journal.security({ personId: this.user.personId, ...event }, this.correlationId);
  }

  transaction(): Transaction {
    if (!this.place.transaction)
      throw new Error(`${this.operation.route} runs without a transaction; declare its effect as write`);
    return this.place.transaction;
  }

  report<T>(run: (db: Db) => Promise<T>): Promise<T> {
    return this.state.platform.store.transaction({ ...actorOf(this.state), report: true }, run, 'read');
  }

  inTransaction<T>(run: (ctx: Context) => Promise<T>): Promise<T> {
    return retrying(this.state, () =>
      withTransaction(this.state, 'write', async (place) => {
        const context = new CallContext(this.state, place, this.operation, this.parent, this.cause, this.authority);
        context.rawParameters = this.rawParameters;
        const result = await run(context);
        for (const { code, message } of place.failuresAfterCommit) context.alert({ code, text: message });
        return result;
      }),
    );
  }
}

/** Refuses a user without the operation's permission, and a firm's user what the database keeps closed to firms. */
export function authorize(user: Principal, operation: Operation): void {
  if (operation.access !== 'permission') return;
  if (!user.permissions.has(operation.permissionName))
    throw new PlatformError('NO_PERMISSION', {
      message: `The permission ${operation.permissionName} is not granted to you.`,
    });
  const { record } = operation;
  if (user.universal || !record || operation.origin === 'statement') return;
  const closed =
    record.reach === 'none' ||
    (record.reach === 'configuration' && changeOperations.has(operation.name.toLowerCase())) ||
    operation.on === 'configuration';
  if (closed)
    throw new PlatformError('NO_PERMISSION', {
      message: `${record.name} records are for users with universal access.`,
    });
}

/** Opens a transaction as the call's user; the jobs that were queued in it are put into the queue just before it commits. */
export async function withTransaction<T>(
  state: CallState,
  mode: 'read' | 'write',
  run: (place: UnitOfWork) => Promise<T>,
): Promise<T> {
  const { store, queue, log } = state.platform;
  const undos: (() => Promise<void>)[] = [];
  const configuration: UnitOfWork['configuration'] = { own: undefined };
  const running = store.transaction(
    actorOf(state),
    async (transaction) => {
      const place: UnitOfWork = {
        db: transaction,
        transaction: mode === 'write' ? transaction : undefined,
        jobs: [],
        reached: new Set(),
        writeCounts: { inserted: 0, updated: 0 },
        undoHooks: undos,
        configuration,
        beforeCommitHooks: [],
        failuresAfterCommit: [],
      };
      const result = await run(place);
      for (const end of place.beforeCommitHooks) await end();
      // Under the reached role the queue's tables are closed.
      if (place.jobs.length > 0) await transaction.elevated((db) => queue.send(db, place.jobs));
      return result;
    },
    mode,
  );
  try {
    const result = await running;
    // Other processes see a change of configuration within half a second; this one sees its own at once.
    if (configuration.own) state.platform.configuration.expire();
    return result;
  } catch (error) {
    for (const undo of undos)
      await undo().catch(() =>
        log.warn('undoing outside of the database failed', { correlationId: state.correlationId }),
      );
    throw error;
  }
}

/** How often a call is tried when the database asks to run it again. */
const ATTEMPTS_MAX = 4;

/**
 * Serialization failures and deadlocks undo the transaction whole, so it can be run again; not where it reads a body, which
 * comes only once.
 */
export async function retrying<T>(state: CallState, run: () => Promise<T>): Promise<T> {
  const alerts = state.alerts.length;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || state.body || !isRetryable(error)) throw error;
      state.alerts.length = alerts;
      state.platform.metrics.retried();
      state.platform.log.info('transaction run again', { correlationId: state.correlationId, attempt });
      // Run again at once, it often meets the same transaction at the same place: the other has only just been woken.
      await delay(randomInt(10, 30) * 2 ** attempt);
    }
  }
}

const queuedFields = {
  QueueMessageID: f.text({ doc: 'The queued message, by which its state can be looked up.', max: 36 }),
};

/** Queues a call: its parameters are checked now, it is made later as the same user. Answers the message's id. */
export async function queueCall(ctx: CallContext, operation: Operation, parameters: Parameters): Promise<Answer> {
  if (operation.body === 'raw')
    throw new PlatformError('BAD_PARAMETER', {
      message:
        'An operation that takes a file as its body is not queued by the caller; its template says whether it runs later.',
    });
  const options = { timeZone: ctx.settings.get(timeZone) };
  const reserved = queueParameters(operation, parameters, options.timeZone, ctx.clock);
  const { parent } = ctx;
  const own = parent ? await parentParameters(ctx, operation, reserved.rest) : reserved.rest;
  await assertQueueable(ctx, operation, parseParameters(operation, own, options), own);
  const id = await ctx.enqueue({
    route: operation.route,
    parameters: reserved.rest,
    ...reserved.options,
    ...(parent ? { parent: { record: parent.record.name, id: parent.id } } : {}),
  });
  return item('QueueMessage', queuedFields, { QueueMessageID: id });
}

/** The place of a call without a transaction of its own: the pool for staff; for a firm's users each statement reads as that firm. */
export function autocommitScope(state: CallState): UnitOfWork {
  return {
    db: autocommitDb(state),
    transaction: undefined,
    jobs: [],
    reached: new Set(),
    writeCounts: { inserted: 0, updated: 0 },
    undoHooks: [],
    configuration: { own: undefined },
    beforeCommitHooks: [],
    failuresAfterCommit: [],
  };
}

function autocommitDb(state: CallState): Db {
  const { store } = state.platform;
  const actor = actorOf(state);
  const { firm } = actor;
  // A time limit of the call's own is set in a transaction.
  if (actor.statementMilliseconds !== undefined)
    return {
      query: (text, params) => store.transaction(actor, (t) => t.query(text, params), firm === null ? 'write' : 'read'),
    };
  return readOnlyDb(store, firm);
}

/** Reads without a transaction: the pool for staff; for a firm's users each statement as that firm. */
export function readOnlyDb(store: Store, firm: number | null): Db {
  return firm === null ? store : { query: (text, params) => store.readAs(firm, text, params) };
}

/** Parses an operation's parameters in its context and runs it. */
export async function runParsed(
  ctx: CallContext,
  operation: Operation,
  parameters: Parameters,
  run: Run = operation.run,
): Promise<Answer> {
  ctx.rawParameters = parameters;
  const parsed = parseParameters(
    operation,
    ctx.parent ? await parentParameters(ctx, operation, parameters) : parameters,
    { timeZone: ctx.settings.get(timeZone) },
  );
  return runResolved(ctx, operation, parsed, run);
}

/** Runs an operation whose parameters are parsed: outside identifiers are looked up first, and ids checked against the route's parent. */
async function runResolved(ctx: CallContext, operation: Operation, parsed: ParsedCall, run: Run): Promise<Answer> {
  const { params } = parsed;
  for (const { param, record, subscriberId, list } of parsed.externalIds) {
    // An id that is sent too names the record: a route's id is never overruled by what stands in the query.
    if ((params[param] ?? null) !== null) continue;
    const id = await requireSubscription(
      ctx,
      ctx.registry.requireRecord(record, param),
      subscriberId,
      `${param === 'ID' ? '' : param.slice(0, -2)}SubscriberID`,
    );
    params[param] = list ? [id] : id;
  }
  if (ctx.parent && operation.record && operation.free !== 'filters')
    await belowParent(
      ctx,
      operation.record,
      params['ID'] ?? (operation.free === 'fields' ? await savedId(ctx, operation.record, parsed.rest) : undefined),
    );
  await enforceBusinessRules(ctx, operation, params);
  return run(ctx, params, parsed.rest);
}

import { randomUUID } from 'node:crypto';
import type { Configuration } from '../database/configuration.ts';
import type { Db, Transaction } from '../database/store.ts';
import { callDepthMax } from '../declare/core-settings.ts';
import type { Operation } from '../declare/operation.ts';
import type { RecordType } from '../declare/record.ts';
import type { Registry } from '../declare/registry.ts';
import { withPathId } from '../parameters/identification.ts';
import { parametersFromCode, type Parameters } from '../parameters/parameters.ts';
import type { Platform } from '../ports/platform.ts';
import type { QueuedCall, QueueRequest } from '../ports/queue.ts';
import type { BuiltinUser, EventLimit, Principal, Rights, SecurityEvent } from '../security/identity.ts';
import { isConfirmed } from '../security/confirmation.ts';
import { maskNumbers } from '../security/mask.ts';
import type { Answer, ListAnswer, TreeAnswer } from './answer.ts';
import { authorize } from './authorize.ts';
import { actorOf, type CallState } from './call-state.ts';
import type { Body, Context, Reach, WriteCounts } from './context.ts';
import { PlatformError, type Alert } from './errors.ts';
import { ownReports } from './own-reports.ts';
import { checkParameters, queueOperation } from './queue-operation.ts';
import { ReachCache } from './reach-cache.ts';
import { retryTransaction } from './retry.ts';
import { assertReadWhole, isPaged } from './read-whole.ts';
import { parseRoute, unknownOperation } from './route.ts';
import { runOperation } from './run-operation.ts';
import { assertNoSecretAnswer } from './secret-answers.ts';
import type { Marks, ScratchToken } from './scratch.ts';
import {
  autocommitScope,
  noteConfigurationChange,
  withSavepoint,
  withTransaction,
  type UnitOfWork,
} from './unit-of-work.ts';

/** Most warnings of one answer: a call may save a great many records. */
const ALERTS_MAX = 1_000;

const noRows: Context['named'] = new Map();

/** What a context runs, and who called it. */
export interface ContextTarget {
  readonly operation: Operation;
  readonly parent?: Context['parent'];
  /** Names of the calling operations, outermost first, this one included. */
  readonly cause: readonly string[];
  readonly authority?: Context['authority'];
  readonly requestKey?: Context['requestKey'];
}

/** A call of an operation by another one, authorized, before its parameters are parsed. */
interface NestedCall {
  readonly operation: Operation;
  readonly context: CallContext;
  readonly parameters: Parameters;
  readonly queued: boolean;
}

/** The context of one operation of a call. */
export class CallContext implements Context {
  readonly operation: Operation;
  readonly parent: Context['parent'];
  readonly cause: readonly string[];
  readonly authority: Context['authority'];
  rawParameters: Parameters = {};
  named: Context['named'] = noRows;
  readonly user: Principal;
  readonly caller: Principal;
  readonly registry: Registry;
  readonly correlationId: string;
  readonly address: string;
  readonly messageId: string | undefined;
  readonly requestKey: string | undefined;
  readonly body: Body | undefined;
  readonly clock: Platform['clock'];
  readonly settings: Platform['settings'];
  readonly cipher: Platform['cipher'];
  readonly log: Platform['log'];
  readonly providers: Platform['providers'];
  readonly queue: Platform['queue'];
  readonly documents: Platform['documents'];
  readonly fileWatch: Platform['fileWatch'];
  readonly sandbox: Platform['sandbox'];
  readonly businessRules: Platform['businessRules'];
  readonly ruleSets: Platform['ruleSets'];
  readonly recordEvents: Platform['recordEvents'];
  readonly slowSearches: Platform['slowSearches'];
  readonly db: Db;
  readonly reach: Reach;
  readonly writeCounts: WriteCounts;
  private readonly state: CallState;
  private readonly unit: UnitOfWork;

  constructor(state: CallState, unit: UnitOfWork, target: ContextTarget) {
    this.state = state;
    this.unit = unit;
    this.operation = target.operation;
    this.parent = target.parent;
    this.cause = target.cause;
    this.authority = target.authority ?? 'checked';
    this.user = state.user;
    this.caller = state.caller ?? state.user;
    this.registry = state.registry;
    this.correlationId = state.correlationId;
    this.address = state.address;
    this.messageId = state.messageId;
    this.requestKey = target.requestKey;
    this.body = state.body;
    this.db = unit.db;
    this.reach = unit.reach;
    this.writeCounts = unit.writeCounts;
    const { platform } = state;
    this.clock = platform.clock;
    this.settings = platform.settings;
    this.cipher = platform.cipher;
    this.log = platform.log;
    this.providers = platform.providers;
    this.queue = platform.queue;
    this.documents = platform.documents;
    this.fileWatch = platform.fileWatch;
    this.sandbox = platform.sandbox;
    this.businessRules = platform.businessRules;
    this.ruleSets = platform.ruleSets;
    this.recordEvents = platform.recordEvents;
    this.slowSearches = platform.slowSearches;
  }

  get configuration(): Configuration {
    const { own } = this.unit.configuration;
    // Row-level security hides part of the configuration, and its users change none.
    return own === undefined || !this.user.universal ? this.state.platform.configuration : own;
  }

  get record(): RecordType {
    if (!this.operation.record) throw new Error(`${this.operation.route} works on no record type`);
    return this.operation.record;
  }

  /** The first error to return to the caller after the commit. */
  get failureAfterCommit(): PlatformError | undefined {
    return this.unit.failuresAfterCommit[0];
  }

  readonly call: Context['call'] = (name, params, more) => {
    const sent = more === undefined ? params : { ...more, ...params };
    return this.callRoute(name, parametersFromCode(sent), 'granted') as never;
  };

  callOf(record: RecordType, operation: string, params: Parameters): Promise<Answer> {
    return this.callRoute(`${record.module}/${operation}`, parametersFromCode(params), 'granted');
  }

  callNamed(route: string, params: Parameters): Promise<Answer> {
    return this.callRoute(route, params, 'checked');
  }

  async readNamed(
    route: string,
    sent: Parameters,
    take: (piece: ListAnswer | TreeAnswer) => Promise<void>,
  ): Promise<void> {
    const { operation, context, parameters } = await this.nestedRead(route, sent);
    const { readWhole } = operation;
    if (!isPaged(operation) || !readWhole) {
      const answer = await runOperation(context, operation, parameters);
      if (answer.kind === 'list' || answer.kind === 'tree') await take(answer as ListAnswer | TreeAnswer);
      return;
    }
    await runOperation(context, operation, parameters, async (ctx, params, rest) => {
      await readWhole(ctx, params, rest, take);
      return { kind: 'nothing' };
    });
  }

  async checkReadNamed(route: string, sent: Parameters): Promise<void> {
    const { operation, context, parameters } = await this.nestedRead(route, sent);
    await checkParameters(context, operation, parameters);
  }

  async findOperation(module: string, path: string): Promise<Operation | undefined> {
    return this.registry.find(module, path)?.operation ?? this.state.platform.savedOperations.find(module, path);
  }

  principalOf(personId: number): Promise<Principal> {
    return this.state.platform.identity.ofPerson(personId);
  }

  rightsOfRoles(names: readonly string[]): Promise<Rights> {
    const { identity } = this.state.platform;
    return this.transaction().elevated((db) => identity.rightsOfRoles(db, names));
  }

  builtinPersonId(name: BuiltinUser): Promise<number | undefined> {
    return this.state.platform.identity.builtinPersonId(this.configuration, name);
  }

  scratch<T>(token: ScratchToken<T>): T {
    return this.unit.scratch.get(token);
  }

  once<K extends string | number, T>(token: ScratchToken<Marks<K>>, key: K, run: () => T): T | undefined {
    return this.scratch(token).add(key) ? run() : undefined;
  }

  alert(alert: Alert): void {
    const { alerts } = this.state;
    if (alerts.length < ALERTS_MAX) alerts.push({ ...alert, text: maskNumbers(alert.text) });
    else if (alerts.length === ALERTS_MAX)
      alerts.push({
        code: 'MORE_ALERTS',
        text: `These are the first ${ALERTS_MAX} warnings; more warnings were omitted.`,
      });
  }

  takeAlerts(...codes: readonly string[]): readonly Alert[] {
    const { alerts } = this.state;
    if (codes.length === 0) return alerts.splice(0);
    const taken = alerts.filter(({ code }) => codes.includes(code));
    if (taken.length > 0) alerts.splice(0, alerts.length, ...alerts.filter(({ code }) => !codes.includes(code)));
    return taken;
  }

  isDatabaseDiskFull(): Promise<boolean> {
    return this.state.platform.store.diskSpace.check();
  }

  async enqueue({ continuation, ...request }: QueueRequest): Promise<string> {
    const messageId = randomUUID();
    // Work that runs as a built-in user is not restricted as an agent's, even if an agent's change caused it.
    const isOwn = request.personId === undefined;
    const agent = this.user.agent === true && isOwn;
    const unconfirmed = isOwn && !isConfirmed(this.user, this);
    const call: QueuedCall = {
      ...request,
      queueName: this.queue.queueOf(request.queueName),
      messageId,
      personId: request.personId ?? this.user.personId,
      correlationId: this.correlationId,
      cause: continuation ? this.cause.slice(0, -1) : this.cause,
      ...(agent ? { agent } : {}),
      ...(unconfirmed ? { unconfirmed } : {}),
    };
    if (this.unit.transaction) this.unit.jobs.push(call);
    else await this.queue.send(this.state.platform.store, [call]);
    return messageId;
  }

  onUndo(undo: () => Promise<void>): void {
    this.unit.undoHooks.push(undo);
  }

  beforeCommit(run: () => Promise<void>): void {
    this.unit.beforeCommitHooks.push(run);
  }

  failAfterCommit(error: PlatformError): void {
    this.unit.failuresAfterCommit.push(error);
  }

  configurationChanged(): void {
    noteConfigurationChange(this.state, this.unit);
  }

  accessChanged(): void {
    this.unit.access.isChanged = true;
  }

  security(event: SecurityEvent): Promise<void> {
    return this.state.platform.journal.security({ personId: this.user.personId, ...event }, this.correlationId);
  }

  limitedSecurity(event: SecurityEvent, limit: EventLimit): Promise<number> {
    const { personId } = this.caller;
    return this.state.platform.journal.limitedSecurity({ ...event, personId }, limit, this.correlationId);
  }

  get isInTransaction(): boolean {
    return this.unit.transaction !== undefined;
  }

  transaction(): Transaction {
    if (!this.unit.transaction)
      throw new Error(`${this.operation.route} runs without a transaction; declare its effect as write`);
    return this.unit.transaction;
  }

  async savepoint<T>(run: () => Promise<T>): Promise<T> {
    return withSavepoint(this.state, this.unit, this.transaction(), run);
  }

  report<T>(run: (db: Db) => Promise<T>, milliseconds = Infinity): Promise<T> {
    const actor = actorOf(this.state);
    const statementMilliseconds = Math.min(actor.statementMilliseconds ?? Infinity, milliseconds);
    const limited = Number.isFinite(statementMilliseconds) ? { ...actor, statementMilliseconds } : actor;
    const { transaction } = this.unit;
    if (transaction && this.scratch(ownReports).depth > 0) return transaction.report(limited, run);
    return this.state.platform.store.transaction({ ...limited, report: true }, run, 'read');
  }

  inTransaction<T>(run: (ctx: CallContext) => Promise<T>): Promise<T> {
    return retryTransaction(this.state, () =>
      withTransaction(this.state, async (unit) => {
        const context = new CallContext(this.state, unit, this);
        context.rawParameters = this.rawParameters;
        const result = await run(context);
        for (const { code, message } of unit.failuresAfterCommit) context.alert({ code, text: message });
        return result;
      }),
    );
  }

  async actingAs<T>(name: BuiltinUser, run: (ctx: Context) => Promise<T>): Promise<T> {
    const personId = await this.builtinPersonId(name);
    if (personId === undefined)
      throw new PlatformError('STATE_REFUSES', {
        message:
          `The built-in user ${name} is missing; an administrator must create a person of this name ` +
          'with the role Administrator.',
      });
    if (personId === this.user.personId) return run(this);
    const user = await this.principalOf(personId);
    const state = { ...this.state, user, caller: this.caller };
    const target: ContextTarget = { operation: this.operation, cause: this.cause };
    const { transaction } = this.unit;
    if (!transaction) return run(new CallContext(state, autocommitScope(state), target));
    return transaction.actingAs(personId, () => {
      // What the caller can reach says nothing about what the built-in user can.
      const reach = new ReachCache(transaction, this.unit.savepointUndo);
      return run(new CallContext(state, { ...this.unit, db: transaction, reach }, target));
    });
  }

  private async callRoute(name: string, sent: Parameters, authority: Context['authority']): Promise<Answer> {
    const { operation, context, parameters, queued } = await this.nestedCall(name, sent, authority);
    if (operation.effect === 'write' && !this.unit.transaction && operation.transactions !== 'own')
      return this.inTransaction((ctx) => ctx.callRoute(name, sent, authority));
    return queued ? queueOperation(context, operation, parameters) : runOperation(context, operation, parameters);
  }

  /** Finds and authorizes the operation of a route, which must return rows that can be read whole. */
  private async nestedRead(route: string, sent: Parameters): Promise<NestedCall> {
    const call = await this.nestedCall(route, sent, 'checked');
    const { operation, parameters, queued } = call;
    if (queued)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Operation',
        message: `Operation: ${operation.permissionName} would be queued, and returns no rows.`,
      });
    assertReadWhole(operation, Object.keys(parameters));
    return call;
  }

  /** Finds and authorizes the operation of a route, and makes its context. */
  private async nestedCall(name: string, sent: Parameters, authority: Context['authority']): Promise<NestedCall> {
    const { registry } = this;
    const route = parseRoute(registry, name.split('/'), 'POST');
    const operation = route.operation ?? (await this.state.platform.savedOperations.find(route.module, route.path));
    if (!operation) throw unknownOperation(registry, route);
    if (authority === 'checked') authorize(this.user, operation);
    const cause = [...this.cause, operation.permissionName];
    const depthMax = this.settings.get(callDepthMax);
    if (cause.length > depthMax)
      throw new PlatformError('CHAIN_TOO_DEEP', {
        message: `Operations called one another more than ${depthMax} levels deep.`,
        details: { cause: cause.slice(-5) },
      });
    const { parent, queued } = route;
    const parameters = withPathId({ ...sent, ...route.segments }, route.id);
    if (authority === 'checked') assertNoSecretAnswer(operation, parameters);
    return {
      operation,
      context: new CallContext(this.state, this.unit, { operation, parent, cause, authority }),
      parameters,
      queued,
    };
  }
}

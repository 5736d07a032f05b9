import { splitCommaList } from '../../kernel/parameters/split-list.ts';
import { PgBoss } from 'pg-boss';
import type { Cipher } from '../../kernel/security/cipher.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { queueAttemptsMax, queueNames } from '../../kernel/declare/core-settings.ts';
import { didYouMean, PlatformError } from '../../kernel/door/errors.ts';
import type { Log } from '../../kernel/ports/log.ts';
import type {
  CancelOutcome,
  DeadLetterCause,
  DiscardNote,
  MessageOutcome,
  Queue,
  QueueCalls,
  QueueControl,
  QueuedCall,
  QueueFilter,
  QueueMessage,
  QueuePause,
  QueueState,
} from '../../kernel/ports/queue.ts';
import type { Settings } from '../../kernel/declare/setting.ts';
import { arrayLiteral, type Connection, type Db } from '../../kernel/database/store.ts';
import { tlsOptions } from '../../kernel/database/tls.ts';
import { controlQueue, endPause, pauseOperation, selectPauses } from '../shared/queue-control.ts';
import { nextMessageId, sealCall } from './envelope.ts';
import { findMessages, openCauses } from './messages.ts';
import {
  blockPausedCalls,
  cancelWaitingJob,
  countDeadLetters,
  countPausedCalls,
  DEAD_LETTERS,
  discardDeadLetters,
  insertCanceledCopy,
  lockDeadLetters,
  lockLiveJobs,
  removeDeadLetterQueue,
  messageIdsIn,
  releaseCalls,
  restoreDiscarded,
  selectDeadLetterCauses,
  selectOutcomes,
  selectQueueStates,
  selectRunningJobs,
  selectScheduleId,
} from '../shared/pgboss-sql.ts';

const DAY_SECONDS = 86_400;

/** How long queued messages and dead letters are kept, and how long completed ones can be looked up. */
const RETENTION_DAYS = 90;
const COMPLETED_DAYS = 7;

/** Priority of calls whose result nobody awaits; all others have 0. */
const LOW_PRIORITY = -1;

/** A worker without heartbeats for this long is presumed dead; pg-boss allows no less. */
const HEARTBEAT_SECONDS = 10;

/** Calls that the end of a pause releases at once. Housekeeping releases the others. */
const RELEASED_MAX = 20_000;

/** What the queue depends on. */
export interface BossQueueParts {
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly log: Log;
  /** Whether this process also recovers the jobs of dead workers; at least one process must. */
  readonly supervise: boolean;
}

/** The queue on pg-boss, whose tables live in the same database: a call and its job commit together. */
export class BossQueue implements Queue {
  readonly boss: PgBoss;
  private readonly cipher: Cipher;
  private readonly clock: Clock;
  private readonly settings: Settings;
  private readonly existingQueues = new Set<string>();

  private constructor(boss: PgBoss, parts: BossQueueParts) {
    this.boss = boss;
    this.cipher = parts.cipher;
    this.clock = parts.clock;
    this.settings = parts.settings;
  }

  /** Connects and creates the queues that the settings name. */
  static async open(connection: Connection, parts: BossQueueParts): Promise<BossQueue> {
    const boss = new PgBoss({
      host: connection.host,
      port: connection.port,
      user: connection.user,
      database: connection.database,
      ...(connection.password === undefined ? {} : { password: connection.password }),
      ssl: tlsOptions(connection),
      application_name: 'casewright queue',
      max: 4,
      supervise: parts.supervise,
      schedule: false,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      useListenNotify: false,
    });
    boss.on('error', (error) => parts.log.error('queue failed', { error: error.message.slice(0, 200) }));
    const queue = new BossQueue(boss, parts);
    try {
      await boss.start();
      for (const { name } of await boss.getQueues()) queue.existingQueues.add(name);
      await queue.ensure();
    } catch (error) {
      await queue.stop();
      throw error;
    }
    return queue;
  }

  /** Returns the queues of the installation in order; the first is the default. */
  names(): string[] {
    return splitCommaList(this.settings.get(queueNames));
  }

  /** Creates named queues that are missing; existing ones get the present settings. */
  async ensure(): Promise<void> {
    const stored = { retentionSeconds: RETENTION_DAYS * DAY_SECONDS, deleteAfterSeconds: COMPLETED_DAYS * DAY_SECONDS };
    // An attempt ends after a day, the longest that pg-boss allows; heartbeats show whether its worker is alive.
    const running = {
      deadLetter: DEAD_LETTERS,
      retryLimit: this.retryLimit(),
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: 600,
      expireInSeconds: DAY_SECONDS,
      heartbeatSeconds: HEARTBEAT_SECONDS,
    };
    for (const name of [DEAD_LETTERS, ...this.names()]) {
      const options = name === DEAD_LETTERS ? stored : { ...stored, ...running };
      if (this.existingQueues.has(name)) await this.boss.updateQueue(name, options);
      else await this.boss.createQueue(name, { policy: 'standard', ...options });
      this.existingQueues.add(name);
    }
  }

  private retryLimit(): number {
    return Math.max(0, this.settings.get(queueAttemptsMax) - 1);
  }

  queueOf(name: string | undefined): string {
    const names = this.names();
    const found = name === undefined ? names[0] : names.find((n) => n.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    throw new PlatformError('BAD_PARAMETER', {
      field: 'QueueName',
      message: `QueueName: there is no such queue.${didYouMean(name ?? '', names)} ` + `Known: ${names.join(', ')}.`,
    });
  }

  async send(db: Db, calls: readonly QueuedCall[]): Promise<void> {
    const byQueue = Map.groupBy(calls, (call) => this.queueOf(call.queueName));
    for (const [name, members] of byQueue) {
      if (!this.existingQueues.has(name)) await this.ensure();
      // An id that exists is skipped: that is how a recurring call's next run is queued once.
      const retryLimit = this.retryLimit();
      const jobs = members.map((call) => ({
        id: call.messageId,
        data: sealCall(this.cipher, call),
        retryLimit,
        ...(call.lowPriority ? { priority: LOW_PRIORITY } : {}),
        ...this.startOf(call),
      }));
      await this.boss.insert(name, jobs, { db: executorOf(db) });
      const repeated = members.filter(({ isRepeated }) => isRepeated).map(({ messageId }) => messageId);
      if (repeated.length > 0) await removeDeadLetterQueue(db, name, repeated);
    }
  }

  /**
   * Omits a start time in the past: pg-boss keeps a waiting job for a fixed time after its start, and would delete one
   * that has waited too long.
   */
  private startOf({ queuedDate }: QueuedCall): { startAfter?: string } {
    return queuedDate === undefined || Date.parse(queuedDate) <= this.clock.milliseconds()
      ? {}
      : { startAfter: queuedDate };
  }

  find(db: Db, filter: QueueFilter): Promise<QueueMessage[]> {
    return findMessages(db, this.cipher, filter, [...this.existingQueues]);
  }

  async causes(
    db: Db,
    size: number,
  ): Promise<{ readonly causes: readonly DeadLetterCause[]; readonly looked: number }> {
    return openCauses(this.cipher, await selectDeadLetterCauses(db, size));
  }

  countDead(db: Db, filter: QueueFilter): Promise<number> {
    return countDeadLetters(db, filter, [...this.existingQueues]);
  }

  async requeue(db: Db, filter: QueueFilter): Promise<readonly string[]> {
    const letters = await lockDeadLetters(db, filter, [...this.existingQueues]);
    if (letters.length === 0) return [];
    const ids = letters.map(({ id }) => id);
    await this.boss.redrive(DEAD_LETTERS, { ids, limit: ids.length, db: executorOf(db) });
    return letters.map(({ messageid }) => messageid);
  }

  async discard(db: Db, filter: QueueFilter, note: DiscardNote): Promise<readonly string[]> {
    const letters = await lockDeadLetters(db, filter, [...this.existingQueues]);
    if (letters.length === 0) return [];
    return discardDeadLetters(db, { ids: letters.map(({ id }) => id), note, days: RETENTION_DAYS });
  }

  async restore(db: Db, filter: QueueFilter): Promise<readonly string[]> {
    return restoreDiscarded(db, filter, [...this.existingQueues]);
  }

  async outcomes(db: Db, ids: readonly string[]): Promise<readonly MessageOutcome[]> {
    return ids.length === 0 ? [] : selectOutcomes(db, ids);
  }

  /**
   * Cancels every waiting run of a recurring call, whichever of its messages is named. While one runs, its next run may
   * be queued at any moment: a canceled row under that run's id prevents it.
   */
  async cancel(db: Db, id: string): Promise<CancelOutcome> {
    if (messageIdsIn([id]).length === 0) return 'ended';
    const queues = [...this.existingQueues];
    const scheduleId = await selectScheduleId(db, id, queues);
    const live = await lockLiveJobs(db, { id, scheduleId }, queues);
    for (const job of live) {
      if (job.state !== 'active') await cancelWaitingJob(db, job.name, job.id);
      else if (scheduleId !== null) await blockMessageId(db, job.name, nextMessageId(job.messageid), job.id);
    }
    if (scheduleId !== null || live.some((job) => job.state !== 'active'))
      return live.length > 0 ? 'canceled' : 'ended';
    return live.length > 0 ? 'running' : 'ended';
  }

  states(db: Db): Promise<QueueState[]> {
    return selectQueueStates(db, this.names());
  }

  control(db: Db, name: string, change: QueueControl, personId: number): Promise<void> {
    return controlQueue(db, this.queueOf(name), change, personId);
  }

  async pauses(db: Db): Promise<QueuePause[]> {
    const pauses = await selectPauses(db);
    // Counting reads each call that waits: its operation is in its row.
    const counts = pauses.length === 0 ? [] : await countPausedCalls(db);
    return pauses.map((pause) => ({
      ...pause,
      Waiting:
        counts.find(({ name, operation }) => name === pause.QueueName && operation === pause.Operation)?.waiting ?? 0,
    }));
  }

  async pause(
    db: Db,
    { queueName, operation }: QueueCalls,
    by: { readonly personId: number; readonly reason: string | null },
  ): Promise<void> {
    const name = this.queueOf(queueName);
    await pauseOperation(db, { queueName: name, operation }, by);
    await blockPausedCalls(db, name);
  }

  async resume(db: Db, { queueName, operation }: QueueCalls): Promise<boolean> {
    if (!(await endPause(db, { queueName: this.queueOf(queueName), operation }))) return false;
    await releaseCalls(db, RELEASED_MAX);
    return true;
  }

  /**
   * Fails all running jobs. Called at the start of the only process, so that its jobs need not wait for missed
   * heartbeats. The attempt counts: a job that kills its process is not run for ever.
   */
  async takeOver(db: Db): Promise<void> {
    const rows = await selectRunningJobs(db, [...this.existingQueues]);
    for (const { name, ids } of rows) await this.boss.fail(name, ids, { value: { message: 'the process ended' } });
  }

  async stop(): Promise<void> {
    await this.boss.stop({ graceful: false });
  }
}

/** Runs pg-boss's statements in our transaction. */
function executorOf(db: Db): { executeSql(text: string, values?: unknown[]): Promise<{ rows: object[] }> } {
  return {
    executeSql: async (text, values = []) => ({
      rows: await db.query(
        text,
        values.map((value) => (Array.isArray(value) ? arrayLiteral(value as string[]) : value)),
      ),
    }),
  };
}

/** Takes a message's id before the message can be queued, so that it never is. */
async function blockMessageId(db: Db, name: string, id: string, copyOf: string): Promise<void> {
  await insertCanceledCopy(db, { name, id, copyOf, retentionDays: RETENTION_DAYS });
  await cancelWaitingJob(db, name, id);
}

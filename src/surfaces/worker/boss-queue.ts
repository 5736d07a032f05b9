import { PgBoss } from 'pg-boss';
import type { Cipher } from '../../kernel/cipher.ts';
import { queueAttemptsMax, queueNames } from '../../kernel/core-settings.ts';
import { nearest, PlatformError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Queue, QueuedCall, QueueFilter, QueueMessage } from '../../kernel/queue.ts';
import type { Settings } from '../../kernel/setting.ts';
import type { Connection, Db } from '../../kernel/store.ts';

/** Where failed calls end, to be looked at and queued again. */
export const DEAD_LETTERS = 'DeadLetters';

/** What stands in the queue's table: enough to find and route a message; the parameters are sealed. */
export interface Envelope {
  readonly messageId: string;
  readonly route: string;
  readonly personId: number;
  readonly label: string | null;
  readonly scheduleName: string | null;
  readonly correlationId: string;
  readonly sealed: string;
}

const PURPOSE = 'queue.parameters';
const DAY_SECONDS = 86_400;

/** The parts of a call that are sealed in its envelope. */
export type SealedCall = Pick<QueuedCall, 'parameters' | 'cause' | 'parent'>;

/** Opens an envelope. */
export function openEnvelope(cipher: Cipher, envelope: Envelope): SealedCall {
  return JSON.parse(cipher.open(PURPOSE, Buffer.from(envelope.sealed, 'base64')).toString()) as SealedCall;
}

/** The queue on pg-boss, whose tables live in the same database: a call and its job commit together. */
export class BossQueue implements Queue {
  readonly boss: PgBoss;
  private readonly cipher: Cipher;
  private readonly settings: Settings;
  private readonly known = new Set<string>();

  private constructor(boss: PgBoss, cipher: Cipher, settings: Settings) {
    this.boss = boss;
    this.cipher = cipher;
    this.settings = settings;
  }

  /** Connects and makes the queues that the settings name. `supervise`: also takes over the jobs of workers that died. */
  static async open(connection: Connection, parts: { cipher: Cipher; settings: Settings; log: Log; supervise: boolean }): Promise<BossQueue> {
    const boss = new PgBoss({
      host: connection.host,
      port: connection.port,
      user: connection.user,
      database: connection.database,
      ...(connection.password === undefined ? {} : { password: connection.password }),
      ...(connection.ssl ? { ssl: { rejectUnauthorized: true } } : {}),
      application_name: 'casewright queue',
      max: 4,
      supervise: parts.supervise,
      schedule: false,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
      useListenNotify: false,
    });
    boss.on('error', (error) => parts.log.error('queue failed', { error: error.message.slice(0, 200) }));
    await boss.start();
    const queue = new BossQueue(boss, parts.cipher, parts.settings);
    await queue.ensure();
    return queue;
  }

  /** The queues that the installation has, in order; the first is the default. */
  names(): string[] {
    return this.settings.get(queueNames).split(',').map((n) => n.trim()).filter((n) => n !== '');
  }

  /** Makes the queues that settings name and the database lacks. */
  async ensure(): Promise<void> {
    const attempts = this.settings.get(queueAttemptsMax);
    const wanted = [DEAD_LETTERS, ...this.names()].filter((n) => !this.known.has(n));
    for (const name of wanted) {
      const dead = name === DEAD_LETTERS;
      await this.boss.createQueue(name, {
        policy: 'standard',
        retentionSeconds: 90 * DAY_SECONDS,
        deleteAfterSeconds: 7 * DAY_SECONDS,
        ...(dead ? {} : { deadLetter: DEAD_LETTERS, retryLimit: Math.max(0, attempts - 1), retryDelay: 1, retryBackoff: true, retryDelayMax: 600, expireInSeconds: 3_600, heartbeatSeconds: 10 }),
      });
      this.known.add(name);
    }
  }

  queueOf(name: string | undefined): string {
    const names = this.names();
    const found = name === undefined ? names[0] : names.find((n) => n.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    const near = nearest(name ?? '', names);
    throw new PlatformError('BAD_PARAMETER', { field: 'QueueName', message: `QueueName: there is no such queue.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} Known: ${names.join(', ')}.` });
  }

  async send(db: Db, calls: readonly QueuedCall[]): Promise<void> {
    const byQueue = Map.groupBy(calls, (call) => this.queueOf(call.queueName));
    const executor = { executeSql: async (text: string, values?: unknown[]) => ({ rows: await db.query(text, values ?? []) }) };
    for (const [name, members] of byQueue) {
      if (!this.known.has(name)) await this.ensure();
      const jobs = members.map((call) => ({ id: call.messageId, data: this.seal(call), ...(call.queuedDate === undefined ? {} : { startAfter: call.queuedDate }) }));
      await this.boss.insert(name, jobs, { db: executor });
    }
  }

  private seal(call: QueuedCall): Envelope {
    const content: SealedCall = { parameters: call.parameters, cause: call.cause, ...(call.parent === undefined ? {} : { parent: call.parent }) };
    return {
      messageId: call.messageId,
      route: call.route,
      personId: call.personId,
      label: call.label ?? null,
      scheduleName: call.scheduleName ?? null,
      correlationId: call.correlationId,
      sealed: this.cipher.seal(PURPOSE, JSON.stringify(content)).toString('base64'),
    };
  }

  async find(db: Db, filter: QueueFilter): Promise<readonly QueueMessage[]> {
    return db.query<QueueMessage>(
      `select data ->> 'messageId' as "QueueMessageID", case when name = '${DEAD_LETTERS}' then coalesce(output ->> 'queue', name) else name end as "QueueName",
         case when name = '${DEAD_LETTERS}' then 'dead' else state::text end as "State", data ->> 'route' as "Operation", (data ->> 'personId')::bigint as "PersonID",
         data ->> 'label' as "QueueLabel", data ->> 'scheduleName' as "ScheduleName", retry_count + case when state::text in ('created', 'retry') then 0 else 1 end as "Attempts",
         created_on as "QueuedDate", start_after as "StartAfter", completed_on as "CompletedDate",
         output ->> 'code' as "ErrorCode", output ->> 'message' as "ErrorMessage"
       from pgboss.job
       where ($1::text is null or data ->> 'messageId' = $1) and ($2::text is null or name = $2) and ($4::text is null or data ->> 'label' = $4) and ($5::bigint is null or (data ->> 'personId')::bigint = $5)
         and ($3::text is null or case when name = '${DEAD_LETTERS}' then 'dead' else state::text end = $3)
         and not (name <> '${DEAD_LETTERS}' and state = 'failed' and exists (select from pgboss.job d where d.name = '${DEAD_LETTERS}' and d.data ->> 'messageId' = job.data ->> 'messageId'))
       order by created_on desc, id limit $6::integer offset $7::integer`,
      [filter.id ?? null, filter.queueName ?? null, filter.state ?? null, filter.label ?? null, filter.personId ?? null, filter.size, filter.start],
    );
  }

  async requeue(ids: readonly string[]): Promise<number> {
    let moved = 0;
    for (const messageId of ids) {
      const [dead] = await this.boss.findJobs<Envelope>(DEAD_LETTERS, { data: { messageId } });
      if (dead) moved += await this.boss.redrive(DEAD_LETTERS, { ids: [dead.id] });
    }
    return moved;
  }

  async stop(): Promise<void> {
    await this.boss.stop({ graceful: true, timeout: 30_000 });
  }
}

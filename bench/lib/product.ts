import { randomUUID } from 'node:crypto';
import { startServer, type RunningServer } from '../../src/app/server.ts';
import type { Role } from '../../src/app/environment.ts';
import type { Parameters } from '../../src/kernel/parameters/parameters.ts';
import type { Db } from '../../src/kernel/database/store.ts';
import { sealContent } from '../../src/modules/messages/maildelivery/lib/mail-content.ts';
import {
  MAILS_PER_CALL_MAX,
  QUEUE as MAIL_QUEUE,
} from '../../src/modules/messages/maildelivery/lib/queue-deliveries.ts';
import { fillQueue } from '../console/queue-rows.ts';
import { BODY, SUBJECT } from '../mail/sample-mail.ts';
import { answerParent, type CpuUsage } from './child.ts';

/** Start parameters of the product. */
export interface ProductStart {
  readonly databaseUrl: string;
  readonly dataFolder: string;
  readonly administratorKey: string;
  readonly roles: readonly Role[];
}

/** A statement that the product sent, with its values. */
export interface CapturedQuery {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The requests that the product's process handles. */
export type ProductHandlers = typeof handlers;

let running: RunningServer | undefined;
let captured: CapturedQuery[] | undefined;

/** The product as `npm start` runs it, at its default log level, on a free port. Its log goes to standard output. */
async function start({ databaseUrl, dataFolder, administratorKey, roles }: ProductStart): Promise<number> {
  running = await startServer(
    {
      port: 0,
      host: '127.0.0.1',
      dataFolder,
      databaseUrl,
      secretKey: undefined,
      administratorKey,
      roles: new Set(roles),
      demo: false,
      logLevel: 'info',
      logTo: 'stdout',
      trustedProxies: [],
      metrics: undefined,
      sftp: undefined,
    },
    () => undefined,
  );
  await liftUsageLimits(running);
  return running.url === undefined ? 0 : Number(new URL(running.url).port);
}

/** Raises the limits of one user beyond any load. They are still counted: what that costs is measured. */
async function liftUsageLimits({ platform }: RunningServer): Promise<void> {
  await platform.store.query(
    `insert into setting (setting, value)
     select name, '100000000'
     from unnest(array['CallsPerMinuteMax', 'LargeBodiesMax', 'MegabytesPerDayMax']) name
     on conflict (setting) do nothing`,
  );
  platform.configuration.expire();
}

/**
 * Returns the statements that one request sends, as recorded in the product's data access, so that the floor runs the
 * same text.
 */
async function capture(request: {
  readonly path: string;
  readonly init: RequestInit;
}): Promise<readonly CapturedQuery[]> {
  if (!running?.url) throw new Error('not started');
  const { store } = running.platform;
  captured = [];
  const own: Pick<typeof store, 'query' | 'readAs' | 'transaction'> = {
    query: recording(store.query.bind(store)),
    readAs: (firm, text, values) =>
      recording(
        (t, v) => (Object.getPrototypeOf(store) as typeof store).readAs.call(store, firm, t, v) as Promise<never>,
      )(text, values),
    transaction: ((actor, run, mode) =>
      (Object.getPrototypeOf(store) as typeof store).transaction.call(
        store,
        actor,
        (t: Db) => run(Object.assign(Object.create(t) as never, { query: recording(t.query.bind(t)) })),
        mode,
      )) as typeof store.transaction,
  };
  Object.assign(store, own);
  try {
    const answer = await fetch(running.url + request.path, request.init);
    if (answer.status !== 200) throw new Error(`${request.path} answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
    return captured;
  } finally {
    delete (store as Partial<typeof own>).query;
    delete (store as Partial<typeof own>).readAs;
    delete (store as Partial<typeof own>).transaction;
  }
}

function recording(query: Db['query']): Db['query'] {
  return (text, values = []) => {
    captured?.push({ text, values });
    return query(text, values);
  };
}

/** Queues calls of an operation on one contact each, all in one transaction. */
async function enqueue({
  operation,
  jobs,
  recordMax,
}: {
  readonly operation: string;
  readonly jobs: number;
  readonly recordMax: number;
}): Promise<void> {
  if (!running) throw new Error('not started');
  const { store, queue } = running.platform;
  const [administrator] = await store.query<{ id: number }>(
    "select personid as id from person where person = 'administrator'",
  );
  const calls = Array.from({ length: jobs }, (_, n) => ({
    route: operation,
    parameters: parametersOf(operation, 1 + (n % recordMax)),
    queueName: queue.queueOf(undefined),
    messageId: randomUUID(),
    personId: administrator?.id ?? 0,
    correlationId: randomUUID(),
    cause: [],
  }));
  await store.transaction({ personId: null, firm: null, callId: 'bench' }, (transaction) =>
    queue.send(transaction, calls),
  );
}

function parametersOf(operation: string, id: number): Parameters {
  if (operation.endsWith('/save')) return { FirstName: randomUUID(), LastName: 'New' };
  return operation.endsWith('/update') ? { ID: id, Title: randomUUID() } : { ID: id };
}

/** Posts a message to as many recipients, as `message/send` does, and queues the calls that send its mails. */
async function postMessage(recipients: number): Promise<void> {
  if (!running) throw new Error('not started');
  const { store, queue, cipher } = running.platform;
  const [system] = await store.query<{ id: number }>("select personid as id from person where person = 'System'");
  await store.transaction({ personId: null, firm: null, callId: 'bench' }, async (transaction) => {
    const ids = await insertMessage(transaction, recipients, sealContent(cipher, sampleContent));
    const calls = Array.from({ length: Math.ceil(ids.length / MAILS_PER_CALL_MAX) }, (_, n) => ({
      route: 'maildelivery/deliver',
      parameters: { ID: ids.slice(n * MAILS_PER_CALL_MAX, (n + 1) * MAILS_PER_CALL_MAX).join(',') },
      queueName: queue.queueOf(MAIL_QUEUE),
      messageId: randomUUID(),
      personId: system?.id ?? 0,
      correlationId: randomUUID(),
      cause: [],
    }));
    await queue.send(transaction, calls);
  });
}

const sampleContent = {
  from: {},
  replyTo: [],
  to: [],
  cc: [],
  bcc: [],
  subject: SUBJECT,
  text: BODY,
  headers: {},
  attachmentIds: [],
  isSeparate: true,
  isShared: true,
};

/** Inserts a message, its recipients and their deliveries; returns the deliveries. */
async function insertMessage(db: Db, recipients: number, content: string): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(
    `with m as (insert into message (message, status) values ($3::text, 'Queued') returning messageid),
       r as (
         insert into messagerecipient (messagerecipient, messageid, category, status)
         select 'recipient' || n || '@receiver.example', m.messageid, 0, 'Waiting'
         from m cross join generate_series(0, $1::integer - 1) n
         returning messagerecipientid, messageid, messagerecipient),
       c as (insert into mailcontent (content) values ($2::text) returning mailcontentid)
     insert into maildelivery (maildelivery, maildeliverytype, status, internetmessageid, mailcontentid, recipients,
       attempts, nextattempt, messageid, messagerecipientid)
     select 'Bench', 'Email', 'Waiting', r.messageid || '@cases.example', c.mailcontentid,
       jsonb_build_array(jsonb_build_object('Category', 0, 'Address', r.messagerecipient, 'Status', 'Waiting')),
       0, now(), r.messageid, r.messagerecipientid
     from r cross join c
     returning maildeliveryid as id`,
    [recipients, content, SUBJECT],
  );
  return rows.map(({ id }) => id);
}

const handlers = {
  start,
  capture,
  enqueue,
  postMessage,
  /** Fills the queue's table with calls that only this process can seal. */
  fillQueue: (rows: number): Promise<void> => {
    if (!running) throw new Error('not started');
    return fillQueue(running.platform, rows);
  },
  cpu: (_: undefined): CpuUsage => process.cpuUsage(),
  /** Resident memory in bytes. */
  memory: (_: undefined): number => process.memoryUsage.rss(),
};

answerParent(handlers, () => running?.stop());

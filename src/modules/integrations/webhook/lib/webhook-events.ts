import { randomUUID } from 'node:crypto';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { marks } from '../../../../kernel/door/scratch.ts';
import type { Log } from '../../../../kernel/ports/log.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { RecordChange, RecordEvent, RecordEvents } from '../../../../kernel/ports/record-events.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { toJson } from '../../../../kernel/render/json.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { enqueueAsSystem } from '../../../../kernel/security/system-user.ts';
import { loadSubscribers, type Subscriber, type Subscribers } from './subscribers.ts';
import { recordId, versionOf } from '../../../../kernel/door/answer.ts';

/** Queue of deliveries. */
const QUEUE = 'Webhook';

const insertText = `insert into webhookdelivery (webhookdelivery, status, webhookdeliverytype, webhookid, eventid,
    eventdate, object, objectid, recordversion, data, correlationid, attempts, nextattempt,
    createddate, createdpersonid, updateddate, updatedpersonid)
  select $2::text, 'Waiting', 'Event', e.webhookid, e.eventid,
    $3::timestamptz, $4::text, e.objectid, e.recordversion, e.data, $5::text, 0, $3::timestamptz,
    $3::timestamptz, $6::bigint, $3::timestamptz, $6::bigint
  from jsonb_to_recordset($1::text::jsonb)
    as e (n integer, webhookid bigint, eventid text, objectid bigint, recordversion integer, data text)
  order by e.n`;

interface NewDelivery {
  readonly webhookid: number;
  readonly eventid: string;
  readonly objectid: number;
  readonly recordversion: number;
  readonly data: string;
}

/**
 * Publishes events to webhooks in the transaction of the change: nothing is sent of a rollback, and nothing committed
 * is lost. Subscriptions are cached configuration, so a change without subscribers costs no statement.
 */
export class WebhookEvents implements RecordEvents {
  private readonly configuration: Configuration;
  private readonly types: { readonly registry: Registry };
  private readonly log: Log;

  /** @param types Returns the record types. Called each time, since the installation may add fields to them. */
  constructor(configuration: Configuration, types: { readonly registry: Registry }, log: Log) {
    this.configuration = configuration;
    this.types = types;
    this.log = log;
  }

  private subscribers(): Promise<Subscribers> {
    return this.configuration.get('webhooks', () =>
      loadSubscribers(this.configuration.db, this.types.registry, (webhookId) =>
        this.log.warn('webhook names unknown events', { webhookId }),
      ),
    );
  }

  async hasSubscribers(_ctx: Context, record: RecordType, change: RecordChange): Promise<boolean> {
    return (await this.subscribers()).get(record.name)?.[change] !== undefined;
  }

  async publish(ctx: Context, record: RecordType, change: RecordChange, events: readonly RecordEvent[]): Promise<void> {
    const heard = (await this.subscribers()).get(record.name)?.[change] ?? [];
    const ids = events.map(() => `evt_${randomUUID()}`);
    const deliveries: NewDelivery[] = [];
    for (const listener of heard) {
      const matching = events
        .map((event, n) => ({ event, eventId: ids[n] ?? '' }))
        .filter(({ event }) => wantsEvent(listener, change, event));
      const reached = change === 'delete' ? await eventsInReach(ctx, record, listener, matching) : matching;
      if (reached.length === 0) continue;
      deliveries.push(...reached.map((each) => newDelivery(record, change, listener, each)));
      if (change !== 'delete')
        deleteUnreachedBeforeCommit(
          ctx,
          record,
          listener,
          reached.map(({ eventId }) => eventId),
        );
      await queueDelivery(ctx, listener.webhookId);
    }
    if (deliveries.length === 0) return;
    const now = ctx.clock.now();
    const values = [
      JSON.stringify(deliveries.map((d, n) => ({ n, ...d }))),
      `${record.name}.${change}`,
      now,
      record.name,
      ctx.correlationId.slice(0, 64),
      ctx.user.personId,
    ];
    // The table is closed to firms' users, whose changes others subscribe to.
    await ctx.transaction().elevated(async () => ctx.transaction().later(insertText, values));
  }
}

function wantsEvent({ columns }: Subscriber, change: RecordChange, { changed }: RecordEvent): boolean {
  return change !== 'update' || columns === undefined || changed.some((name) => columns.has(name));
}

function newDelivery(
  record: RecordType,
  change: RecordChange,
  listener: Subscriber,
  { event: { row, changed }, eventId }: { readonly event: RecordEvent; readonly eventId: string },
): NewDelivery {
  const bases: string[] = [];
  for (let at = record.base; at; at = at.base) bases.push(at.name);
  const id = recordId(record, row);
  const payload = {
    Record: record.name,
    Bases: bases,
    RecordID: id,
    Change: change,
    Version: versionOf(row),
    Changed: changed,
  };
  const fields =
    listener.shape.length === 0
      ? ''
      : `,"Fields":${toJson({ kind: 'item', name: record.name, shape: listener.shape, row }, [])}`;
  return {
    webhookid: listener.webhookId,
    eventid: eventId,
    objectid: id,
    recordversion: payload.Version,
    data: `${JSON.stringify(payload).slice(0, -1)}${fields}}`,
  };
}

/** Returns an SQL condition for rows that a firm reaches. */
function reachCondition({ root }: RecordType, firm: string): string {
  return root.reach === 'many'
    ? `${root.table}.reachorganizationid @> array[${firm}]`
    : `${root.table}.reachorganizationid = ${firm}`;
}

/**
 * Returns the events of rows that the webhook's firm reaches now: for rows about to be deleted, which cannot be checked
 * later.
 */
async function eventsInReach<E extends { readonly event: RecordEvent }>(
  ctx: Context,
  record: RecordType,
  { organizationId }: Subscriber,
  candidates: readonly E[],
): Promise<readonly E[]> {
  if (organizationId === null || candidates.length === 0) return candidates;
  const { table } = record.root;
  const idOf = ({ event }: E): number => recordId(record, event.row);
  const rows = await ctx.transaction().elevated((db) =>
    db.query<{ id: number }>(
      `select ${table}id as id
         from ${table}
         where ${table}id = any($1::bigint[]) and ${reachCondition(record, '$2::bigint')}`,
      [arrayLiteral(candidates.map(idOf)), organizationId],
    ),
  );
  const reached = new Set(rows.map(({ id }) => id));
  return candidates.filter((one) => reached.has(idOf(one)));
}

/**
 * Before the commit, deletes deliveries of records that the firm does not reach. Who reaches a new record may be known
 * only when the whole call has run: a loan is a firm's once the case on it is.
 */
function deleteUnreachedBeforeCommit(
  ctx: Context,
  record: RecordType,
  { organizationId, webhookId }: Subscriber,
  eventIds: readonly string[],
): void {
  if (organizationId === null) return;
  const { table } = record.root;
  const text = `delete from webhookdelivery d
    where d.eventid = any($1::text[]) and d.webhookid = $2::bigint
      and not exists (
        select from ${table}
        where ${table}.${table}id = d.objectid and ${reachCondition(record, '$3::bigint')})`;
  ctx.beforeCommit(() =>
    ctx
      .transaction()
      .elevated(async () => ctx.transaction().later(text, [arrayLiteral(eventIds), webhookId, organizationId])),
  );
}

/** Webhooks whose delivery job is queued. */
const queuedWebhooks = marks<number>('webhooks with a queued delivery');

/** Queues the delivery job, once per webhook and transaction; it commits with its deliveries. */
async function queueDelivery(ctx: Context, webhookId: number): Promise<void> {
  await ctx.once(queuedWebhooks, webhookId, () =>
    enqueueAsSystem(ctx, {
      route: 'webhookdelivery/deliver',
      parameters: { WebhookID: webhookId },
      queueName: QUEUE,
    }),
  );
}

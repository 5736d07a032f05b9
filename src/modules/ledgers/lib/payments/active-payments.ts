/** Prevents the deletion of records for which a payment gateway still charges or stores something. */
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';

/** Most records that an error names. */
const NAMED_MAX = 5;

/** A record at a payment gateway that is still active. */
interface ActivePart {
  readonly what: 'subscription' | 'payment' | 'refund' | 'dispute' | 'payment method' | 'customer';
  readonly id: number;
  readonly status: string;
}

/** SQL of the ledgers of the records `$2` of type `$1`. */
const LEDGERS = 'array(select ledgerid from ledger where object = $1::text and objectid = any($2::bigint[]))';
/** SQL of their payment methods. */
const METHODS =
  'array(select paymentmethodid from paymentmethod where object = $1::text and objectid = any($2::bigint[]))';
/** SQL of the payments of the records themselves, and of their ledgers and methods. */
const PAYMENTS = `array(
  select paymentid from payment where object = $1::text and objectid = any($2::bigint[])
  union select paymentid from payment where ledgerid = any(${LEDGERS})
  union select paymentid from payment where paymentmethodid = any(${METHODS}))`;

const activeParts = `
  select 'subscription' as what, paymentsubscriptionid as id, status, 1 as place from paymentsubscription
  where status in ('Requested', 'Active', 'Late', 'Unknown')
    and (paymentmethodid = any(${METHODS}) or ledgerid = any(${LEDGERS}))
  union all
  select 'payment', paymentid, status, 2 from payment
  where status in ('Requested', 'Authorized', 'Pending', 'Unknown') and paymentid = any(${PAYMENTS})
  union all
  select 'refund', paymentrefundid, status, 3 from paymentrefund
  where status in ('Requested', 'Pending', 'Unknown') and paymentid = any(${PAYMENTS})
  union all
  select 'dispute', paymentdisputeid, status, 4 from paymentdispute
  where status = 'Open' and paymentid = any(${PAYMENTS})
  union all
  select 'payment method', paymentmethodid, status, 5 from paymentmethod
  where status in ('Requested', 'Active', 'Inactive') and paymentmethodid = any(${METHODS})
  union all
  select 'customer', paymentcustomerid, coalesce(status, 'Current'), 6 from paymentcustomer
  where object = $1::text and objectid = any($2::bigint[]) and gatewaycustomerid is not null
    and status is distinct from 'Removed'`;

/**
 * Throws STATE_REFUSES if a gateway still charges or stores something for records of one type, of any firm. Names only
 * what the caller can see.
 */
export async function assertNothingActive(ctx: Context, record: RecordType, ids: readonly number[]): Promise<void> {
  const text = `select what, id, status from (${activeParts}) active order by place, id`;
  const params = [record.name, arrayLiteral(ids)];
  const parts = await ctx.transaction().elevated((db) => db.query<ActivePart>(text, params));
  if (parts.length === 0) return;
  const visible = new Set((await ctx.db.query<ActivePart>(text, params)).map(({ what, id }) => `${what} ${id}`));
  const named = parts.map(({ what, id, status }) => ({ name: `${what} ${id}`, status }));
  const shown = named.filter(({ name }) => visible.has(name)).map(({ name, status }) => `${name} is ${status}`);
  const listed = shown.slice(0, NAMED_MAX);
  const more = named.length - listed.length;
  if (more > 0) listed.push(listed.length > 0 ? `and ${more} more` : `${more} that you can't see`);
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message:
      `ID: the ${record.title.toLowerCase()} can't be deleted while it has active records at a payment gateway: ` +
      `${listed.join(', ')}. Cancel subscriptions with paymentsubscription/cancel, wait until open payments, refunds ` +
      'and disputes are settled, and remove customers with paymentcustomer/remove.',
  });
}

/**
 * Throws STATE_REFUSES if a customer or payment method to be removed has subscriptions: the gateway would end them
 * without notice, or their charges would fail. Needs a transaction that has locked the record.
 */
export async function assertNoSubscription(
  own: Context,
  what: 'customer' | 'payment method',
  id: number,
): Promise<void> {
  const column = what === 'customer' ? 'm.paymentcustomerid' : 'm.paymentmethodid';
  const rows = await own.transaction().elevated((db) =>
    db.query<{ id: number; status: string }>(
      `select s.paymentsubscriptionid as id, s.status
       from paymentsubscription s join paymentmethod m on m.paymentmethodid = s.paymentmethodid
       where ${column} = $1::bigint and s.status in ('Requested', 'Active', 'Late', 'Unknown')
       order by 1 limit ${NAMED_MAX}`,
      [id],
    ),
  );
  if (rows.length === 0) return;
  const running = rows.map((row) => `subscription ${row.id} is ${row.status}`).join(', ');
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: ${what} ${id} can't be removed while ${running}. Cancel it with paymentsubscription/cancel.`,
  });
}

/**
 * Locks the record that a payer or payment belongs to, so that it can't be deleted before the transaction commits.
 * Needs a transaction.
 *
 * @throws NOT_FOUND
 */
export async function lockPayingRecord(own: Context, object: string, id: number): Promise<void> {
  const record = own.registry.requireRecord(object, 'Object');
  const { table } = record.root;
  const rows = await own
    .transaction()
    .elevated((db) => db.query(`select 1 from ${table} where ${table}id = $1::bigint for key share`, [id]));
  if (rows.length === 0) throw notFound(record, id, 'ObjectID');
}

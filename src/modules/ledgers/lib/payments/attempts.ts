/** Keys of what a call requests, so that a repetition of the call finds what the call has requested already. */
import { createHash, randomUUID } from 'node:crypto';
import type { ColumnName } from '../../../../kernel/declare/columns.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { fromOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Payment } from './payment-rows.ts';
import type { Refund } from './refunds/settle-refunds.ts';
import type { StoredSubscription } from './subscriptions/subscription-state.ts';

/** Most requests of one call and its repetitions. Only those that were not carried out are followed by another one. */
const ATTEMPTS_MAX = 100;

/** What a call requests: under a new key, unless it is a repetition and has requested it already. */
export type Attempt<T> = { readonly key: string } | { readonly earlier: T };

/** Returns the payment that an earlier run of this call requested, or the key of a new one. Needs a transaction. */
export function paymentAttempt(own: Context): Promise<Attempt<Payment>> {
  return attemptOf(own, readByKey(own, own.registry.recordType('Payment'), 'PaymentKey'));
}

/** Returns the refund that an earlier run of this call requested, or the key of a new one. Needs a transaction. */
export function refundAttempt(own: Context): Promise<Attempt<Refund>> {
  return attemptOf(own, readByKey(own, own.registry.recordType('PaymentRefund'), 'RefundKey'));
}

/** Returns the subscription that an earlier run of this call requested, or a new key. Needs a transaction. */
export function subscriptionAttempt(own: Context): Promise<Attempt<StoredSubscription>> {
  const wasStarted = ({ Status, GatewaySubscriptionID }: StoredSubscription): boolean =>
    Status !== 'Canceled' || GatewaySubscriptionID !== null;
  return attemptOf(own, readByKey(own, own.registry.recordType('PaymentSubscription'), 'SubscriptionKey'), wasStarted);
}

/** Reads requests by their keys. */
type ReadByKey<T> = (keys: readonly string[]) => Promise<readonly T[]>;

/** Returns a function that reads records by their keys, also those that the caller does not see. */
function readByKey<R extends RecordType>(own: Context, record: R, key: ColumnName<R>): ReadByKey<Row<R>> {
  const text =
    `select ${selectListOf(record)} from ${fromOf(record)} ` +
    `where ${record.table}.${key.toLowerCase()} = any($1::text[])`;
  return (keys) => own.transaction().elevated((db) => db.query<Row<R>>(text, [arrayLiteral(keys)]));
}

const mayBeCarriedOut = ({ Status }: { readonly Status: string | null }): boolean => Status !== 'NotCarriedOut';

async function attemptOf<T extends { readonly Status: string | null }>(
  { requestKey }: Context,
  read: ReadByKey<T>,
  isTaken: (row: T) => boolean = mayBeCarriedOut,
): Promise<Attempt<T>> {
  if (requestKey === undefined) return { key: randomUUID() };
  const keys = Array.from({ length: ATTEMPTS_MAX }, (_, n) => keyOf(`${requestKey} ${n}`));
  const rows = await read(keys);
  const earlier = rows.find(isTaken);
  if (earlier) return { earlier };
  const key = keys[rows.length];
  if (key === undefined)
    throw new PlatformError('STATE_REFUSES', {
      field: 'Idempotency-Key',
      message: `This call was repeated ${ATTEMPTS_MAX} times, and the gateway carried out none. Send a new one.`,
    });
  return { key };
}

/** Returns a hash in the form of a UUID. */
function keyOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

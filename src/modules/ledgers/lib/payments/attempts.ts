/** Keys of what a call requests, so that a repetition of the call finds what the call has requested already. */
import { createHash, randomUUID } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { fromOf, selectListOf } from '../../../../kernel/database/sql.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Payment } from './payment-rows.ts';
import type { Refund } from './settle-refunds.ts';
import type { StoredSubscription } from './subscriptions/subscription-state.ts';

/** Most requests of one call and its repetitions. Only those that were not carried out are followed by another one. */
const ATTEMPTS_MAX = 100;

/** What a call requests: under a new key, unless it is a repetition and has requested it already. */
export type Attempt<T> = { readonly key: string } | { readonly earlier: T };

/** Returns the payment that an earlier run of this call requested, or the key of a new one. Needs a transaction. */
export function paymentAttempt(own: Context): Promise<Attempt<Payment>> {
  const record = own.registry.recordType('Payment');
  return attemptOf(own, (keys) =>
    own
      .transaction()
      .elevated((db) =>
        db.query<Payment>(
          `select ${selectListOf(record)} from ${fromOf(record)} where payment.paymentkey = any($1::text[])`,
          [arrayLiteral(keys)],
        ),
      ),
  );
}

/** Returns the refund that an earlier run of this call requested, or the key of a new one. Needs a transaction. */
export function refundAttempt(own: Context): Promise<Attempt<Refund>> {
  const record = own.registry.recordType('PaymentRefund');
  return attemptOf(own, (keys) =>
    own
      .transaction()
      .elevated((db) =>
        db.query<Refund>(
          `select ${selectListOf(record)} from ${fromOf(record)} where paymentrefund.refundkey = any($1::text[])`,
          [arrayLiteral(keys)],
        ),
      ),
  );
}

/** Returns the subscription that an earlier run of this call requested, or the key of a new one. */
export function subscriptionAttempt(own: Context): Promise<Attempt<StoredSubscription>> {
  const record = own.registry.recordType('PaymentSubscription');
  const wasStarted = (row: StoredSubscription): boolean =>
    row.Status !== 'Canceled' || row.GatewaySubscriptionID !== null;
  return attemptOf(
    own,
    (keys) =>
      own.transaction().elevated((db) =>
        db.query<StoredSubscription>(
          `select ${selectListOf(record)} from ${fromOf(record)}
             where paymentsubscription.subscriptionkey = any($1::text[])`,
          [arrayLiteral(keys)],
        ),
      ),
    wasStarted,
  );
}

const mayBeCarriedOut = ({ Status }: { readonly Status: string | null }): boolean => Status !== 'NotCarriedOut';

async function attemptOf<T extends { readonly Status: string | null }>(
  { requestKey }: Context,
  read: (keys: readonly string[]) => Promise<readonly T[]>,
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

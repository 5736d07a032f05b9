/** Payments, refunds and disputes as they are recorded here, many at once. */
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Period } from '../../../../../contracts/payment-provider.ts';
import type { OwnPayment, OwnRefund } from './differences.ts';

/** A recorded payment with the key of its request. */
export type KeyedPayment = OwnPayment & { readonly key: string | null; readonly refunded: string | null };

const paymentColumns = `paymentid as id, gatewaypaymentid as "gatewayId", paymentkey as key, status, amount, currency,
  capturedamount as captured, refundedamount as refunded, ledgerid as "ledgerId", ledgeritemid as "lineId",
  requesteddate as requested`;

/** Returns the payments of a gateway that have one of these IDs there, or the key of a request. */
export function readOwnPayments(
  { db }: Pick<Context, 'db'>,
  providerId: number,
  { ids, keys }: { readonly ids: readonly string[]; readonly keys: readonly string[] },
): Promise<readonly KeyedPayment[]> {
  return db.query<KeyedPayment>(
    `select ${paymentColumns} from payment
     where paymentproviderid = $1::bigint and (gatewaypaymentid = any($2::text[]) or paymentkey = any($3::text[]))`,
    [providerId, arrayLiteral(ids), arrayLiteral(keys)],
  );
}

/** Returns the payments of a period that a gateway should have and did not list, from a payment on, by ID. */
export function readUnlistedPayments(
  { db }: Pick<Context, 'db'>,
  providerId: number,
  of: { readonly period: Period; readonly listed: readonly string[]; readonly after: number; readonly limit: number },
): Promise<readonly KeyedPayment[]> {
  return db.query<KeyedPayment>(
    `select ${paymentColumns} from payment
     where paymentproviderid = $1::bigint and requesteddate >= $2::timestamptz and requesteddate < $3::timestamptz
       and gatewaypaymentid is not null and gatewaypaymentid <> all($4::text[]) and paymentid > $5::bigint
     order by paymentid limit $6::integer`,
    [providerId, of.period.from, of.period.to, arrayLiteral(of.listed), of.after, of.limit],
  );
}

/** Returns the IDs of the payments of a period whose outcome is not known. */
export async function readOpenPayments(
  { db }: Pick<Context, 'db'>,
  providerId: number,
  { from, to }: Period,
  limit: number,
): Promise<readonly number[]> {
  const rows = await db.query<{ id: number }>(
    `select paymentid as id from payment
     where paymentproviderid = $1::bigint and requesteddate >= $2::timestamptz and requesteddate < $3::timestamptz
       and status in ('Requested', 'Unknown')
     order by paymentid limit $4::integer`,
    [providerId, from, to, limit],
  );
  return rows.map(({ id }) => id);
}

const refundColumns = `r.paymentrefundid as id, r.ledgeritemid as "lineId", p.ledgeritemid as "paymentLineId",
  r.paymentid as "paymentId", r.gatewayrefundid as "gatewayId", r.refundkey as key, r.status,
  r.amount, r.currency, r.requesteddate as requested`;

/** A recorded refund with the key of its request. */
export interface KeyedRefund extends OwnRefund {
  readonly id: number;
  readonly key: string | null;
  readonly lineId: number | null;
  /** The payment's line in its ledger. */
  readonly paymentLineId: number | null;
}

/** Returns the refunds of a gateway that have one of these IDs there, or the key of a request. */
export function readOwnRefunds(
  { db }: Pick<Context, 'db'>,
  providerId: number,
  { ids, keys }: { readonly ids: readonly string[]; readonly keys: readonly string[] },
): Promise<readonly KeyedRefund[]> {
  return db.query<KeyedRefund>(
    `select ${refundColumns} from paymentrefund r join payment p on p.paymentid = r.paymentid
     where p.paymentproviderid = $1::bigint
       and (r.gatewayrefundid = any($2::text[]) or r.refundkey = any($3::text[]))`,
    [providerId, arrayLiteral(ids), arrayLiteral(keys)],
  );
}

/** Returns the refunds of a period that a gateway should have and did not list. */
export function readUnlistedRefunds(
  { db }: Pick<Context, 'db'>,
  providerId: number,
  of: { readonly period: Period; readonly listed: readonly string[]; readonly limit: number },
): Promise<readonly KeyedRefund[]> {
  return db.query<KeyedRefund>(
    `select ${refundColumns} from paymentrefund r join payment p on p.paymentid = r.paymentid
     where p.paymentproviderid = $1::bigint and r.requesteddate >= $2::timestamptz
       and r.requesteddate < $3::timestamptz and r.gatewayrefundid is not null
       and r.gatewayrefundid <> all($4::text[])
     order by r.paymentrefundid limit $5::integer`,
    [providerId, of.period.from, of.period.to, arrayLiteral(of.listed), of.limit],
  );
}

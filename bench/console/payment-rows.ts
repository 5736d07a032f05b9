import type postgres from 'postgres';

/** Most cases with payments. */
const CASES = 50_000;
const METHODS_PER_CASE = 3;
const PAYMENTS_PER_CASE = 8;

/** Adds payers, payment methods and payments to cases, unless they are there: to all with many tasks, and others. */
export async function fillPayments(sql: postgres.Sql, busy: readonly number[]): Promise<void> {
  const [known] = await sql.unsafe<{ one: number }[]>('select 1 as one from payment limit 1');
  if (known) return;
  await sql.unsafe(
    `create temporary table paying as
       select processid as id from process where recordclass = 'Foreclosure'
       order by processid = any($1::bigint[]) desc, processid limit ${CASES}`,
    [`{${busy.join(',')}}`],
  );
  await sql.unsafe(
    `with gateway as (
       insert into paymentprovider (paymentprovider, paymentprovidertype, active) values ('Bench', 'test', true)
       returning paymentproviderid as id),
     payer as (
       insert into paymentcustomer (object, objectid, name, status, paymentproviderid, gatewaycustomerid)
       select 'Foreclosure', p.id, 'Payer of ' || p.id, 'Current', g.id, 'customer-' || p.id
       from paying p cross join gateway g
       returning paymentcustomerid, objectid, paymentproviderid),
     method as (
       insert into paymentmethod (object, objectid, paymentcustomerid, paymentproviderid, status, kind, brand, lastfour,
         expirymonth, expiryyear, gatewaymethodid, vaultkey)
       select 'Foreclosure', objectid, paymentcustomerid, paymentproviderid,
         case n when 1 then 'Active' else 'Inactive' end, 'Card', 'Visa', '4242', 12, 2031,
         'method-' || objectid || '-' || n, gen_random_uuid()
       from payer cross join generate_series(1, ${METHODS_PER_CASE}) n
       returning paymentmethodid, objectid, paymentproviderid, status)
     insert into payment (payment, object, objectid, paymentmethodid, paymentproviderid, status, purpose, amount,
       currency, capturedamount, refundedamount, paymentkey, gatewaypaymentid, requesteddate, settleddate)
     select 'Fees', 'Foreclosure', objectid, paymentmethodid, paymentproviderid, 'Captured', 'Charge', 100 + n, 'USD',
       100 + n, 0, gen_random_uuid(), 'payment-' || objectid || '-' || n, d.at, d.at
     from method cross join generate_series(1, ${PAYMENTS_PER_CASE}) n
     cross join lateral (select now() - n * interval '30 days' as at) d
     where status = 'Active'`,
  );
  await sql.unsafe('drop table paying');
  await sql.unsafe('vacuum analyze paymentcustomer, paymentmethod, payment');
}

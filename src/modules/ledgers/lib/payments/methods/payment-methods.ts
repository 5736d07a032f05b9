/** Stored cards and bank accounts. */
import { randomUUID } from 'node:crypto';
import type { VaultedMethod } from '../../../../../contracts/payment-provider.ts';
import { lockName } from '../../../../../kernel/database/advisory-lock.ts';
import { arrayLiteral } from '../../../../../kernel/database/store.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import type { Values } from '../../../../../kernel/declare/values.ts';
import { insertRow } from '../../../../../kernel/records/save/insert-row.ts';
import { lockRecord, lockRecords } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import type { paymentMethod } from '../../../paymentmethod/paymentmethod.record.ts';
import type { PaymentMethod } from '../charge-ledger.ts';
import { lockPayingRecord } from '../active-payments.ts';
import { billingAddress, customerAtGateway } from '../customers.ts';
import { assertMethodReach, assertPayerReach } from '../payer-reach.ts';
import { detailText, nextCheck, UNANSWERED_CHECKS } from '../payment-state.ts';

/** What a new method pays for, and whose it is. */
export interface NewMethod {
  readonly customerId: number;
  readonly object: string;
  readonly objectId: number;
}

/** Records a method that is about to be stored at its customer's gateway. Needs a transaction. */
export async function requestMethod(
  own: Context,
  { customerId, object, objectId }: NewMethod,
  { gatewayId, returnHash = null }: { readonly gatewayId: number; readonly returnHash?: string | null },
): Promise<PaymentMethod> {
  const record = own.registry.recordType('PaymentMethod');
  await lockPayingRecord(own, object, objectId);
  await assertPayerReach(own, { customerId, object, objectId });
  return insertRow(own, record, {
    Status: 'Requested',
    Object: own.registry.requireRecord(object, 'Object').name,
    ObjectID: objectId,
    PaymentCustomerID: customerId,
    PaymentProviderID: gatewayId,
    VaultKey: randomUUID(),
    ReturnHash: returnHash,
    Checks: 0,
    NextCheck: nextCheck(own.clock.milliseconds(), UNANSWERED_CHECKS),
  });
}

/**
 * Stores the card or bank account of a token from the gateway's form, and makes it the active one of its record.
 *
 * @throws PAYMENT_DECLINED, UNAVAILABLE
 */
export async function vaultMethod(ctx: Context, of: NewMethod, token: string): Promise<PaymentMethod> {
  const customer = await customerAtGateway(ctx, of.customerId);
  const row = await ctx.inTransaction((own) => requestMethod(own, of, { gatewayId: customer.gateway.id }));
  const id = row.PaymentMethodID;
  const address = billingAddress(customer.row);
  const outcome = await customer.gateway.provider
    .vault(customer.id, token, { key: row.VaultKey ?? '', ...(address ? { address } : {}) })
    .catch(async (error: unknown) => {
      // By contract the gateway has not carried it out. Any other error says nothing about that.
      if (error instanceof PlatformError) await ctx.inTransaction((own) => failMethod(own, id, error.message));
      throw error;
    });
  if (outcome.status === 'unknown') {
    await ctx.inTransaction((own) => postponeMethod(own, id, outcome.detail));
    throw new PlatformError('UNAVAILABLE', {
      message:
        'The payment gateway did not confirm that it stored the card or bank account. Nothing was charged. ' +
        'Casewright queries the gateway until it is known.',
      details: { PaymentMethodID: id },
    });
  }
  const { result } = outcome;
  if ('declined' in result) {
    const detail = `${result.declined.code}: ${result.declined.message}`;
    await ctx.inTransaction((own) => failMethod(own, id, detail));
    throw new PlatformError('PAYMENT_DECLINED', {
      message: `The card or bank account was declined (${result.declined.code}). ${result.declined.message}`,
      details: { PaymentMethodID: id, DeclineCode: result.declined.code },
    });
  }
  return ctx.inTransaction((own) => recordMethod(own, id, result));
}

/**
 * Records a method as its gateway has it, whoever received the report, and makes a new one the active one of its
 * record. Reports may be repeated, and one that was given up may have been stored after all. Needs a transaction.
 */
export async function recordMethod(own: Context, id: number, method: VaultedMethod): Promise<PaymentMethod> {
  const record = own.registry.recordType('PaymentMethod');
  await lockActivation(own, id);
  const row = await lockRecord(own, record, id);
  if (row.Status === 'Removed') return row;
  const other = await otherWith(own, row, method.id);
  if (other !== undefined)
    return failMethod(own, id, `The gateway has stored it already: it is payment method ${other}.`);
  const isNew = row.GatewayMethodID === null;
  const stored = { Status: 'Inactive', Detail: null, NextCheck: null } as const;
  const updated = await updateRow(own, record, id, { ...methodValues(method), ...(isNew ? stored : {}) });
  if (!isNew) return updated;
  try {
    return await own.savepoint(async () => {
      await assertMayReplace(own, id);
      return activateMethod(own, id);
    });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'STATE_REFUSES') throw error;
    // The gateway has it: it is recorded, and can be removed.
    own.alert({ code: error.code, id, text: `Payment method ${id} is stored, but not active. ${error.message}` });
    return lockRecord(own, record, id);
  }
}

/** Returns another record of a method: customers can choose a stored one on the gateway's page. */
export async function otherWith(
  own: Context,
  { PaymentMethodID: id, PaymentProviderID: gatewayId }: PaymentMethod,
  gatewayMethodId: string,
): Promise<number | undefined> {
  const [other] = await own.transaction().elevated((db) =>
    db.query<{ id: number }>(
      `select paymentmethodid as id from paymentmethod
       where paymentproviderid = $1::bigint and gatewaymethodid = $2::text and paymentmethodid <> $3::bigint`,
      [gatewayId, gatewayMethodId, id],
    ),
  );
  return other?.id;
}

/** Returns the columns of a method as its gateway has it. */
export function methodValues({ id, kind, brand, lastFour, expires }: VaultedMethod): Values<typeof paymentMethod> {
  return {
    Kind: kind === 'card' ? 'Card' : 'Bank',
    Brand: brand.slice(0, 60),
    LastFour: lastFour.slice(-4),
    ExpiryMonth: expires?.month ?? null,
    ExpiryYear: expires?.year ?? null,
    GatewayMethodID: id,
  };
}

/**
 * Makes a method the active one of its record. Needs a transaction.
 *
 * @throws STATE_REFUSES also if the caller does not see the present one, which staff or another firm has stored, and if
 * its payer may not pay for the record
 */
export async function activateMethod(own: Context, id: number): Promise<PaymentMethod> {
  const record = own.registry.recordType('PaymentMethod');
  await lockActivation(own, id);
  const rows = await own.transaction().elevated((db) =>
    db.query<{ id: number }>(
      `select m.paymentmethodid as id
       from paymentmethod m join paymentmethod chosen on (chosen.objectid, chosen.object) = (m.objectid, m.object)
       where chosen.paymentmethodid = $1::bigint and (m.status = 'Active' or m.paymentmethodid = $1::bigint)`,
      [id],
    ),
  );
  const ids = rows.map((row) => row.id);
  await assertSeesAll(own, id, ids);
  const locked = await lockRecords(own, record, ids);
  const chosen = locked.find((row) => row.PaymentMethodID === id);
  if (chosen?.Status === 'Active') return chosen;
  if (chosen?.Status !== 'Inactive')
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: payment method ${id} is ${String(chosen?.Status)}; expected one that is Inactive.`,
    });
  await assertMethodReach(own, id, 'ID');
  for (const { PaymentMethodID, Status } of locked)
    if (Status === 'Active') await updateRow(own, record, PaymentMethodID, { Status: 'Inactive' });
  return updateRow(own, record, id, { Status: 'Active' });
}

/**
 * Locks the choice of the active method of a method's record until the transaction ends. Two methods that are stored at
 * once would each become active. Taken before the rows are locked.
 */
async function lockActivation(own: Context, id: number): Promise<void> {
  const [row] = await own
    .transaction()
    .elevated((db) =>
      db.query<{ object: string; objectId: number }>(
        'select object, objectid as "objectId" from paymentmethod where paymentmethodid = $1::bigint',
        [id],
      ),
    );
  if (row) await lockName(own, `payment method of ${row.object} ${row.objectId}`);
}

/**
 * Throws STATE_REFUSES if a method that a firm has stored would replace one of others, also where the platform itself
 * records that it was stored.
 */
async function assertMayReplace(own: Context, id: number): Promise<void> {
  const [other] = await own.transaction().elevated((db) =>
    db.query(
      `select 1 from paymentmethod chosen
       join paymentmethod m on (m.objectid, m.object) = (chosen.objectid, chosen.object) and m.status = 'Active'
       where chosen.paymentmethodid = $1::bigint and chosen.reachorganizationid is not null
         and m.reachorganizationid is distinct from chosen.reachorganizationid`,
      [id],
    ),
  );
  if (other) throw othersActive(id);
}

async function assertSeesAll(own: Context, id: number, ids: readonly number[]): Promise<void> {
  const visible = await own.db.query<{ id: number }>(
    'select paymentmethodid as id from paymentmethod where paymentmethodid = any($1::bigint[])',
    [arrayLiteral(ids)],
  );
  if (visible.length < ids.length) throw othersActive(id);
}

function othersActive(id: number): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message: `ID: the active payment method of this record belongs to someone else; you cannot replace it with ${id}.`,
  });
}

/** Marks the methods of a customer as removed, who is removed at the gateway. Needs a transaction. */
export async function removeMethodsOf(own: Context, customerId: number): Promise<void> {
  const record = own.registry.recordType('PaymentMethod');
  const rows = await own.db.query<{ id: number }>(
    `select paymentmethodid as id from paymentmethod
     where paymentcustomerid = $1::bigint and status not in ('Removed', 'Failed') order by paymentmethodid for update`,
    [customerId],
  );
  for (const { id } of rows) await updateRow(own, record, id, { Status: 'Removed' });
}

/** Records that a method was not stored. Needs a transaction. */
export async function failMethod(own: Context, id: number, detail: string): Promise<PaymentMethod> {
  const record = own.registry.recordType('PaymentMethod');
  const row = await lockRecord(own, record, id);
  if (row.Status !== 'Requested') return row;
  return updateRow(own, record, id, {
    Status: 'Failed',
    Detail: detailText(detail),
    NextCheck: null,
  });
}

/** Queries the gateway again later whether a method was stored. Needs a transaction. */
export async function postponeMethod(own: Context, id: number, detail: string | null): Promise<PaymentMethod> {
  const record = own.registry.recordType('PaymentMethod');
  const row = await lockRecord(own, record, id);
  if (row.Status !== 'Requested') return row;
  const checks = (row.Checks ?? 0) + 1;
  return updateRow(own, record, id, {
    Detail: detail === null ? null : detailText(detail),
    Checks: checks,
    NextCheck: nextCheck(own.clock.milliseconds(), checks),
  });
}

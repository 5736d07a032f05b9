/**
 * Who may pay for what: a payer pays for another record only if everybody who sees the payment method there sees the
 * payer's own record, too. So no firm sees or charges a card of another firm's case, whoever stored it.
 */
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { firmOf } from '../../../../kernel/security/identity.ts';
import type { NewMethod } from './methods/payment-methods.ts';

/** SQL of the firms that see a record, given as two expressions. */
const firms = (object: string, id: string): string => `coalesce(casewright_reach_below(${object}, ${id}), '{}')`;

/**
 * Throws unless a payer may pay for a record. What a firm's user stores is visible to that firm alone, which sees the
 * payer. Needs a transaction.
 *
 * @throws STATE_REFUSES
 */
export async function assertPayerReach(own: Context, { customerId, object, objectId }: NewMethod): Promise<void> {
  if (firmOf(own.user) !== null) return;
  const [other] = await own.transaction().elevated((db) =>
    db.query(
      `select 1 from paymentcustomer c
       where c.paymentcustomerid = $1::bigint and (c.object, c.objectid) is distinct from ($2::text, $3::bigint)
         and not ${firms('$2::text', '$3::bigint')} <@ ${firms('c.object', 'c.objectid')}`,
      [customerId, own.registry.requireRecord(object, 'Object').name, objectId],
    ),
  );
  if (!other) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'PaymentCustomerID',
    message:
      `PaymentCustomerID: payer ${customerId} belongs to a record that not all firms of ${object} ${objectId} can ` +
      'see; expected a payer of that record. Save one with paymentcustomer/save.',
  });
}

/** SQL of stored methods whose payer belongs to a record that not all who see the method can see. */
const APART = `select m.paymentmethodid as id
  from paymentmethod m join paymentcustomer c on c.paymentcustomerid = m.paymentcustomerid
  where (c.object, c.objectid) is distinct from (m.object, m.objectid)
    and not (case when m.reachorganizationid is null then ${firms('m.object', 'm.objectid')}
      else array[m.reachorganizationid] end) <@ ${firms('c.object', 'c.objectid')}`;

/**
 * Throws unless the payer of a stored method may still pay for the method's record: one of them may have moved to
 * another firm since. Needs a transaction.
 *
 * @throws STATE_REFUSES
 */
export async function assertMethodReach(own: Context, methodId: number, field: string): Promise<void> {
  const [apart] = await own
    .transaction()
    .elevated((db) => db.query(`${APART} and m.paymentmethodid = $1::bigint`, [methodId]));
  if (!apart) return;
  throw new PlatformError('STATE_REFUSES', {
    field,
    message:
      `${field}: the payer of payment method ${methodId} belongs to a record that not all who see the method can ` +
      'see. Store the card or bank account again, with a payer of its own record.',
  });
}

/** Throws STATE_REFUSES if a payer that has moved may not pay for the records of its methods. Needs a transaction. */
export async function assertMovedPayerReach(own: Context, customerId: number): Promise<void> {
  const [apart] = await own
    .transaction()
    .elevated((db) =>
      db.query<{ id: number }>(
        `${APART} and m.paymentcustomerid = $1::bigint and m.status not in ('Removed', 'Failed') limit 1`,
        [customerId],
      ),
    );
  if (!apart) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ObjectID',
    message:
      `ObjectID: payment method ${apart.id} of payer ${customerId} pays for a record of a firm that cannot see this ` +
      'one. Remove the method first.',
  });
}

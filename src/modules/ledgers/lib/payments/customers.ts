/** Customers of payment gateways, recorded first and then sent. */
import { randomUUID } from 'node:crypto';
import type { BillingAddress, CustomerDetails } from '../../../../contracts/payment-provider.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { paymentCustomer } from '../../paymentcustomer/paymentcustomer.record.ts';
import { gatewayById, gatewayByName, type Gateway } from './gateways.ts';

/** A stored customer. */
export type Customer = Row<typeof paymentCustomer>;

/** Returns the details of a customer as a gateway gets them. */
function customerDetails(row: Customer): CustomerDetails {
  const address = billingAddress(row);
  return {
    name: row.Name,
    ...(row.Email ? { email: row.Email } : {}),
    ...(row.Telephone ? { phone: row.Telephone } : {}),
    ...(address ? { address } : {}),
  };
}

/** Returns the billing address of a customer; undefined if it is not complete. */
export function billingAddress(row: Customer): BillingAddress | undefined {
  const { Street, Street2, City, State, PostalCode, Country } = row;
  if (!Street || !City || !PostalCode) return undefined;
  return {
    line1: Street,
    ...(Street2 ? { line2: Street2 } : {}),
    city: City,
    ...(State ? { state: State } : {}),
    postalCode: PostalCode,
    country: Country ?? 'US',
  };
}

/** A customer that its gateway has. */
export interface GatewayCustomer {
  readonly row: Customer;
  readonly gateway: Gateway;
  /** The gateway's ID. */
  readonly id: string;
}

/**
 * Returns a customer that its gateway has: creates it there if necessary, under one key.
 *
 * @throws STATE_REFUSES if it was removed, UNAVAILABLE
 */
export async function customerAtGateway(ctx: Context, customerId: number): Promise<GatewayCustomer> {
  const record = ctx.registry.recordType('PaymentCustomer');
  const { row, gateway } = await ctx.inTransaction(async (own) => {
    const locked = await lockRecord(own, record, customerId);
    if (locked.Status === 'Removing' || locked.Status === 'Removed')
      throw new PlatformError('STATE_REFUSES', {
        field: 'PaymentCustomerID',
        message: `PaymentCustomerID: customer ${customerId} was removed.`,
      });
    // One that was saved before there was a gateway gets the default one.
    const isNew = locked.PaymentProviderID === null && locked.GatewayCustomerID === null;
    const found = await (isNew ? gatewayByName(own, null) : gatewayById(own, locked.PaymentProviderID));
    if (locked.CustomerKey !== null && !isNew) return { row: locked, gateway: found };
    const CustomerKey = locked.CustomerKey ?? randomUUID();
    const keyed = await updateRow(own, record, customerId, { CustomerKey, PaymentProviderID: found.id });
    return { row: keyed, gateway: found };
  });
  if (row.GatewayCustomerID !== null) return { row, gateway, id: row.GatewayCustomerID };
  const outcome = await gateway.provider.createCustomer(customerDetails(row), { key: row.CustomerKey ?? '' });
  if (outcome.status === 'unknown')
    throw new PlatformError('UNAVAILABLE', {
      message: 'The payment gateway did not confirm that it created the customer. Repeat the call.',
    });
  const id = outcome.result;
  const created = await ctx.inTransaction(async (own) => {
    const locked = await lockRecord(own, record, customerId);
    if (locked.GatewayCustomerID !== null) return locked;
    if (locked.PaymentProviderID !== gateway.id)
      throw new PlatformError('CONCURRENT_CHANGE', {
        message: `Customer ${customerId} got another payment gateway meanwhile. Repeat the call.`,
      });
    return updateRow(own, record, customerId, { GatewayCustomerID: id, Status: 'Current' });
  });
  return { row: created, gateway, id: created.GatewayCustomerID ?? id };
}

/** Sends the details of a customer that is waiting to its gateway; removes one there that is to be removed. */
export async function synchronizeCustomer(ctx: Context, customerId: number): Promise<Customer> {
  const record = ctx.registry.recordType('PaymentCustomer');
  const { row, gateway } = await ctx.inTransaction(async (own) => {
    const locked = await lockRecord(own, record, customerId);
    return { row: locked, gateway: await gatewayById(own, locked.PaymentProviderID) };
  });
  const { GatewayCustomerID: id, Status: status, Version } = row;
  if (status === 'Waiting' && id !== null) await gateway.provider.updateCustomer(id, customerDetails(row));
  else if (status === 'Removing' && id !== null) await gateway.provider.deleteCustomer(id);
  else if (status !== 'Removing') return row;
  return ctx.inTransaction(async (own) => {
    const locked = await lockRecord(own, record, customerId);
    // Changed meanwhile: the call that was queued with that change sends it.
    if (locked.Version !== Version) return locked;
    return updateRow(own, record, customerId, { Status: status === 'Removing' ? 'Removed' : 'Current', Detail: null });
  });
}

/** Capturing and voiding authorized payments. */
import { minorUnits } from '../../../../contracts/payment-money.ts';
import type { GatewayPayment, Outcome } from '../../../../contracts/payment-provider.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { assertMonthOpen } from '../closed-months.ts';
import { moneyUnits } from '../money.ts';
import { gatewayById, type Gateway } from './gateways.ts';
import { detailText, nextCheck } from './payment-state.ts';
import { lockPayment, type Payment } from './payment-rows.ts';
import { recordPayment } from './record-payment.ts';

/** An action that is recorded and can be sent. */
interface RequestedAction {
  readonly row: Payment;
  readonly gateway: Gateway;
}

/** Captures an authorized payment, or a part of it; voids it without an amount. Returns it with its outcome. */
export async function endAuthorization(
  ctx: Context,
  id: number,
  { action, amount }: { readonly action: 'Capture' | 'Void'; readonly amount?: string | undefined },
): Promise<Payment> {
  const requested = await ctx.inTransaction((own) => requestAction(own, id, action, amount));
  if ('done' in requested) return requested.done;
  const { row, gateway } = requested;
  let outcome: Outcome<GatewayPayment>;
  try {
    const gatewayId = row.GatewayPaymentID ?? '';
    // The version tells an action from an earlier one that the gateway did not carry out.
    const key = `${row.PaymentKey ?? ''}-${row.Version}`;
    outcome = await (action === 'Void'
      ? gateway.provider.void(gatewayId, { key })
      : gateway.provider.capture(gatewayId, { key, amount: row.PendingAmount ?? row.Amount ?? '0' }));
  } catch (error) {
    // By contract the gateway has not carried it out. Any other error says nothing about that.
    if (error instanceof PlatformError) await ctx.inTransaction((own) => endAction(own, id));
    throw error;
  }
  if (outcome.status === 'done') {
    const { result } = outcome;
    return ctx.inTransaction((own) => recordPayment(own, id, result));
  }
  const { detail } = outcome;
  await ctx.inTransaction(async (own) => {
    await lockPayment(own, id);
    await updateRow(own, own.registry.recordType('Payment'), id, { Detail: detailText(detail) });
  });
  throw new PlatformError('UNAVAILABLE', {
    message:
      `It is not known yet whether payment ${id} was ${action === 'Void' ? 'voided' : 'captured'}. Do not repeat it: ` +
      'Casewright queries the gateway until the outcome is known.',
    details: { PaymentID: id },
  });
}

async function requestAction(
  own: Context,
  id: number,
  action: 'Capture' | 'Void',
  amount: string | undefined,
): Promise<RequestedAction | { readonly done: Payment }> {
  const row = await lockPayment(own, id);
  if (action === 'Void' && row.Status === 'Voided') return { done: row };
  if (row.Status !== 'Authorized' || row.PendingAction !== null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        row.PendingAction === null
          ? `ID: payment ${id} is ${String(row.Status)}; expected one that is Authorized.`
          : `ID: the outcome of the ${row.PendingAction.toLowerCase()} of payment ${id} is not known yet; try later.`,
    });
  const taken = amount ?? row.Amount ?? '0';
  if (action === 'Capture') {
    minorUnits({ amount: taken, currency: row.Currency ?? '' });
    if (moneyUnits(taken) > moneyUnits(row.Amount ?? '0')) throw bad('Amount', `at most ${row.Amount ?? '0'}`);
    if (row.LedgerID !== null) assertMonthOpen(own, own.clock.now());
  }
  const requested = await updateRow(own, own.registry.recordType('Payment'), id, {
    PendingAction: action,
    PendingAmount: action === 'Capture' ? taken : null,
    Checks: 0,
    NextCheck: nextCheck(own.clock.milliseconds(), 2),
  });
  return { row: requested, gateway: await gatewayById(own, row.PaymentProviderID) };
}

async function endAction(own: Context, id: number): Promise<void> {
  const row = await lockPayment(own, id);
  if (row.PendingAction === null) return;
  const ended = { PendingAction: null, PendingAmount: null, NextCheck: null };
  await updateRow(own, own.registry.recordType('Payment'), id, ended);
}

import { list } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { today } from '../../../kernel/time/today.ts';
import { readGateways } from '../lib/payments/reconcile/all-gateways.ts';
import { runReconciliation } from '../lib/payments/reconcile/run-reconciliation.ts';

/** Most days of one call. */
const DAYS_MAX = 92;
const DAY_MILLISECONDS = 86_400_000;

const runs = {
  PaymentReconciliationID: required(f.id({ doc: 'The record of the reconciliation.' })),
  PaymentProvider: required(f.text({ doc: 'The payment gateway.' })),
  Payments: required(f.integer({ doc: 'Payments at the gateway that were compared.' })),
  Refunds: required(f.integer({ doc: 'Refunds at the gateway that were compared.' })),
  Disputes: required(f.integer({ doc: 'Disputes at the gateway that were compared.' })),
  Settled: required(f.integer({ doc: 'Payments, refunds and subscriptions that were updated from the gateway.' })),
  Differences: required(f.integer({ doc: 'Open differences of the days.' })),
};

export const operation = defineOperation({
  module: 'payment',
  name: 'Reconcile',
  method: 'POST',
  summary:
    'Compares payments, refunds and disputes of a period with the records of the payment gateways, settles those ' +
    'whose outcome was unknown, and stores the differences. It charges nothing and can be repeated.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'PaymentProviderID',
  params: {
    From: required(f.date({ doc: 'The first day.' })),
    To: f.date({ doc: `The last day; the period has at most ${DAYS_MAX} days. Defaults to From.` }),
    PaymentProviderID: f.id({ doc: 'The gateway. Defaults to all.', to: 'PaymentProvider' }),
  },
  transactions: 'own',
  returns: 'list',
  rows: runs,
  answerName: 'Reconciliation',
  errors: ['BAD_PARAMETER', 'NOT_FOUND', 'NO_PERMISSION', 'TOO_LARGE', 'UNAVAILABLE'],
  source: '2-workflow-ledgers-worklists-ai §2, Ledgers',
});

export const run = handle(operation, async (ctx, { From, To, PaymentProviderID }) => {
  if (!ctx.user.universal)
    throw new PlatformError('NO_PERMISSION', { message: 'Only users with universal access can reconcile payments.' });
  const days = { from: From, to: To ?? From };
  assertDays(days, today(ctx));
  const rows = [];
  const failures: PlatformError[] = [];
  for (const gateway of await readGateways(ctx, { id: PaymentProviderID ?? null }))
    try {
      const { id, payments, refunds, disputes, settled, differences } = await ctx.actingAs('System', (system) =>
        runReconciliation(system, gateway, days),
      );
      rows.push({
        PaymentReconciliationID: id,
        PaymentProvider: gateway.name,
        Payments: payments,
        Refunds: refunds,
        Disputes: disputes,
        Settled: settled,
        Differences: differences,
      });
    } catch (error) {
      // The other gateways are compared nevertheless.
      if (!(error instanceof PlatformError)) throw error;
      failures.push(error);
    }
  const [first] = failures;
  if (first) throw first;
  return list('Reconciliation', runs, rows);
});

function assertDays({ from, to }: { readonly from: string; readonly to: string }, now: string): void {
  if (from > now) throw bad('From', `a day that is not after today, ${now}`);
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MILLISECONDS;
  if (count < 0 || count >= DAYS_MAX) throw bad('To', `a day from ${from} on, and at most ${DAYS_MAX} days`);
}

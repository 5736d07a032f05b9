import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { methodWords, type PaymentRow } from './payment-words.ts';

/** A payment with everything that its page shows. */
export interface ShownPayment {
  readonly row: PaymentRow;
  readonly refunds: readonly RowNamed<'PaymentRefund'>[];
  readonly disputes: readonly RowNamed<'PaymentDispute'>[];
  /** What it is paid with, in words; undefined for one that is not stored. */
  readonly method: string | undefined;
  /** The name of the gateway, for those who may see gateways. */
  readonly gateway: string | undefined;
  /** Whether it is a test gateway. */
  readonly isTest: boolean;
  readonly labels: Labels;
}

/** Most refunds and disputes of a payment that are shown. */
const SHOWN_MAX = 100;

/** Reads a payment with its refunds and disputes. */
export async function readPayment(call: PageCall, id: number): Promise<ShownPayment> {
  const { answer } = await call.call('payment/select', { ID: id });
  const { row } = answer;
  const below = { PaymentID: String(id), DisplaySize: SHOWN_MAX, RecordCount: 'false' } as const;
  const [refunds, disputes, method, gateway] = await Promise.all([
    call.may('paymentrefund/search') && call.call('paymentrefund/search', { ...below, OrderBy: 'PaymentRefundID' }),
    call.may('paymentdispute/search') && call.call('paymentdispute/search', { ...below, OrderBy: 'PaymentDisputeID' }),
    readMethod(call, row.PaymentMethodID),
    readGateway(call, row.PaymentProviderID),
  ]);
  const rows = refunds ? refunds.answer.rows : [];
  const labels = await loadLabels(call, [
    referencesOf([row], ['LedgerID', 'Ledger'], ['LedgerItemID', 'LedgerItem'], ['CreatedPersonID', 'Person']),
    referencesOf(rows, ['CreatedPersonID', 'Person']),
  ]);
  return {
    row,
    refunds: rows,
    disputes: disputes ? disputes.answer.rows : [],
    method,
    gateway: gateway?.PaymentProvider ?? undefined,
    isTest: gateway?.PaymentProviderType === 'test',
    labels,
  };
}

async function readMethod(call: PageCall, id: number | null): Promise<string | undefined> {
  if (id === null || !call.may('paymentmethod/search')) return undefined;
  const { answer } = await call.call('paymentmethod/search', { PaymentMethodID: String(id), RecordCount: 'false' });
  const [row] = answer.rows;
  return row && methodWords(row);
}

/** Returns the gateway of a payment to those who may see gateways. */
async function readGateway(call: PageCall, id: number | null): Promise<RowNamed<'PaymentProvider'> | undefined> {
  if (id === null || !call.may('paymentprovider/search')) return undefined;
  const { answer } = await call.call('paymentprovider/search', { PaymentProviderID: String(id), RecordCount: 'false' });
  return answer.rows[0];
}

/** What differs between payments here and at a gateway, as pure functions. */
import { currencyDigits } from '../../../../../contracts/payment-money.ts';
import type { GatewayDispute, GatewayPayment, GatewayRefund } from '../../../../../contracts/payment-provider.ts';
import { moneyUnits } from '../../money.ts';

/** The kinds of differences. */
export const differenceKinds = [
  'MissingHere',
  'MissingAtGateway',
  'Amount',
  'Status',
  'NotApplied',
  'Refund',
  'Dispute',
] as const;

/** One of {@link differenceKinds}. */
type DifferenceKind = (typeof differenceKinds)[number];

/** A difference, with what is recorded here and what the gateway has, in words. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** The gateway's ID of the payment, refund or dispute. */
  readonly gatewayId: string;
  readonly paymentId: number | null;
  readonly ours: string;
  readonly theirs: string;
  /** When the payment, refund or dispute was created, ISO 8601. */
  readonly occurred: string;
}

/** A payment as it is recorded here. */
export interface OwnPayment {
  readonly id: number;
  readonly gatewayId: string | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly captured: string | null;
  readonly ledgerId: number | null;
  readonly lineId: number | null;
  readonly requested: string | null;
}

/** A refund as it is recorded here. */
export interface OwnRefund {
  readonly paymentId: number | null;
  readonly gatewayId: string | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly requested: string | null;
}

/** Statuses of payments at a gateway in which no money has moved or will. */
const MOVES_NOTHING: ReadonlySet<string> = new Set(['declined', 'voided']);
const NOTHING = 'Nothing';

/** Compares a payment of a gateway with ours; undefined: there is none. */
export function comparePayment(own: OwnPayment | undefined, theirs: GatewayPayment): readonly Difference[] {
  const about = { gatewayId: theirs.id, paymentId: own?.id ?? null, occurred: theirs.created };
  const atGateway = paymentText(wordOf(theirs.status), { ...theirs.money, captured: theirs.captured });
  if (!own)
    return MOVES_NOTHING.has(theirs.status)
      ? []
      : [{ ...about, kind: 'MissingHere', ours: NOTHING, theirs: atGateway }];
  const sides = { ours: paymentText(own.status, own), theirs: atGateway };
  const found: Difference[] = [];
  if ((own.status ?? '').toLowerCase() !== theirs.status) found.push({ ...about, ...sides, kind: 'Status' });
  else if (!isSameAmount(own, theirs)) found.push({ ...about, ...sides, kind: 'Amount' });
  if (theirs.status === 'captured' && own.ledgerId !== null && own.lineId === null)
    found.push({ ...about, kind: 'NotApplied', ours: `No line in ledger ${own.ledgerId}`, theirs: atGateway });
  return found;
}

function isSameAmount(own: OwnPayment, { money, captured }: GatewayPayment): boolean {
  return (
    moneyUnits(own.amount ?? '0') === moneyUnits(money.amount) &&
    own.currency === money.currency &&
    moneyUnits(own.captured ?? '0') === moneyUnits(captured)
  );
}

/** Returns the difference of a payment that the gateway does not have. */
export function missingPayment(own: OwnPayment): Difference {
  return {
    kind: 'MissingAtGateway',
    gatewayId: own.gatewayId ?? '',
    paymentId: own.id,
    ours: paymentText(own.status, own),
    theirs: NOTHING,
    occurred: own.requested ?? '',
  };
}

/**
 * Compares a refund of a gateway with ours; undefined: there is none. `paymentId`: the payment here that it pays back,
 * null if there is none.
 */
export function compareRefund(
  own: OwnRefund | undefined,
  theirs: GatewayRefund,
  paymentId: number | null,
): readonly Difference[] {
  const isSame = own
    ? (own.status ?? '').toLowerCase() === theirs.status &&
      moneyUnits(own.amount ?? '0') === moneyUnits(theirs.money.amount)
    : theirs.status === 'failed';
  if (isSame) return [];
  return [
    {
      kind: 'Refund',
      gatewayId: theirs.id,
      paymentId: own?.paymentId ?? paymentId,
      ours: own ? refundText(own) : NOTHING,
      theirs: refundText({ status: wordOf(theirs.status), ...theirs.money }),
      occurred: theirs.created,
    },
  ];
}

/** Returns the difference of a refund that the gateway does not have. */
export function missingRefund(own: OwnRefund): Difference {
  return {
    kind: 'Refund',
    gatewayId: own.gatewayId ?? '',
    paymentId: own.paymentId,
    ours: refundText(own),
    theirs: NOTHING,
    occurred: own.requested ?? '',
  };
}

/** Returns the difference of a dispute: of an unknown payment, or one whose payment could not be reversed. */
export function disputeDifference(theirs: GatewayDispute, paymentId: number | null, ours: string): Difference {
  const { amount, currency } = theirs.money;
  return {
    kind: 'Dispute',
    gatewayId: theirs.id,
    paymentId,
    ours,
    theirs: `${wordOf(theirs.status)}, ${amountText(amount, currency)}, transaction ${theirs.payment}`,
    occurred: theirs.created,
  };
}

type Amounts = Pick<OwnPayment, 'amount' | 'currency' | 'captured'>;

/** Describes a payment: "Captured, 12.50 USD", or "Captured, 12.50 USD, of which 10.00 USD captured". */
function paymentText(status: string | null, { amount, captured, currency }: Amounts): string {
  const whole = `${status ?? 'No status'}, ${amountText(amount, currency)}`;
  const isPartial = status === 'Captured' && moneyUnits(captured ?? '0') !== moneyUnits(amount ?? '0');
  return isPartial ? `${whole}, of which ${amountText(captured, currency)} captured` : whole;
}

function refundText({ status, amount, currency }: Pick<OwnRefund, 'status' | 'amount' | 'currency'>): string {
  return `${status ?? 'No status'}, ${amountText(amount, currency)}`;
}

/** Returns an amount with as many decimals as its currency has: "12.50 USD". */
function amountText(amount: string | null, currency: string | null): string {
  const [whole = '0', decimals = ''] = (amount ?? '0').split('.');
  const shown = decimals.replace(/0+$/, '').padEnd(currencyDigits(currency ?? ''), '0');
  return `${shown === '' ? whole : `${whole}.${shown}`} ${currency ?? ''}`.trim();
}

function wordOf(status: string): string {
  return status.charAt(0).toUpperCase() + status.slice(1);
}

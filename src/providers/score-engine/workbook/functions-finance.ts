import { fail, ARGUMENTS_MAX, numberOf, numbersOf, scalar, wide, type FormulaFunction } from './formula-function.ts';
import { finite } from './cell-value.ts';

/** Most iterations until a rate counts as not found, and the required precision. */
const ROUNDS_MAX = 100;
const NEAR = 1e-10;

/**
 * A loan or annuity. Amounts received are positive, amounts paid negative. `due` is 1 if payments are made at the
 * beginning of each period, else 0.
 */
interface Annuity {
  readonly rate: number;
  readonly periods: number;
  readonly payment: number;
  readonly present: number;
  readonly future: number;
  readonly due: number;
}

/** Returns the value after all periods. */
function futureValue({ rate, periods, payment, present, due }: Omit<Annuity, 'future'>): number {
  if (rate === 0) return -(present + payment * periods);
  const growth = (1 + rate) ** periods;
  return -(present * growth + (payment * (1 + rate * due) * (growth - 1)) / rate);
}

function paymentOf({ rate, periods, present, future, due }: Omit<Annuity, 'payment'>): number {
  if (periods === 0) return fail('#NUM!', 'there are no payments');
  if (rate === 0) return -(present + future) / periods;
  const growth = (1 + rate) ** periods;
  return (-(present * growth + future) * rate) / ((1 + rate * due) * (growth - 1));
}

function presentValue({ rate, periods, payment, future, due }: Omit<Annuity, 'present'>): number {
  if (rate === 0) return -(future + payment * periods);
  const growth = (1 + rate) ** periods;
  return -(future + (payment * (1 + rate * due) * (growth - 1)) / rate) / growth;
}

function periodsOf({ rate, payment, present, future, due }: Omit<Annuity, 'periods'>): number {
  if (rate === 0) return payment === 0 ? fail('#NUM!', 'nothing is ever paid') : -(present + future) / payment;
  const each = (payment * (1 + rate * due)) / rate;
  const ratio = (each - future) / (each + present);
  return ratio <= 0 || rate <= -1 ? fail('#NUM!', 'it is never paid') : Math.log(ratio) / Math.log(1 + rate);
}

/** Returns the interest part of the payment of one period, counted from 1. */
function interestOf(loan: Omit<Annuity, 'payment'>, period: number): number {
  const { rate, periods, due } = loan;
  if (period < 1 || period > periods) return fail('#NUM!', 'there is no such period');
  if (due === 1 && period === 1) return 0;
  const payment = paymentOf(loan);
  const left = futureValue({ ...loan, payment, periods: period - 1 });
  return due === 1 ? ((left - payment) * rate) / (1 + rate) : left * rate;
}

/** Finds a zero by Newton's method. */
function root(value: (rate: number) => number, guess: number): number {
  let rate = guess;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const at = value(rate);
    const step = 1e-7 * Math.max(1, Math.abs(rate));
    const slope = (value(rate + step) - value(rate - step)) / (2 * step);
    const next = rate - at / slope;
    if (!Number.isFinite(next) || next <= -1) break;
    if (Math.abs(next - rate) < NEAR) return next;
    rate = next;
  }
  return fail('#NUM!', 'no rate was found');
}

const netValue = (rate: number, flows: readonly number[]): number =>
  flows.reduce((total, flow, at) => total + flow / (1 + rate) ** at, 0);

const due = (value: number): number => (value === 0 ? 0 : 1);
/** Reads the arguments as numbers, 0 for an omitted one. */
const money = (least: number, most: number, work: (values: readonly number[]) => number): FormulaFunction =>
  scalar(least, most, (values) => finite(work(values.map(numberOf))));

/** Functions of loans and payments. */
export const financeFunctions: Readonly<Record<string, FormulaFunction>> = {
  PMT: money(3, 5, ([rate = 0, periods = 0, present = 0, future = 0, when = 0]) =>
    paymentOf({ rate, periods, present, future, due: due(when) }),
  ),
  IPMT: money(4, 6, ([rate = 0, period = 0, periods = 0, present = 0, future = 0, when = 0]) =>
    interestOf({ rate, periods, present, future, due: due(when) }, period),
  ),
  PPMT: money(4, 6, ([rate = 0, period = 0, periods = 0, present = 0, future = 0, when = 0]) => {
    const loan = { rate, periods, present, future, due: due(when) };
    return paymentOf(loan) - interestOf(loan, period);
  }),
  PV: money(3, 5, ([rate = 0, periods = 0, payment = 0, future = 0, when = 0]) =>
    presentValue({ rate, periods, payment, future, due: due(when) }),
  ),
  FV: money(3, 5, ([rate = 0, periods = 0, payment = 0, present = 0, when = 0]) =>
    futureValue({ rate, periods, payment, present, due: due(when) }),
  ),
  NPER: money(3, 5, ([rate = 0, payment = 0, present = 0, future = 0, when = 0]) =>
    periodsOf({ rate, payment, present, future, due: due(when) }),
  ),
  RATE: money(3, 6, ([periods = 0, payment = 0, present = 0, future = 0, when = 0, guess = 0.1]) =>
    root((rate) => futureValue({ rate, periods, payment, present, due: due(when) }) - future, guess),
  ),
  NPV: wide(2, ARGUMENTS_MAX, ([rate = null, ...flows], around, single) => {
    const [share, values] = [numberOf(single(rate)), numbersOf(flows)];
    around.spend(values.length);
    return finite(netValue(share, values) / (1 + share));
  }),
  IRR: wide(1, 2, ([flows = null, guess], around, single) => {
    const values = numbersOf([flows]);
    around.spend(values.length * ROUNDS_MAX);
    return values.some((value) => value > 0) && values.some((value) => value < 0)
      ? finite(root((rate) => netValue(rate, values), guess === undefined ? 0.1 : numberOf(single(guess))))
      : fail('#NUM!', 'the payments are all of one sign');
  }),
};

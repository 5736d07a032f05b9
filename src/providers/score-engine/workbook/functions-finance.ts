import { fail, ARGUMENTS_MAX, numberOf, numbersOf, scalar, wide, type FormulaFunction } from './formula-function.ts';
import { finite } from './cell-value.ts';

/** How often a rate is approached before it counts as not found, and how near it must come. */
const ROUNDS_MAX = 100;
const NEAR = 1e-10;

/** What is left of a loan: payments and values that come in are positive, those that go out negative. `due` 1: paid at the beginning. */
function futureValue(rate: number, periods: number, payment: number, present: number, due: number): number {
  if (rate === 0) return -(present + payment * periods);
  const growth = (1 + rate) ** periods;
  return -(present * growth + (payment * (1 + rate * due) * (growth - 1)) / rate);
}

function payment(rate: number, periods: number, present: number, future: number, due: number): number {
  if (periods === 0) return fail('#NUM!', 'there are no payments');
  if (rate === 0) return -(present + future) / periods;
  const growth = (1 + rate) ** periods;
  return (-(present * growth + future) * rate) / ((1 + rate * due) * (growth - 1));
}

function presentValue(rate: number, periods: number, paid: number, future: number, due: number): number {
  if (rate === 0) return -(future + paid * periods);
  const growth = (1 + rate) ** periods;
  return -(future + (paid * (1 + rate * due) * (growth - 1)) / rate) / growth;
}

function periods(rate: number, paid: number, present: number, future: number, due: number): number {
  if (rate === 0) return paid === 0 ? fail('#NUM!', 'nothing is ever paid') : -(present + future) / paid;
  const each = (paid * (1 + rate * due)) / rate;
  const ratio = (each - future) / (each + present);
  return ratio <= 0 || rate <= -1 ? fail('#NUM!', 'it is never paid') : Math.log(ratio) / Math.log(1 + rate);
}

function interest(rate: number, period: number, count: number, present: number, future: number, due: number): number {
  if (period < 1 || period > count) return fail('#NUM!', 'there is no such period');
  if (due === 1 && period === 1) return 0;
  const paid = payment(rate, count, present, future, due);
  const left = futureValue(rate, period - 1, paid, present, due);
  return due === 1 ? ((left - paid) * rate) / (1 + rate) : left * rate;
}

/** Where a value becomes 0, by Newton's way. */
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
const money = (least: number, most: number, work: (...numbers: number[]) => number): FormulaFunction =>
  scalar(least, most, (values) => finite(work(...values.map(numberOf))));

/** Functions of loans and payments. */
export const financeFunctions: Readonly<Record<string, FormulaFunction>> = {
  PMT: money(3, 5, (rate = 0, count = 0, present = 0, future = 0, when = 0) =>
    payment(rate, count, present, future, due(when)),
  ),
  IPMT: money(4, 6, (rate = 0, period = 0, count = 0, present = 0, future = 0, when = 0) =>
    interest(rate, period, count, present, future, due(when)),
  ),
  PPMT: money(
    4,
    6,
    (rate = 0, period = 0, count = 0, present = 0, future = 0, when = 0) =>
      payment(rate, count, present, future, due(when)) - interest(rate, period, count, present, future, due(when)),
  ),
  PV: money(3, 5, (rate = 0, count = 0, paid = 0, future = 0, when = 0) =>
    presentValue(rate, count, paid, future, due(when)),
  ),
  FV: money(3, 5, (rate = 0, count = 0, paid = 0, present = 0, when = 0) =>
    futureValue(rate, count, paid, present, due(when)),
  ),
  NPER: money(3, 5, (rate = 0, paid = 0, present = 0, future = 0, when = 0) =>
    periods(rate, paid, present, future, due(when)),
  ),
  RATE: money(3, 6, (count = 0, paid = 0, present = 0, future = 0, when = 0, guess = 0.1) =>
    root((rate) => futureValue(rate, count, paid, present, due(when)) - future, guess),
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

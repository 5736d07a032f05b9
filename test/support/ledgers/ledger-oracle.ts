/** Ledgers, each below a line of the one before, as plainly as can be: every answer is computed from all lines. */

interface Line {
  readonly id: number;
  readonly ledger: number;
  cents: number;
  readonly isDebit: boolean;
  isTotaled: boolean;
  /** By its template line; lines without one may be excluded. */
  readonly canExclude: boolean;
  isLocked: boolean;
  isPaid: boolean;
  readonly role: 'line' | 'rollup' | 'payment' | 'reversal';
  /** Of a payment. */
  readonly covered: readonly number[];
  /** Of a payment: what it left, less the funds before it. */
  readonly left: number;
  isReversed: boolean;
  /** Whether a line of a payment refers to it: it cannot be deleted. */
  isReferred: boolean;
}

/** A step of a test. */
export interface OracleStep {
  readonly do: 'add' | 'change' | 'exclude' | 'include' | 'toggle' | 'lock' | 'remove' | 'pay' | 'reverse';
  readonly at: number;
  readonly cents?: number;
  readonly kind?: number;
}

export class LedgerOracle {
  readonly ledgers: readonly number[];
  private readonly lines: Line[] = [];

  constructor(ledgers: readonly number[], rollUps: readonly number[]) {
    this.ledgers = ledgers;
    for (const [n, id] of rollUps.entries()) this.lines.push({ ...plain, id, ledger: ledgers[n] ?? 0, role: 'rollup' });
  }

  ledgerAt(at: number): number {
    return this.ledgers[at % this.ledgers.length] ?? 0;
  }

  hasLines(): boolean {
    return this.ownLines().length > 0;
  }

  hasPayments(): boolean {
    return this.payments().length > 0;
  }

  lineAt(at: number): number {
    return this.line(at).id;
  }

  paymentAt(at: number): number {
    return this.payment(at).id;
  }

  /** Whether the platform must take a step. */
  takes(step: OracleStep): boolean {
    if (step.do === 'add') return true;
    if (step.do === 'pay') return this.payable(this.ledgerAt(step.at)).length > 0;
    if (step.do === 'reverse') {
      const payment = this.payment(step.at);
      return payment.isReversed || this.funds(payment.ledger) >= payment.left;
    }
    const line = this.line(step.at);
    if (line.isLocked) return step.do === 'lock';
    if (step.do === 'remove') return !line.isReferred;
    return step.do !== 'exclude' || line.canExclude;
  }

  /** Runs a step that the platform took. */
  run(step: OracleStep, id: number): void {
    const { cents = 0, kind = 0 } = step;
    if (step.do === 'add')
      this.lines.push({
        ...plain,
        id,
        ledger: this.ledgerAt(step.at),
        cents,
        isDebit: kind !== 3,
        canExclude: kind !== 0,
      });
    else if (step.do === 'pay') this.pay(this.ledgerAt(step.at), cents + 1, id);
    else if (step.do === 'reverse') this.reverse(this.payment(step.at), id);
    else this.changeLine(step.do, this.line(step.at), cents);
  }

  private changeLine(what: OracleStep['do'], line: Line, cents: number): void {
    if (what === 'change') line.cents = cents;
    if (what === 'exclude') line.isTotaled = false;
    if (what === 'include') line.isTotaled = true;
    if (what === 'toggle') line.isTotaled = !line.isTotaled;
    if (what === 'lock') line.isLocked = true;
    if (what === 'remove') this.lines.splice(this.lines.indexOf(line), 1);
  }

  private pay(ledger: number, cents: number, id: number): void {
    const before = this.funds(ledger);
    let funds = before + cents;
    const covered: number[] = [];
    for (const line of this.payable(ledger)) {
      const amount = this.amountOf(line);
      if (amount > funds) break;
      funds -= amount;
      line.isPaid = true;
      line.isReferred = true;
      covered.push(line.id);
    }
    const payment = { ...plain, id, ledger, cents, isDebit: false, role: 'payment' as const, covered };
    this.lines.push({ ...payment, left: funds - before });
  }

  private reverse(payment: Line, id: number): void {
    if (payment.isReversed) return;
    payment.isReversed = true;
    for (const line of this.lines) if (payment.covered.includes(line.id)) line.isPaid = false;
    this.lines.push({ ...plain, id, ledger: payment.ledger, cents: payment.cents, role: 'reversal' });
  }

  /** Returns both balances of each ledger, in cents. */
  balances(): (readonly [number, readonly [number, number]])[] {
    return this.ledgers.map((id) => [id, [this.balance(id, false), this.balance(id, true)]] as const);
  }

  paidLines(): number[] {
    return this.lines.flatMap(({ id, isPaid }) => (isPaid ? [id] : [])).sort((a, b) => a - b);
  }

  private balance(ledger: number, isAdjusted: boolean): number {
    let sum = 0;
    for (const line of this.lines)
      if (line.ledger === ledger && (!isAdjusted || line.isTotaled))
        sum += line.isDebit ? this.amountOf(line) : -this.amountOf(line);
    return sum;
  }

  private amountOf(line: Line): number {
    if (line.role !== 'rollup') return line.cents;
    return this.balance(this.ledgers[this.ledgers.indexOf(line.ledger) + 1] ?? 0, true);
  }

  private payable(ledger: number): Line[] {
    return this.lines
      .filter(
        (line) =>
          line.ledger === ledger &&
          (line.role === 'line' || line.role === 'rollup') &&
          line.isDebit &&
          line.isTotaled &&
          !line.isPaid &&
          this.amountOf(line) >= 0,
      )
      .sort((a, b) => a.id - b.id);
  }

  private funds(ledger: number): number {
    return this.payments()
      .filter((payment) => payment.ledger === ledger && !payment.isReversed)
      .reduce((sum, { left }) => sum + left, 0);
  }

  private ownLines(): Line[] {
    return this.lines.filter(({ role }) => role === 'line');
  }

  private payments(): Line[] {
    return this.lines.filter(({ role }) => role === 'payment');
  }

  private line(at: number): Line {
    const own = this.ownLines();
    return own[at % own.length] ?? { ...plain };
  }

  private payment(at: number): Line {
    const payments = this.payments();
    return payments[at % payments.length] ?? { ...plain };
  }
}

const plain: Line = {
  id: 0,
  ledger: 0,
  cents: 0,
  isDebit: true,
  isTotaled: true,
  canExclude: true,
  isLocked: false,
  isPaid: false,
  role: 'line',
  covered: [],
  left: 0,
  isReversed: false,
  isReferred: false,
};

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
  /** Whether it was marked as paid; of a roll-up, what payments applied decides. */
  isMarked: boolean;
  readonly role: 'line' | 'rollup' | 'payment' | 'reversal' | 'refund' | 'owed';
  /** Of a payment. */
  readonly covered: readonly Applied[];
  /** Of a payment: what it left, less the funds before it. */
  readonly left: number;
  isReversed: boolean;
  /** Of a payment through a gateway: its ID; 0 otherwise. */
  readonly paymentId: number;
  /** Of such a payment: what was paid back. */
  refunded: number;
  /** Of such a payment: whether a part that was paid back is in the ledger. */
  hasRefundLines: boolean;
  /** Whether a line of a payment refers to it: it cannot be deleted. */
  isReferred: boolean;
}

/** What a payment applied to a line. */
interface Applied {
  readonly id: number;
  readonly cents: number;
}

/** A step of a test. */
export interface OracleStep {
  readonly do:
    | 'add'
    | 'change'
    | 'rate'
    | 'exclude'
    | 'include'
    | 'toggle'
    | 'toggle all'
    | 'lock'
    | 'remove'
    | 'pay'
    | 'reverse'
    | 'charge'
    | 'refund';
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

  /** The lines of a ledger that are neither of payments nor with a ledger below. */
  linesAt(at: number): number[] {
    return this.ownLinesAt(at).map(({ id }) => id);
  }

  paymentAt(at: number): number {
    return this.payment(at).id;
  }

  /** Whether the platform must take a step. */
  takes(step: OracleStep): boolean {
    if (step.do === 'add') return true;
    if (step.do === 'refund') {
      const payment = this.charged(step.at);
      const left = payment.cents - payment.refunded;
      return left > 0 && this.refundOf(step, payment) <= left;
    }
    if (step.do === 'pay' || step.do === 'charge') return this.payable(this.ledgerAt(step.at)).length > 0;
    if (step.do === 'reverse') {
      const payment = this.payment(step.at);
      // What a gateway has taken is reversed by its refund alone.
      return payment.isReversed || (payment.paymentId === 0 && this.canRelease(payment));
    }
    if (step.do === 'toggle all') return this.ownLinesAt(step.at).some((line) => this.canToggle(line));
    return this.takesChange(step, this.line(step.at));
  }

  private takesChange(step: OracleStep, line: Line): boolean {
    if (line.isLocked) return step.do === 'lock';
    if (step.do === 'remove') return !line.isReferred;
    if (step.do === 'exclude' && !line.canExclude) return false;
    // What was paid stays.
    if (this.applied(line) === 0) return true;
    if (step.do === 'exclude') return !line.isTotaled;
    if (step.do === 'include') return line.isTotaled;
    return step.do === 'lock' || (step.do === 'change' && step.cents === line.cents);
  }

  private canToggle(line: Line): boolean {
    return !line.isLocked && this.applied(line) === 0;
  }

  /** Whether the funds that a payment left, and those of lines whose amount has fallen since, are still there. */
  private canRelease(payment: Line): boolean {
    const before = this.funds(payment.ledger);
    payment.isReversed = true;
    const after = this.funds(payment.ledger);
    payment.isReversed = false;
    return after >= before || after >= 0;
  }

  hasCharged(): boolean {
    return this.payments().some(({ paymentId }) => paymentId > 0);
  }

  /** Returns the ID of the payment that a refund is of, and its amount in cents; undefined for all that is left. */
  refundAt(step: OracleStep): { readonly paymentId: number; readonly cents: number | undefined } {
    const payment = this.charged(step.at);
    return { paymentId: payment.paymentId, cents: isOfAll(step) ? undefined : this.refundOf(step, payment) };
  }

  /** Runs a refund that the platform took. `ids`: the lines that it added to the ledger. */
  refund(step: OracleStep, ids: readonly number[]): void {
    const payment = this.charged(step.at);
    const { ledger } = payment;
    const cents = this.refundOf(step, payment);
    payment.refunded += cents;
    // Its reversal is in the books already.
    if (payment.isReversed) return;
    const [first = 0] = ids;
    if (!payment.hasRefundLines && cents === payment.cents && this.canRelease(payment)) {
      this.reverse(payment, first);
      return;
    }
    payment.hasRefundLines = true;
    const funds = Math.max(Math.min(this.funds(ledger), cents), 0);
    if (funds > 0) this.lines.push({ ...plain, id: first, ledger, cents: funds, role: 'refund' });
    if (cents > funds) this.lines.push({ ...plain, id: ids.at(-1) ?? 0, ledger, cents: cents - funds, role: 'owed' });
  }

  private refundOf(step: OracleStep, payment: Line): number {
    return isOfAll(step) ? payment.cents - payment.refunded : (step.cents ?? 0) + 1;
  }

  private charged(at: number): Line {
    const charged = this.payments().filter(({ paymentId }) => paymentId > 0);
    return charged[at % charged.length] ?? { ...plain };
  }

  /** Runs a step that the platform took. `paymentId`: that of a charge. */
  run(step: OracleStep, id: number, paymentId = 0): void {
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
    else if (step.do === 'pay' || step.do === 'charge')
      this.pay(this.ledgerAt(step.at), { cents: cents + 1, id, paymentId });
    else if (step.do === 'reverse') this.reverse(this.payment(step.at), id);
    else if (step.do === 'toggle all') {
      for (const line of this.ownLinesAt(step.at)) if (this.canToggle(line)) line.isTotaled = !line.isTotaled;
    } else this.changeLine(step.do, this.line(step.at), cents);
  }

  private changeLine(what: OracleStep['do'], line: Line, cents: number): void {
    if (what === 'change') {
      line.cents = cents;
      line.isMarked &&= cents <= this.applied(line);
    }
    if (what === 'exclude') line.isTotaled = false;
    if (what === 'include') line.isTotaled = true;
    if (what === 'toggle') line.isTotaled = !line.isTotaled;
    if (what === 'lock') line.isLocked = true;
    if (what === 'remove') this.lines.splice(this.lines.indexOf(line), 1);
  }

  private pay(
    ledger: number,
    { cents, id, paymentId }: { readonly cents: number; readonly id: number; readonly paymentId: number },
  ): void {
    const before = this.funds(ledger);
    let funds = before + cents;
    const covered: Applied[] = [];
    for (const line of this.payable(ledger)) {
      const rest = this.amountOf(line) - this.applied(line);
      if (rest > funds) break;
      funds -= rest;
      line.isMarked = true;
      line.isReferred = true;
      covered.push({ id: line.id, cents: rest });
    }
    const payment = { ...plain, id, ledger, cents, isDebit: false, role: 'payment' as const, covered, paymentId };
    this.lines.push({ ...payment, left: funds - before });
  }

  private reverse(payment: Line, id: number): void {
    if (payment.isReversed) return;
    payment.isReversed = true;
    for (const line of this.lines)
      if (payment.covered.some(({ id }) => id === line.id))
        line.isMarked = this.isCovered(line) && this.amountOf(line) <= this.applied(line);
    this.lines.push({ ...plain, id, ledger: payment.ledger, cents: payment.cents, role: 'reversal' });
  }

  /** Returns both balances of each ledger, in cents. */
  balances(): (readonly [number, readonly [number, number]])[] {
    return this.ledgers.map((id) => [id, [this.balance(id, false), this.balance(id, true)]] as const);
  }

  paidLines(): number[] {
    return this.lines.flatMap((line) => (this.isPaid(line) ? [line.id] : [])).sort((a, b) => a - b);
  }

  private isPaid(line: Line): boolean {
    if (line.role !== 'rollup') return line.isMarked;
    return this.isCovered(line) && this.amountOf(line) <= this.applied(line);
  }

  private isCovered(line: Line): boolean {
    return this.appliedTo(line).length > 0;
  }

  private applied(line: Line): number {
    return this.appliedTo(line).reduce((sum, { cents }) => sum + cents, 0);
  }

  private appliedTo(line: Line): Applied[] {
    return this.payments().flatMap((payment) =>
      payment.isReversed ? [] : payment.covered.filter(({ id }) => id === line.id),
    );
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
    return (
      this.lines
        .filter(
          (line) =>
            line.ledger === ledger &&
            (line.role === 'line' || line.role === 'rollup' || line.role === 'owed') &&
            line.isDebit &&
            line.isTotaled &&
            !this.isPaid(line) &&
            this.amountOf(line) >= 0,
        )
        // Of all lines, only those of refunds have been posted.
        .sort((a, b) => Number(b.role === 'owed') - Number(a.role === 'owed') || a.id - b.id)
    );
  }

  private funds(ledger: number): number {
    const left = this.payments()
      .filter((payment) => payment.ledger === ledger && !payment.isReversed)
      .reduce((sum, payment) => sum + payment.left, 0);
    const refunded = this.lines
      .filter((line) => line.ledger === ledger && line.role === 'refund')
      .reduce((sum, { cents }) => sum + cents, 0);
    const excess = this.lines
      .filter((line) => line.ledger === ledger && line.role === 'rollup')
      .reduce((sum, line) => sum + Math.max(this.applied(line) - Math.max(this.amountOf(line), 0), 0), 0);
    return left - refunded + excess;
  }

  private ownLines(): Line[] {
    return this.lines.filter(({ role }) => role === 'line');
  }

  private ownLinesAt(at: number): Line[] {
    return this.ownLines().filter(({ ledger }) => ledger === this.ledgerAt(at));
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

/** Whether a refund is of all that is left of its payment. */
function isOfAll({ cents = 0 }: OracleStep): boolean {
  return cents % 3 === 0;
}

const plain: Line = {
  id: 0,
  ledger: 0,
  cents: 0,
  isDebit: true,
  isTotaled: true,
  canExclude: true,
  isLocked: false,
  isMarked: false,
  role: 'line',
  covered: [],
  left: 0,
  isReversed: false,
  isReferred: false,
  paymentId: 0,
  refunded: 0,
  hasRefundLines: false,
};

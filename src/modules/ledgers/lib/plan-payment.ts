/** Which lines a payment covers, as a pure function over ten-thousandths. */

/** An unpaid line. */
export interface PayableLine {
  readonly id: number;
  readonly label: string | null;
  readonly amount: bigint;
}

/** What becomes of a payment and of the funds that earlier payments left. */
export interface PaymentPlan {
  /** The lines that it covers, each completely. */
  readonly covered: readonly PayableLine[];
  /** What is left. */
  readonly unapplied: bigint;
}

/** Covers lines in their order, and stops at the first that the funds do not cover completely. */
export function planPayment(funds: bigint, lines: readonly PayableLine[]): PaymentPlan {
  const covered: PayableLine[] = [];
  let unapplied = funds;
  for (const line of lines) {
    if (line.amount > unapplied) break;
    covered.push(line);
    unapplied -= line.amount;
  }
  return { covered, unapplied };
}

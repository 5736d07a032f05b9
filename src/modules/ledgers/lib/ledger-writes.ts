/** Which changes of lines the operations of ledgers make themselves: guards do not refuse those. */
import type { Context } from '../../../kernel/door/context.ts';
import { scratch } from '../../../kernel/door/scratch.ts';

const ownWrites = scratch('writes by operations of ledgers', () => ({ depth: 0 }));

/**
 * Runs a function that writes lines of a ledger whatever its state: the lines of a new ledger, or those of a payment.
 * The caller has checked that the state of the ledger allows this.
 */
export async function writingLedger<T>(ctx: Context, write: () => Promise<T>): Promise<T> {
  const own = ctx.scratch(ownWrites);
  own.depth++;
  try {
    return await write();
  } finally {
    own.depth--;
  }
}

/** Whether an operation of ledgers is writing. */
export function isWritingLedger(ctx: Context): boolean {
  return ctx.scratch(ownWrites).depth > 0;
}

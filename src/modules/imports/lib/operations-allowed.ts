import { OPERATION_FLAGS } from '../../../contracts/import-engine.ts';
import type { Context, WriteCounts } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';

/** Returns the flags of the operations that a call has used since `before`: Insert, Update, or both. */
export function usedOperations({ writeCounts }: Pick<Context, 'writeCounts'>, before: WriteCounts): number {
  const { insert, update } = OPERATION_FLAGS;
  return (writeCounts.inserted > before.inserted ? insert : 0) | (writeCounts.updated > before.updated ? update : 0);
}

/**
 * Checks the operations that an item or row has used against the import type's ImportOperationsAllowed.
 * @throws STATE_REFUSES
 */
export function assertOperationsAllowed(used: number, allowed: number, subject: 'item' | 'row'): void {
  const missing = used & ~allowed;
  if (missing === 0) return;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ImportOperationsAllowed',
    message:
      `ImportOperationsAllowed: the ${subject} would ${operationText(missing)}, ` +
      'which the import type does not allow.',
  });
}

function operationText(missing: number): string {
  if (missing & OPERATION_FLAGS.insert) return 'create a record';
  return missing & OPERATION_FLAGS.update ? 'change a record' : 'invoke an operation';
}

/** Returns whether the call inserted or updated a record that it saved. */
export function savedAs({ reach }: Pick<Context, 'reach'>, record: string, id: number | null): 'Insert' | 'Update' {
  return id !== null && reach.hasCreated({ name: record }, id) ? 'Insert' : 'Update';
}

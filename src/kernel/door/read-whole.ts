import { PlatformError } from './errors.ts';
import type { Operation } from '../declare/operation.ts';

/** Parameters that choose a page. */
const PAGE_PARAMETER = /^(?:recordstart|displaysize)$/i;

/**
 * Throws BAD_PARAMETER unless all that an operation returns can be read as one list or tree, with parameters of these
 * names.
 */
export function assertReadWhole(operation: Operation, names: readonly string[]): void {
  const { returns, effect, permissionName } = operation;
  if (effect !== 'read' || (returns !== 'list' && returns !== 'tree'))
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Operation',
      message:
        `Operation: ${permissionName} returns no rows; expected a read operation that returns a list ` +
        'or a tree, such as Search, ListByObject or a saved statement.',
    });
  if (!isPaged(operation)) return;
  if (!operation.readWhole)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Operation',
      message:
        `Operation: ${permissionName} returns one page at a time and cannot be read whole; ` +
        'expected one such as Search, ListByObject or a saved statement.',
    });
  const page = names.find((name) => PAGE_PARAMETER.test(name));
  if (page !== undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: page,
      message: `${page}: all rows are read, so paging is not allowed; choose rows by filters.`,
    });
}

/** Whether an operation returns its rows page by page. */
export function isPaged(operation: Operation): boolean {
  return Object.keys(operation.params).includes('DisplaySize');
}

import { isOpenItem } from '../../lib/open.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** The statuses of items. The first three are open. */
const statuses = ['Queued', 'Started', 'Skipped', 'Completed', 'Canceled'] as const;

/** A status of an item. */
export type Status = (typeof statuses)[number];

/** SQL condition for open items; `i` is the item. */
export const OPEN = isOpenItem('i');

/** SQL condition for open items that are neither skipped nor on hold. The indexes for `next` contain exactly these. */
export const AWAKE = `${OPEN} and i.skipdate is null and i.helddate is null`;

/** SQL condition for open items that are on hold and not skipped. They have a small index of their own. */
export const HELD = `${OPEN} and i.skipdate is null and i.helddate is not null`;

/** The dates of a work item that decide its Status. */
type ItemDate = 'CompletionDate' | 'CancelledDate' | 'SkipDate' | 'StartDate';

/** A work item, stored or to be stored: whether a date is set is all that counts. */
export type ItemDates = Readonly<Partial<Record<ItemDate, unknown>>>;

/** Whether an item is open. */
export function isOpen(item: ItemDates): boolean {
  return (item.CompletionDate ?? null) === null && (item.CancelledDate ?? null) === null;
}

/** Returns an item's Status, which follows from its dates. */
export function statusOf(item: ItemDates): Status {
  const has = (name: ItemDate): boolean => (item[name] ?? null) !== null;
  if (has('CompletionDate')) return 'Completed';
  if (has('CancelledDate')) return 'Canceled';
  if (has('SkipDate')) return 'Skipped';
  return has('StartDate') ? 'Started' : 'Queued';
}

/** Returns the dates that a Status sent alone implies. @throws BAD_PARAMETER for an unknown status */
export function datesOf(status: string, now: string): ReadonlyMap<ItemDate, string | null> {
  const found = statuses.find((known) => known.toLowerCase() === status.toLowerCase());
  const none = [
    ['CompletionDate', null],
    ['CancelledDate', null],
  ] as const;
  switch (found) {
    case 'Completed':
      return new Map<ItemDate, string | null>([['CompletionDate', now]]);
    case 'Canceled':
      return new Map<ItemDate, string | null>([['CancelledDate', now]]);
    case 'Started':
      return new Map<ItemDate, string | null>([...none, ['SkipDate', null], ['StartDate', now]]);
    case 'Queued':
      return new Map<ItemDate, string | null>([...none, ['SkipDate', null], ['StartDate', null]]);
    case 'Skipped':
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Status',
        message: 'Status: to skip a work item, send SkipDate.',
      });
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Status',
        message: `Status: expected one of ${statuses.join(', ')}.`,
      });
  }
}

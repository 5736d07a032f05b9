import type { Row } from '../../../../kernel/door/answer.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';

/** How an item stands, in the words of its Status. The first three are open. */
const statuses = ['Queued', 'Started', 'Skipped', 'Completed', 'Canceled'] as const;

/** One of them. */
export type Status = (typeof statuses)[number];

/** SQL that is true for an item on which there is still something to do; `i` is the item. */
export const OPEN = 'i.completiondate is null and i.cancelleddate is null';

/** SQL that is true for an open item that is not put off. The indexes of what comes next hold exactly these. */
export const AWAKE = `${OPEN} and i.skipdate is null`;

/** Whether there is still something to do on an item. */
export function isOpen(row: Row): boolean {
  return (row['CompletionDate'] ?? null) === null && (row['CancelledDate'] ?? null) === null;
}

/** The Status of an item by its dates: they decide, and the word follows. */
export function statusOf(row: Row): Status {
  const has = (name: string): boolean => (row[name] ?? null) !== null;
  if (has('CompletionDate')) return 'Completed';
  if (has('CancelledDate')) return 'Canceled';
  if (has('SkipDate')) return 'Skipped';
  return has('StartDate') ? 'Started' : 'Queued';
}

/** The dates that a Status sent alone stands for, at an instant. @throws BAD_PARAMETER for a word that is none */
export function datesOf(status: string, now: string): ReadonlyMap<string, string | null> {
  const found = statuses.find((known) => known.toLowerCase() === status.toLowerCase());
  const none = [
    ['completiondate', null],
    ['cancelleddate', null],
  ] as const;
  switch (found) {
    case 'Completed':
      return new Map([['completiondate', now]]);
    case 'Canceled':
      return new Map([['cancelleddate', now]]);
    case 'Started':
      return new Map<string, string | null>([...none, ['skipdate', null], ['startdate', now]]);
    case 'Queued':
      return new Map<string, string | null>([...none, ['skipdate', null], ['startdate', null]]);
    case 'Skipped':
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Status',
        message: 'Status: an item is put off by its SkipDate; send that.',
      });
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Status',
        message: `Status: expected one of ${statuses.join(', ')}.`,
      });
  }
}

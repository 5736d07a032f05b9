import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';
import type { ColumnName } from '../../../../kernel/declare/columns.ts';

/** The columns of an item that decide who works on it and whether it is done. */
const guardedColumns = [
  'TeamID',
  'PersonID',
  'StartDate',
  'SkipDate',
  'CompletionDate',
  'CancelledDate',
] as const satisfies readonly ColumnName<typeof smartWorklistMember>[];

type GuardedColumn = (typeof guardedColumns)[number];

/** The guarded columns of an item. A new item has none before it is stored. */
export type GuardedValues = Partial<Pick<WorkItem, GuardedColumn>>;

/** A changed column of an item, before and after; `isOwn`: the item was and stays the user's. */
interface ColumnChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly isOwn: boolean;
}

type OperationName = 'Start' | 'Skip' | 'Requeue' | 'Reassign' | 'Complete' | 'BulkComplete' | 'Cancel';

const isSet = (value: unknown): boolean => (value ?? null) !== null;

/**
 * The operation that makes a change of a column, of which the caller needs the permission however the change is stored.
 * Operations on other people's work are those of a team lead: `Reassign` and `BulkComplete`.
 */
const operationOf: Readonly<Record<GuardedColumn, (change: ColumnChange) => OperationName>> = {
  TeamID: () => 'Reassign',
  PersonID: () => 'Reassign',
  StartDate: ({ after, isOwn }) => {
    if (!isOwn) return 'Reassign';
    return isSet(after) ? 'Start' : 'Requeue';
  },
  SkipDate: ({ isOwn }) => (isOwn ? 'Skip' : 'Reassign'),
  CompletionDate: ({ before, isOwn }) => (isOwn && !isSet(before) ? 'Complete' : 'BulkComplete'),
  CancelledDate: ({ after }) => (isSet(after) ? 'Cancel' : 'Requeue'),
};

/** What a new item may be given by whoever adds it: a team, a user, and a day on which it comes up. */
const freeOnInsert: ReadonlySet<GuardedColumn> = new Set(['TeamID', 'PersonID', 'SkipDate']);

/**
 * Throws NO_PERMISSION unless the user may make a change of an item by the operation meant for it: a save, a rollback,
 * an import or a rule set's outputs need the same permissions as the operation. `before` is undefined for a new item.
 */
export function assertItemChangeAllowed(ctx: Context, before: GuardedValues | undefined, after: GuardedValues): void {
  const me = ctx.user.personId;
  const isOwn = after.PersonID === me && (before === undefined || before.PersonID === me);
  for (const column of guardedColumns) {
    const [was, is] = [before?.[column] ?? null, after[column] ?? null];
    if (was === is || (before === undefined && freeOnInsert.has(column))) continue;
    const operation = operationOf[column]({ before: was, after: is, isOwn });
    assertItemPermission(ctx, operation, `change ${column} of ${isOwn ? 'your own' : 'a'} work item`);
  }
}

/** Throws NO_PERMISSION unless the user has the permission of an operation on items. */
export function assertItemPermission(ctx: Context, operation: OperationName, purpose: string): void {
  const permission = `SmartWorklistMember${operation}`;
  if (ctx.user.permissions.has(permission)) return;
  throw new PlatformError('NO_PERMISSION', { message: `You need the permission ${permission} to ${purpose}.` });
}

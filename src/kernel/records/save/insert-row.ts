import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { NamedType } from '../../declare/columns.ts';
import type { RecordType } from '../../declare/record.ts';
import { valueNames, type Values } from '../../declare/values.ts';
import { rowAfter } from '../../ports/business-rules.ts';
import { filledColumns } from './changed-columns.ts';
import { insertStatement } from './insert-statement.ts';
import { commitOne, PLATFORM_WRITE, type PendingChange, type CommitSteps } from './commit-change.ts';
import { trackWrite } from './conflict.ts';
import { storedForInsert } from './stored-values.ts';

/** Returns the insert of one row with these columns, with its label and defaults. */
export function insertOf<R extends RecordType>(ctx: Context, record: R, values: Readonly<Values<R>>): PendingChange<R> {
  return {
    record,
    change: 'insert',
    ruleRows: async () => [{ after: rowAfter(record, undefined, values) }],
    write: async () => {
      const stored = storedForInsert(ctx, record, values);
      const insert = insertStatement(record);
      return trackWrite({ record, ids: [], stored }, async () =>
        ctx.isInTransaction ? [await ctx.transaction().together(insert, stored)] : insert(ctx.db, [stored]),
      );
    },
    readAhead: readAheadOf(ctx, record, values),
    publishedColumns: (row) => filledColumns(record, row),
    sent: () => new Set(valueNames(values)),
  };
}

/** Returns a function that sends the reads of guards and reactions; undefined if they declare none. */
function readAheadOf(ctx: Context, record: RecordType, values: Values): (() => Promise<void>) | undefined {
  const reads = [
    ...ctx.registry.guards(record).filter(({ changes }) => changes?.includes('insert') ?? true),
    ...ctx.registry.reactions(record).filter(({ after }) => after.includes('insert')),
  ].flatMap(({ readAhead }) => readAhead ?? []);
  if (reads.length === 0) return undefined;
  return async () => {
    for (const readAhead of reads) await readAhead(ctx, values).catch(() => undefined);
  };
}

/**
 * Inserts one row as {@link PLATFORM_WRITE}, without checks, and returns it as stored. It is known to be visible when
 * its children are saved.
 */
export async function insertRow<R extends RecordType>(
  ctx: Context,
  record: NamedType<R>,
  values: Readonly<Values<R>>,
): Promise<Row<R>> {
  const steps: CommitSteps = { ...PLATFORM_WRITE, note: 'reach' };
  return (await commitOne(ctx, { ...insertOf(ctx, record, values), steps })).row;
}

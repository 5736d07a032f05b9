/** The lines of a batch: those that one import or one call added. */
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { lockLedgers } from '../../lib/stored-lines.ts';

/** Most lines of a batch. */
const LINES_MAX = 50_000;
/** Most lines that an error names. */
const NAMED_MAX = 5;

/** A line of a batch. */
export interface BatchLine {
  readonly id: number;
  readonly ledgerId: number;
  readonly hasAmount: boolean;
  readonly isPaid: boolean;
  readonly hasLedgerBelow: boolean;
  readonly isReversed: boolean;
  /** Whether it was changed after it was added. */
  readonly isChanged: boolean;
}

/**
 * Locks the ledgers of a batch that has ended, and returns its lines.
 *
 * @throws STATE_REFUSES if it has not ended, or the caller does not see all lines; TOO_LARGE
 */
export async function lockBatch(ctx: Context, importFileId: number): Promise<readonly BatchLine[]> {
  await assertEnded(ctx, importFileId);
  await assertAllVisible(ctx, importFileId);
  await lockLedgers(ctx, await ledgersOf(ctx, importFileId));
  return linesOfBatch(ctx, importFileId);
}

async function assertEnded(ctx: Context, importFileId: number): Promise<void> {
  const { row } = await ctx.call('importfile/select', { ID: importFileId });
  if (['New', 'Queued', 'Importing'].includes(row.Status ?? ''))
    throw batchRefused(`import ${importFileId} has not ended; wait until it has, or stop it`);
}

/** Throws if the caller does not see all lines of an import, or there are too many. */
async function assertAllVisible(ctx: Context, importFileId: number): Promise<void> {
  const text = 'select count(*)::integer as lines from ledgeritem where importfileid = $1::bigint';
  const [all] = await ctx.transaction().elevated((db) => db.query<{ lines: number }>(text, [importFileId]));
  const [visible] = await ctx.db.query<{ lines: number }>(text, [importFileId]);
  const count = all?.lines ?? 0;
  if (count > LINES_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'ImportFileID',
      message: `ImportFileID: import ${importFileId} added more than ${LINES_MAX} lines.`,
    });
  if ((visible?.lines ?? 0) < count)
    throw batchRefused(`import ${importFileId} added lines that you cannot access; a user who can must reverse it`);
}

async function ledgersOf(ctx: Context, importFileId: number): Promise<number[]> {
  const rows = await ctx.db.query<{ id: number }>(
    'select distinct ledgerid as id from ledgeritem where importfileid = $1::bigint',
    [importFileId],
  );
  return rows.map(({ id }) => id);
}

/** Returns the lines. Their ledgers are locked: they do not change meanwhile. */
function linesOfBatch(ctx: Context, importFileId: number): Promise<readonly BatchLine[]> {
  return ctx.db.query<BatchLine>(
    `select i.ledgeritemid as id, i.ledgerid as "ledgerId", i.amountmoney is not null as "hasAmount",
       i.paiddate is not null as "isPaid", i.childledgerid is not null as "hasLedgerBelow",
       i.version > 1 as "isChanged",
       exists (select from ledgeritem c where c.referenceledgeritemid = i.ledgeritemid and c.paymentrole = 'Counter')
         as "isReversed"
     from ledgeritem i where i.importfileid = $1::bigint order by i.ledgeritemid`,
    [importFileId],
  );
}

type State = 'isPaid' | 'hasLedgerBelow' | 'isReversed' | 'isChanged';

/** Throws STATE_REFUSES, naming the lines, if lines of a batch are in a state. `what`: reversed or deleted. */
export function assertNone(
  lines: readonly BatchLine[],
  state: State,
  { what, why }: { readonly what: string; readonly why: string },
): void {
  const found = lines.filter((line) => line[state]).map(({ id }) => id);
  if (found.length === 0) return;
  const more = found.length > NAMED_MAX ? ` and ${found.length - NAMED_MAX} more` : '';
  const named = `${found.slice(0, NAMED_MAX).join(', ')}${more}`;
  throw batchRefused(`nothing was ${what}, because line ${named} ${why}`);
}

/** Returns the error of a batch that cannot be reversed or undone. */
function batchRefused(what: string): PlatformError {
  return new PlatformError('STATE_REFUSES', { field: 'ImportFileID', message: `ImportFileID: ${what}.` });
}

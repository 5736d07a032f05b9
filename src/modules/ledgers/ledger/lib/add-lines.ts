/** Lines that one call adds to a ledger: all of them or none. */
import { fromDatabaseError, isRetryable } from '../../../../kernel/database/database-error.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { importing } from '../../../../kernel/records/save/current-import.ts';
import { insertPlanned } from '../../../../kernel/records/save/insert-many.ts';
import { planOptions, planSave, type SavePlan } from '../../../../kernel/records/save/plan.ts';
import { assertSaveAllowed } from '../../../../kernel/records/save/save-authorization.ts';
import type { ledgerItem } from '../../ledgeritem/ledgeritem.record.ts';
import type { Ledger } from '../../lib/stored-lines.ts';

/** The route of the operation, which batches that it added name. */
export const ADD_LINES = 'Ledger/AddLines';

/** Longest name of a batch. */
export const NAME_MAX = 255;

/** The fields of a line that a call sets. Others belong to payments, reviews and calculations. */
const lineFields = [
  'LedgerItem',
  'LedgerItemType',
  'LedgerTemplateItemID',
  'Sequence',
  'AmountMoney',
  'UnitCount',
  'Units',
  'Rate',
  'IsDebit',
  'IsTotaled',
  'EffectiveDate',
  'PostedDate',
  'TransactionNumber',
  'Description',
];

type LinePlan = SavePlan<typeof ledgerItem>;

/** A line to add, with the prefix of its parameters: `Items_0_`. */
interface PlannedLine {
  readonly prefix: string;
  readonly plan: LinePlan;
}

/**
 * Adds lines to a ledger that the caller has locked, in one statement, as a batch. Returns the batch.
 *
 * @throws BAD_PARAMETER, LOCKED, STATE_REFUSES and others of a save; the field names the line: `Items_0_AmountMoney`
 */
export async function addLines(
  ctx: Context,
  ledger: Ledger,
  { name, sent }: { readonly name: string | undefined; readonly sent: Parameters },
): Promise<{ readonly importFileId: number; readonly lines: number }> {
  const planned = await planLines(ctx, sent);
  for (const { plan } of planned) plan.values.LedgerID = ledger.LedgerID;
  const importFileId = await recordBatch(ctx, name ?? `Lines of ${(ledger.Ledger ?? '').trim() || 'a ledger'}`);
  await importing(ctx, importFileId, () => insertAll(ctx, planned));
  return { importFileId, lines: planned.length };
}

/** Records a batch as a completed import without a file. Returns its id. */
async function recordBatch(ctx: Context, name: string): Promise<number> {
  const { row } = await ctx.call('importfile/insert', {
    ImportFile: name.slice(0, NAME_MAX),
    ImportFileType: ADD_LINES,
    Status: 'Complete',
  });
  return row.ImportFileID;
}

/**
 * Parses the lines as a save of the ledger does, and checks that the caller may save them.
 *
 * @throws MISSING_PARAMETER, UNKNOWN_PARAMETER, BAD_PARAMETER, TOO_LARGE, NO_PERMISSION
 */
export async function planLines(ctx: Context, sent: Parameters): Promise<readonly PlannedLine[]> {
  const positions = new Set<number>();
  // An empty list is left to the save.
  for (const name in sent) if (!/^Items$/i.test(name)) positions.add(positionOf(name));
  const { registry } = ctx;
  const plan = planSave(registry, registry.recordType('Ledger'), sent, planOptions(ctx));
  const items = (plan.collections.get('Items')?.items ?? []) as readonly LinePlan[];
  if (items.length === 0)
    throw new PlatformError('MISSING_PARAMETER', { field: 'Items', message: 'Items: send at least one line.' });
  await assertSaveAllowed(ctx, plan);
  const inOrder = [...positions].sort((a, b) => a - b);
  return items.map((item, n) => ({ prefix: `Items_${inOrder[n] ?? n}_`, plan: item }));
}

/** Returns the position of the line that a parameter belongs to. @throws UNKNOWN_PARAMETER for any other parameter */
function positionOf(name: string): number {
  const [, position, field = ''] = /^Items_(\d{1,6})_(\w+)$/i.exec(name) ?? [];
  if (position !== undefined && lineFields.some((known) => known.toLowerCase() === field.toLowerCase()))
    return Number(position);
  throw new PlatformError('UNKNOWN_PARAMETER', {
    field: name,
    message: `${name}: the call has no such parameter. A line in Items has the fields ${lineFields.join(', ')}.`,
  });
}

/** Inserts the lines. If one is refused, the error names it. */
async function insertAll(ctx: Context, planned: readonly PlannedLine[]): Promise<void> {
  try {
    await ctx.savepoint(() => insert(ctx, planned));
  } catch (error) {
    // The whole transaction was rolled back, and is run again.
    if (isRetryable(error)) throw error;
    for (const line of planned) await insertNamed(ctx, line);
    throw error;
  }
}

/** Inserts one line, to learn whether it is the one that is refused. */
async function insertNamed(ctx: Context, line: PlannedLine): Promise<void> {
  try {
    await ctx.savepoint(() => insert(ctx, [line]));
  } catch (error) {
    const columnOf = (table: string, column: string): string | undefined =>
      ctx.registry.record(table)?.columns.get(column)?.name;
    const known = error instanceof PlatformError ? error : fromDatabaseError(error, columnOf);
    throw known ? namingLine(known, line.prefix) : error;
  }
}

async function insert(ctx: Context, planned: readonly PlannedLine[]): Promise<void> {
  const plans = planned.map(({ plan }) => ({ ...plan, values: { ...plan.values } }));
  await insertPlanned(ctx, ctx.registry.recordType('LedgerItem'), plans);
}

/** Returns the error with the line in its field, unless it is about the whole ledger. */
function namingLine(error: PlatformError, prefix: string): PlatformError {
  const { code, field, message, alerts, details } = error;
  if (field !== undefined && !lineFields.includes(field)) return error;
  const named = field !== undefined && message.startsWith(`${field}: `) ? prefix : `${prefix.slice(0, -1)}: `;
  return new PlatformError(code, {
    field: field === undefined ? prefix.slice(0, -1) : `${prefix}${field}`,
    message: `${named}${message}`,
    alerts,
    ...(details && { details }),
  });
}

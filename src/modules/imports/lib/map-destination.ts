import { IMPORT_ENGINE } from '../../../contracts/import-engine.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { planOptions, planSave } from '../../../kernel/records/save/plan.ts';

/** What decides which record type the rows of an import type are saved as. */
export interface RowTarget {
  readonly appliesTo: string | null | undefined;
  readonly engine: string | null;
  /** The options of `ParameterString`, by lower-cased name. */
  readonly options: ReadonlyMap<string, string>;
}

/** Returns the record type that rows are saved as; undefined if they are not saved as records. */
export function savedRecordType(ctx: Context, { appliesTo, engine, options }: RowTarget): RecordType | undefined {
  if (!savesRecords(ctx, engine ?? '')) return undefined;
  if (!/^(?:save|insert|update)$/i.test(options.get('operation') ?? 'Save')) return undefined;
  return ctx.registry.record(options.get('classname') ?? appliesTo ?? '');
}

/** Whether an engine saves rows as records. A type without an engine may get any; an unknown one saves nothing. */
function savesRecords(ctx: Context, engine: string): boolean {
  if (engine === '') return true;
  const name = ctx.providers.names(IMPORT_ENGINE).find((known) => known.toLowerCase() === engine.toLowerCase());
  return name !== undefined && ctx.providers.get(IMPORT_ENGINE, name).savesRecords === true;
}

/**
 * Warns if a map's destination is no parameter of a save of the record type, as each row's save would find: a column, a
 * custom field, or a field of a linked record or a child.
 */
export function warnIfUnknown(ctx: Context, record: RecordType, destination: string): void {
  try {
    planSave(ctx.registry, record, { [destination]: null }, planOptions(ctx));
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'UNKNOWN_PARAMETER') throw error;
    ctx.alert({ code: 'UNKNOWN_FIELD', text: `Destination: ${error.message} Rows with a value for it will fail.` });
  }
}

import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { assertCanSearch, concreteClass, readRecord } from '../../../../kernel/records/search/read.ts';
import type { FoundMatrix } from './find-matrix.ts';
import { fieldInputs } from './record-fields.ts';
import { recordInputs } from './record-inputs.ts';
import type { SubmittedInputs } from './submitted-inputs.ts';
import type { Input } from './table.ts';

/** Returns the record whose inputs are explained, if the call names one. */
export function explainedObject(
  object: string | null | undefined,
  objectId: number | null | undefined,
): { readonly object: string; readonly objectId: number } | undefined {
  const isNamed = typeof object === 'string' && object !== '';
  if (isNamed && typeof objectId === 'number') return { object, objectId };
  if (!isNamed && typeof objectId !== 'number') return undefined;
  const [missing, sent] = isNamed ? ['ObjectID', 'Object'] : ['Object', 'ObjectID'];
  throw new PlatformError('MISSING_PARAMETER', {
    field: missing,
    message: `${missing}: expected with ${sent}, to name the record.`,
  });
}

/** A record, and how its inputs are read. */
export interface ExplainedObject {
  readonly object: string;
  readonly objectId: number;
  readonly sent: Parameters;
  readonly known: ReadonlyMap<string, Input>;
  readonly asOf: string | undefined;
  readonly useSummary: boolean;
}

/** Returns the inputs of a record, as a lookup by object or a rule set would use them. */
export async function explainedInputs(
  ctx: Context,
  found: FoundMatrix,
  explained: ExplainedObject,
): Promise<SubmittedInputs> {
  const { object, objectId, sent, known, asOf, useSummary } = explained;
  if (useSummary) {
    const [given] = Object.keys(sent);
    if (given !== undefined) throw bad(given, "nothing: the inputs come from the record's summary");
    return recordInputs(ctx, found, { object, objectId }, asOf);
  }
  const named = ctx.registry.requireRecord(object, 'Object');
  assertCanSearch(ctx, named);
  const record = await concreteClass(ctx, ctx.db, named, objectId);
  return fieldInputs(known, { record, id: objectId, row: await readRecord(ctx.db, record, objectId) }, sent);
}

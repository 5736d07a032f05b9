import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { assertCanSearch, concreteClass, readRecord } from '../../../../kernel/records/search/read.ts';
import { reachableInputs } from './child-matrices.ts';
import { findMatrix, instantOf, type FoundMatrix } from './find-matrix.ts';
import { fieldInputs } from './record-fields.ts';
import { recordInputs } from './record-inputs.ts';
import { readSubmittedInputs, unknownInputError, type SubmittedInputs } from './submitted-inputs.ts';
import { wireName, type Input } from './table.ts';

/** The parameters of an explanation besides the inputs. */
export interface ExplainedParameters {
  readonly Matrix?: string | null;
  readonly ID?: number | null;
  readonly AsOf?: string | null;
  readonly Object?: string | null;
  readonly ObjectID?: number | null;
  readonly RuleSetUseSummary: boolean;
}

/** A lookup to explain, whose parameters have been checked. */
export interface ExplainedLookup {
  readonly found: FoundMatrix;
  readonly asOf: string | undefined;
  /** The inputs of the matrix and of those that it leads to, by lower-cased name. */
  readonly known: ReadonlyMap<string, Input>;
  readonly sent: Parameters;
  /** The record that supplies the inputs, if the call names one. */
  readonly object: { readonly object: string; readonly objectId: number } | undefined;
  readonly useSummary: boolean;
}

/** Returns a lookup to explain. Throws UNKNOWN_PARAMETER for a name that is no input of the matrix. */
export async function explainedLookup(
  ctx: Context,
  params: ExplainedParameters,
  sent: Parameters,
): Promise<ExplainedLookup> {
  const asOf = instantOf(ctx, params.AsOf);
  const found = await findMatrix(ctx, { name: params.Matrix, id: params.ID }, asOf);
  const known = await reachableInputs(ctx, found, asOf);
  const strange = [...readSubmittedInputs(sent)].find(([key]) => !known.has(key));
  if (strange !== undefined)
    throw unknownInputError(
      strange[1].name,
      found.name,
      [...known.values()].map(({ name }) => wireName(name)),
    );
  const object = explainedObject(params.Object, params.ObjectID);
  const useSummary = params.RuleSetUseSummary;
  const [given] = Object.keys(sent);
  if (object && useSummary && given !== undefined)
    throw bad(given, "nothing: the inputs come from the record's summary");
  return { found, asOf, known, sent, object, useSummary };
}

/** Returns the record whose inputs are explained, if the call names one. */
function explainedObject(
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

/** Returns the inputs sent, or those of a record as a lookup by object or a rule set would use them. */
export async function explainedInputs(ctx: Context, explained: ExplainedLookup): Promise<SubmittedInputs> {
  const { found, asOf, known, sent, useSummary } = explained;
  if (!explained.object) return readSubmittedInputs(sent);
  const { object, objectId } = explained.object;
  if (useSummary) return recordInputs(ctx, found, { object, objectId }, asOf);
  const named = ctx.registry.requireRecord(object, 'Object');
  assertCanSearch(ctx, named);
  const record = await concreteClass(ctx, ctx.db, named, objectId);
  return fieldInputs(known, { record, id: objectId, row: await readRecord(ctx.db, record, objectId) }, sent);
}

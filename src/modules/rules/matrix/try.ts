import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertCanSearch, concreteClass, readRecord } from '../../../kernel/records/search/read.ts';
import { reachableInputs } from './lib/child-matrices.ts';
import { indexDraft } from './lib/check-draft.ts';
import { readEdited } from './lib/drafts.ts';
import type { FoundMatrix } from './lib/find-matrix.ts';
import type { MatrixIndex } from './lib/matrix-index.ts';
import { fieldInputs } from './lib/record-fields.ts';
import { recordInputs } from './lib/record-inputs.ts';
import { readSubmittedInputs, unknownInputError, type SubmittedInputs } from './lib/submitted-inputs.ts';
import { wireName } from './lib/table.ts';
import { tryMatrix } from './lib/try-matrix.ts';

const fields = {
  MatrixID: required(f.id({ doc: 'The matrix.' })),
  Trial: required(
    f.json({
      doc:
        'The inputs used; the row that decides with the outcome of each of its cells, and its outputs; other rows ' +
        'that match; and near misses: rows that one condition keeps from matching, with the weight that they would ' +
        'have.',
    }),
  ),
};

export const operation = defineOperation({
  module: 'matrix',
  name: 'Try',
  method: 'GET',
  summary:
    'Tries a matrix as it is edited, with its draft if there is one: which row decides for these inputs, and why ' +
    'others do not. Inputs are sent like those of lookup, or taken from a record; those that are sent override those ' +
    'of the record.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MatrixExplain',
  names: ['ID', { object: 'Object', id: 'ObjectID' }],
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The matrix.' })),
    Object: f.text({ doc: 'The type of the record that supplies the inputs.', max: 60 }),
    ObjectID: f.id({ doc: 'The record that supplies the inputs.' }),
    UseSummary: f.boolean({
      doc: 'Whether the inputs of a record come from its summary, or, if false, from its own fields, as in a rule set.',
      default: true,
    }),
  },
  free: 'any',
  checkQueued: async (ctx, { ID }, rest) => {
    const { index } = await indexDraft(await readEdited(ctx, ID as number, 'The matrix'));
    assertInputsExist(index, index.table.name, readSubmittedInputs(rest));
  },
  returns: fields,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'UNKNOWN_PARAMETER', 'BAD_PARAMETER', 'NO_PERMISSION', 'BAD_XPATH'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, { ID, Object: object, ObjectID: objectId, UseSummary }, rest) => {
  const name = namedRow(ctx, ctx.record).Matrix ?? '';
  const { index } = await indexDraft(await readEdited(ctx, ID, name));
  const sent = readSubmittedInputs(rest);
  assertInputsExist(index, name, sent);
  const isFromRecord = typeof object === 'string' && object !== '' && typeof objectId === 'number';
  const found = { id: ID, name, version: null, index };
  const inputs = isFromRecord ? await inputsOf(ctx, found, { object, objectId }, UseSummary) : sent;
  const given = [...sent].filter(([, { text }]) => text !== '');
  return item('MatrixTrial', fields, { MatrixID: ID, Trial: tryMatrix(index, new Map([...inputs, ...given])) });
});

/** Returns the inputs of a record: from its summary, or from its own fields. */
async function inputsOf(
  ctx: Context,
  found: FoundMatrix,
  { object, objectId }: { readonly object: string; readonly objectId: number },
  useSummary: boolean,
): Promise<SubmittedInputs> {
  if (useSummary) return recordInputs(ctx, found, { object, objectId }, undefined);
  const named = ctx.registry.requireRecord(object, 'Object');
  assertCanSearch(ctx, named);
  const record = await concreteClass(ctx, ctx.db, named, objectId);
  const known = await reachableInputs(ctx, found, undefined);
  return fieldInputs(known, { record, id: objectId, row: await readRecord(ctx.db, record, objectId) }, {});
}

/** Throws UNKNOWN_PARAMETER for a name that is no input of the matrix. */
function assertInputsExist({ table }: MatrixIndex, name: string, sent: SubmittedInputs): void {
  const known = table.inputs.map((input) => wireName(input.name));
  const strange = [...sent].find(([key]) => !known.some((wire) => wire.toLowerCase() === key));
  if (strange) throw unknownInputError(strange[1].name, name, known);
}

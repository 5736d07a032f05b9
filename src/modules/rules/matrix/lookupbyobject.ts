import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertPage } from '../../../kernel/records/search/search.ts';
import { asOfParam, matrixParams, pageParams } from './lib/lookup-parameters.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';
import { recordInputs } from './lib/record-inputs.ts';
import { lookUp } from './lib/look-up.ts';
import { rankFields } from './lib/outputs.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'LookupByObject',
  method: 'GET',
  summary:
    'Ranks the rows of a matrix for a record. The value of each input is the match of its XPath in the ' +
    "record's summary or, without one, the first element named like the input. The result is that of lookup.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    ...matrixParams,
    Object: required(f.text({ doc: "The record's type.", max: 60 })),
    ObjectID: required(f.id({ doc: 'The record.' })),
    ...pageParams,
    ...asOfParam,
  },
  returns: 'list',
  answerName: 'Matrix',
  rows: rankFields,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'NO_PERMISSION', 'BAD_XPATH', 'CHAIN_TOO_DEEP'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(
  operation,
  async (ctx, { Matrix, ID, Object: object, ObjectID, RecordStart, DisplaySize, AsOf }) => {
    assertPage(RecordStart, DisplaySize);
    const asOf = instantOf(ctx, AsOf);
    const found = await findMatrix(ctx, { name: Matrix, id: ID }, asOf);
    return lookUp(ctx, found, {
      sent: await recordInputs(ctx, found, { object, objectId: ObjectID }, asOf),
      start: RecordStart,
      size: DisplaySize,
      asOf,
    });
  },
);

import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertPage } from '../../../kernel/records/search/search.ts';
import { asOfParam, matrixParams, pageParams } from './lib/lookup-parameters.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';
import { assertInputsKnown, lookUp } from './lib/look-up.ts';
import { rankFields } from './lib/outputs.ts';
import { readSubmittedInputs } from './lib/submitted-inputs.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'Lookup',
  method: 'GET',
  summary:
    'Ranks the rows of a matrix for the inputs sent, each by its name without spaces. The first row decides ' +
    'if its MisMatchCount is 0. The columns of the outputs follow those below: {Output}, {Output}ID, ' +
    '{Output}Type and, for Object outputs, {Output}Object and {Output}ObjectID.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ...matrixParams, ...pageParams, ...asOfParam },
  free: 'any',
  async checkQueued(ctx, { Matrix, ID, AsOf }, rest) {
    const named = { name: Matrix as string | null, id: ID as number | null };
    const asOf = instantOf(ctx, AsOf as string | null);
    await assertInputsKnown(ctx, await findMatrix(ctx, named, asOf), { sent: readSubmittedInputs(rest), asOf });
  },
  returns: 'list',
  answerName: 'Matrix',
  rows: rankFields,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'UNKNOWN_PARAMETER', 'BAD_PARAMETER', 'CHAIN_TOO_DEEP'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, { Matrix, ID, RecordStart, DisplaySize, AsOf }, rest) => {
  assertPage(RecordStart, DisplaySize);
  const asOf = instantOf(ctx, AsOf);
  return lookUp(ctx, await findMatrix(ctx, { name: Matrix, id: ID }, asOf), {
    sent: readSubmittedInputs(rest),
    start: RecordStart,
    size: DisplaySize,
    asOf,
  });
});

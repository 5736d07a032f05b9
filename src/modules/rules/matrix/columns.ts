import type { TreeNode } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { asOfParam, matrixParams } from './lib/lookup-parameters.ts';
import { reachableInputs } from './lib/child-matrices.ts';
import { findMatrix, instantOf } from './lib/find-matrix.ts';
import { wireName, type Input, type Output } from './lib/table.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'Columns',
  method: 'GET',
  summary:
    'Returns the inputs of a matrix with the lookup parameters that set them, then those of its child ' +
    'matrices, and its outputs.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { ...matrixParams, ...asOfParam },
  returns: 'tree',
  answerName: 'MatrixColumns',
  example: {
    name: 'MatrixColumns',
    attributes: { MatrixID: 1, Matrix: 'Fees' },
    list: true,
    children: [
      {
        name: 'Input',
        attributes: { Name: 'Loan Balance', Parameter: 'LoanBalance', ValueType: 'Number', Place: 'Own' },
      },
      { name: 'Input', attributes: { Name: 'Court', Parameter: 'Court', Place: 'Below' } },
      { name: 'Output', attributes: { Name: 'Price', Parameter: 'Price', ValueType: 'Money' } },
    ],
  },
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, { Matrix, ID, AsOf }) => {
  const asOf = instantOf(ctx, AsOf);
  const found = await findMatrix(ctx, { name: Matrix, id: ID }, asOf);
  const { inputs, outputs } = found.index.table;
  const below = [...(await reachableInputs(ctx, found, asOf)).values()].filter((input) => !inputs.includes(input));
  const children = [
    ...inputs.map((input) => columnNode('Input', input, 'Own')),
    ...below.map((input) => columnNode('Input', input, 'Below')),
    ...outputs.map((output) => columnNode('Output', output)),
  ];
  return {
    kind: 'tree',
    root: { name: 'MatrixColumns', attributes: { MatrixID: found.id, Matrix: found.name }, children, list: true },
  };
});

function columnNode(kind: 'Input' | 'Output', { name, type }: Input | Output, place?: 'Own' | 'Below'): TreeNode {
  return { name: kind, attributes: { Name: name, Parameter: wireName(name), ValueType: type, Place: place } };
}

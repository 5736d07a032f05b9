import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { asOfParam, matrixParams } from './lib/lookup-parameters.ts';
import { explainedInputs, explainedLookup, type ExplainedParameters } from './lib/explained-inputs.ts';
import { explainRows } from './lib/explain-rows.ts';

/** Most rows that are explained. */
const ROWS_MAX = 100;

export const operation = defineOperation({
  module: 'matrix',
  name: 'Explain',
  method: 'GET',
  summary:
    'Explains the best rows of a lookup cell by cell: what matched, what is blank, what did not match, and ' +
    'why. Takes the parameters of lookup, or Object and ObjectID, the record that supplies the inputs.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: [{ object: 'Object', id: 'ObjectID' }],
  params: {
    ...matrixParams,
    Object: f.text({ doc: "The record's type. Its inputs are then those of the record.", max: 60 }),
    ObjectID: f.id({ doc: 'The record whose inputs are explained.' }),
    RuleSetUseSummary: f.boolean({
      doc:
        'For a record: whether the inputs come from its summary, as in LookupByObject, or, if false, from its own ' +
        'fields, as in UpdateFromRule without this parameter. Inputs that are sent override fields.',
      default: true,
    }),
    DisplaySize: f.integer({ doc: `How many rows to explain, at most ${ROWS_MAX}.`, default: 5 }),
    ...asOfParam,
  },
  free: 'any',
  checkQueued: async (ctx, params, rest) =>
    void (await explainedLookup(ctx, params as unknown as ExplainedParameters, rest)),
  returns: 'tree',
  answerName: 'MatrixExplanation',
  example: {
    name: 'MatrixExplanation',
    attributes: { Matrix: 'Fees' },
    children: [
      {
        name: 'Rows',
        list: true,
        children: [
          {
            name: 'Row',
            attributes: { Number: 2, Eligible: true },
            children: [
              { name: 'Weight', value: 5 },
              { name: 'MatchCount', value: 1 },
              { name: 'MisMatchCount', value: 0 },
              {
                name: 'Cells',
                list: true,
                children: [
                  {
                    name: 'Cell',
                    children: [
                      { name: 'Input', value: 'State' },
                      { name: 'Cell', value: 'CA' },
                      { name: 'Value', value: 'CA' },
                      { name: 'Outcome', value: 'Matched' },
                      { name: 'Weight', value: 5 },
                      { name: 'Reason', value: 'CA equals the cell: CA.' },
                    ],
                  },
                ],
              },
              {
                name: 'Outputs',
                list: true,
                children: [
                  {
                    name: 'Output',
                    children: [
                      { name: 'Name', value: 'Price' },
                      { name: 'Value', value: '120' },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'UNKNOWN_PARAMETER', 'BAD_PARAMETER', 'NO_PERMISSION', 'BAD_XPATH'],
  source: '1-core §4, Matrices, rules and links',
});

export const run = handle(operation, async (ctx, params, rest) => {
  const { DisplaySize } = params;
  if (DisplaySize < 1 || DisplaySize > ROWS_MAX) throw bad('DisplaySize', `a number of rows between 1 and ${ROWS_MAX}`);
  const explained = await explainedLookup(ctx, params, rest);
  return { kind: 'tree', root: explainRows(explained.found, await explainedInputs(ctx, explained), DisplaySize) };
});

import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { itemRowFields, itemRows } from './lib/item-rows.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'AnalyzeByObject',
  method: 'GET',
  summary:
    'Returns one row per value of the scores on records of a class, whatever their templates, with columns ' +
    'of the scored record, a page at a time.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Object: required(f.text({ doc: 'The record type of the scored records.', max: 60 })),
    ObjectID: f.idList({ doc: 'The scored records. Empty: all of the class.' }),
    Template: f.text({ doc: 'The scorecard, by name. Empty: all.', max: 100 }),
    RecordColumns: f.textList({
      doc:
        'The columns of the scored record to return, comma-separated, each prefixed with its class as in ' +
        'Loan_Status. Empty: its label.',
    }),
    Unmask: f.boolean({
      doc:
        "Whether masked values are returned in the clear. This requires the items' UnmaskPermission and is " +
        'written to the security log.',
      default: false,
    }),
    RecordStart: f.integer({ doc: 'How many rows to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many rows to return, at most 1000.', default: 25 }),
  },
  secretAnswer: 'Unmask',
  returns: 'list',
  rows: itemRowFields,
  readWhole: async (ctx, params, _rest, take) => (await itemRows(ctx, params)).whole(take),
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => (await itemRows(ctx, params)).page());

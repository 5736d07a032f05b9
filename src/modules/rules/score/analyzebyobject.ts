import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { itemRowFields, itemRows } from './lib/item-rows.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'AnalyzeByObject',
  method: 'GET',
  summary:
    'Answers one row for each value of the scores on records of a class, whatever their templates, with columns of the scored record, a page at a time.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    Object: required(f.text({ doc: 'The record type of the scored records.', max: 60 })),
    ObjectID: f.idList({ doc: 'The scored records; all of the class where it is not sent.' }),
    Template: f.text({ doc: 'The kind of score, by name; all where it is not sent.', max: 100 }),
    RecordColumns: f.textList({
      doc: "The columns of the scored record to answer, comma-separated, each under its class's name as in Loan_Status; its label where none is named.",
    }),
    Unmask: f.boolean({
      doc: "Whether masked values are answered in the clear; it takes the items' UnmaskPermission and is written to the security log.",
      default: false,
    }),
    RecordStart: f.integer({ doc: 'How many rows to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many rows to answer, at most 1000.', default: 25 }),
  },
  returns: 'list',
  rows: itemRowFields,
  readWhole: async (ctx, params, _rest, take) => (await itemRows(ctx, params)).whole(take),
  errors: ['BAD_PARAMETER', 'NO_PERMISSION'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, params) => (await itemRows(ctx, params)).page());

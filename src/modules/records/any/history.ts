import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { historyFields, historyOf } from '../../../kernel/records/history/history.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'History',
  method: 'GET',
  summary: 'Lists who changed what in a record and when, latest first: one row per column, with its old and new value.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: { own: 'Users with universal access can name a deleted record, which only its history has.' },
  params: {
    ID: required(f.id({ doc: 'The record. Users with universal access can read a deleted one.' })),
    RecordStart: f.integer({ doc: 'How many changes to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many changes to return, at most 1000.', default: 100 }),
  },
  returns: 'list',
  answerName: 'History',
  rows: historyFields,
  errors: ['NOT_FOUND'],
  source: 'checklist KRN-20',
});

export const run = handle(operation, async (ctx, { ID, RecordStart, DisplaySize }) =>
  list('History', historyFields, await historyOf(ctx, ctx.record, ID, { start: RecordStart, size: DisplaySize })),
);

import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRuleTraces, ruleTraceFields } from './lib/rule-set/rule-trace.ts';

export const operation = defineOperation({
  module: 'any',
  name: 'RuleTraces',
  method: 'GET',
  summary:
    'Lists the rule sets that changed a record, latest first: which row of which version of the matrix decided, by ' +
    'which inputs, and its outputs.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.id({ doc: 'The record.' })),
    RecordStart: f.integer({ doc: 'How many decisions to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: 'How many decisions to return, at most 1000.', default: 25 }),
  },
  returns: 'list',
  answerName: 'RuleTrace',
  rows: ruleTraceFields,
  errors: ['NOT_FOUND', 'BAD_PARAMETER'],
  source: 'checklist RUL-05',
});

export const run = handle(operation, async (ctx, { ID, RecordStart, DisplaySize }) =>
  list(
    'RuleTrace',
    ruleTraceFields,
    await readRuleTraces(ctx, ctx.record, ID, { start: RecordStart, size: DisplaySize }),
  ),
);

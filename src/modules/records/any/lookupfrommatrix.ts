import type { Row, Shape } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { concreteTypeOf } from '../../../kernel/records/save/concrete-type.ts';
import { noRowMessage } from './lib/rule-set/apply-rule-set.ts';
import { findBestRow } from './lib/rule-set/best-row.ts';
import { assertKnownInputs, findRuleSet } from './lib/rule-set/find-rule-set.ts';
import { fillOutputs } from './lib/rule-set/fill-outputs.ts';
import type { Subject } from '../../rules/public/matrix-decision.ts';

const rankFields = {
  ID: f.id({ doc: 'The record.' }),
  Weight: f.decimal({ doc: 'The sum of the weights of the inputs that match.' }),
  MatchCount: f.integer({ doc: 'How many filled cells match.' }),
  MisMatchCount: f.integer({ doc: 'How many filled cells do not match. Only a row with 0 has outputs.' }),
};

export const operation = defineOperation({
  module: 'any',
  name: 'LookupFromMatrix',
  method: 'GET',
  summary:
    "Returns the outputs of a matrix's best row for each record, with {Field} filled in, without saving. The " +
    'columns of the outputs follow those below.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: {
    ID: required(f.idList({ doc: 'The records.' })),
    FromMatrix: required(f.text({ doc: 'The matrix, by name or id.', max: 100 })),
  },
  free: 'any',
  checkQueued: async (ctx, { FromMatrix }, rest) =>
    assertKnownInputs(await findRuleSet(ctx, String(FromMatrix).trim(), 'FromMatrix'), rest),
  returns: 'list',
  answerName: 'Matrix',
  rows: rankFields,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'UNKNOWN_PARAMETER', 'BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '1-core §4, Matrices, rules and links',
});

const outputField = f.text({ doc: 'The value that the row decides.' });

export const run = handle(operation, async (ctx, { ID, FromMatrix }, rest) => {
  const ruleSet = await findRuleSet(ctx, FromMatrix.trim(), 'FromMatrix');
  assertKnownInputs(ruleSet, rest);
  const names = new Set<string>();
  const rows: Row[] = [];
  for (const id of ID) {
    const record = await concreteTypeOf(ctx, ctx.record, id);
    const subject: Subject = { record, id, row: await readRecord(ctx.db, record, id) };
    const best = await findBestRow(ctx, subject, { ruleSet, useSummary: false, sent: rest });
    if (best.mismatches !== 0) ctx.alert({ code: 'NO_RULE', id, text: noRowMessage(best, ruleSet, subject) });
    const { outputs, faults } = await fillOutputs(ctx, best.outputs, subject, {
      ruleSet: ruleSet.name,
      summary: false,
      sent: rest,
    });
    if (faults[0]) throw faults[0].error;
    for (const { name } of outputs) names.add(name);
    rows.push({ ...Object.fromEntries(outputs.map(({ name, text }) => [name, text])), ID: id, ...best.rank });
  }
  const shape: Shape = [
    ...Object.entries(rankFields).map(([name, field]) => ({ name, field })),
    ...[...names].filter((name) => !(name in rankFields)).map((name) => ({ name, field: outputField })),
  ];
  return { kind: 'list', name: 'Matrix', shape, rows };
});

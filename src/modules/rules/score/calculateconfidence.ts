import { shapeOf, type Row } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { lockRecord } from '../../../kernel/records/save/lock-record.ts';
import { withConfidence } from './lib/calculate-score.ts';
import { weightedConfidence } from './lib/confidence.ts';

export const operation = defineOperation({
  module: 'score',
  name: 'CalculateConfidence',
  method: 'GET',
  summary:
    "Recomputes the confidence of scores: the average of their items' confidences by weight, where an empty " +
    'one counts as 1.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The scores.' })) },
  returns: 'list',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const rows: Row[] = [];
  // In id order, so that two calls over the same scores wait for each other without a deadlock.
  for (const id of [...ID].sort((a, b) => a - b)) {
    const row = await lockRecord(ctx, ctx.record, id);
    const items = await ctx.db.query<{ confidence: string | null; weight: string | null }>(
      `select i.confidence, t.weight
       from scoreitem i
       join score s using (scoreid)
       left join scoreitemtemplate t using (scoreitemtemplateid)
       where i.scoreid = $1::bigint and t.scoretemplateid is not distinct from s.scoretemplateid`,
      [id],
    );
    rows.push(await withConfidence(ctx, { id, row }, weightedConfidence(items)));
  }
  return { kind: 'list', name: ctx.record.name, shape: shapeOf(ctx.record), rows };
});

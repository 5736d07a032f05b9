import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { cancelOpenItems } from './lib/record-items.ts';

const fields = { Count: required(f.integer({ doc: 'Number of work items canceled.' })) };

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'CancelObject',
  method: 'POST',
  summary: 'Cancels all open work items of a record, in any queue.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Object: required(f.text({ doc: 'The record type.', max: 60 })),
    ObjectID: required(f.id({ doc: 'The record; it may be deleted.' })),
    Reason: f.text({ doc: 'The reason. If empty, their own reason stays.', max: 255 }),
  },
  returns: fields,
  errors: ['BAD_PARAMETER', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { Object: object, ObjectID, Reason }) => {
  const source = ctx.registry.requireRecord(object, 'Object');
  return item('CancelObject', fields, {
    Count: await cancelOpenItems(
      ctx,
      ctx.record,
      { objects: ctx.registry.family(source.root).map((of) => of.name), id: ObjectID },
      Reason ?? undefined,
    ),
  });
});

import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { cancelOpenItems } from './lib/record-items.ts';

const fields = { Count: required(f.integer({ doc: 'How many items were canceled.' })) };

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'CancelObject',
  method: 'POST',
  summary: 'Cancels every open item of a record, on whatever worklist it is.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Object: required(f.text({ doc: "The record's type.", max: 60 })),
    ObjectID: required(f.id({ doc: 'The record; it may be gone.' })),
    Reason: f.text({ doc: "Why; the items' own reason stays where it is not sent.", max: 255 }),
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

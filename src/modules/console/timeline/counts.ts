import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { countEntries } from './lib/read-timeline.ts';

const rows = {
  Kind: required(f.text({ doc: 'The kind of the entries, such as Note.' })),
  EntryCount: required(f.integer({ doc: 'How many there are.' })),
  AutomaticCount: required(f.integer({ doc: 'How many of them the platform made by itself.' })),
};

export const operation = defineOperation({
  module: 'timeline',
  name: 'Counts',
  method: 'GET',
  summary: 'Returns how many entries of each kind timeline/read has for a case. Changes of fields are not counted.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  names: { object: 'Object', id: 'ObjectID' },
  params: {
    Object: required(f.text({ doc: 'The record type of the case, such as Foreclosure.', max: 60, exact: true })),
    ObjectID: required(f.id({ doc: 'The case.' })),
  },
  returns: 'list',
  answerName: 'Kind',
  rows,
  errors: ['NOT_FOUND'],
  source: 'WEB-01',
});

export const run = handle(operation, async (ctx, { Object: name, ObjectID }) => {
  const counts = await countEntries(ctx, ctx.registry.requireRecord(name, 'Object'), ObjectID);
  return list(
    'Kind',
    rows,
    counts.map(({ kind, count, automatic }) => ({ Kind: kind, EntryCount: count, AutomaticCount: automatic })),
  );
});

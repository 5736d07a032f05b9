import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { draftFields, draftValues, readEditedLayout } from './lib/edited-layout.ts';

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'Draft',
  method: 'GET',
  summary:
    'Returns a layout as it is edited: its draft or, without one, what is published; with the differences between ' +
    'both and the problems of the draft. Cases show what is published.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'PageLayoutSelect',
  on: 'configuration',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The layout.' })) },
  returns: draftFields,
  errors: ['NOT_FOUND'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx) =>
  item('PageLayoutDraft', draftFields, draftValues(ctx, await readEditedLayout(ctx, namedRow(ctx, ctx.record)))),
);

import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { openDrafts } from '../../../kernel/records/drafts/record-drafts.ts';
import { readNames } from './lib/read-names.ts';

const rows = {
  Object: required(f.text({ doc: 'The record type, such as Matrix.' })),
  ObjectID: required(f.id({ doc: 'The record.' })),
  Name: f.text({ doc: 'Its name.' }),
  UpdatedDate: required(f.timestamp({ doc: 'When the draft was last saved.' })),
  UpdatedPersonID: f.id({ doc: 'Who saved it last.', to: 'Person' }),
};

export const operation = defineOperation({
  module: 'configuration',
  name: 'Drafts',
  method: 'GET',
  summary:
    'Lists up to 200 records with unpublished drafts, of the types that the user may search, the last saved first.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: 'list',
  answerName: 'Draft',
  rows,
  errors: [],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx) => {
  // Firms see no drafts: their role may not read the table.
  const drafts = ctx.user.universal ? await openDrafts(ctx.db) : [];
  const names = await readNames(ctx, drafts);
  return list(
    'Draft',
    rows,
    drafts.flatMap(({ object, objectId, updatedDate, updatedPersonId }) => {
      const name = names.get(object)?.get(objectId);
      if (name === undefined) return [];
      return [
        { Object: object, ObjectID: objectId, Name: name, UpdatedDate: updatedDate, UpdatedPersonID: updatedPersonId },
      ];
    }),
  );
});

import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

export const operation = defineOperation({
  module: 'view',
  name: 'Share',
  on: 'configuration',
  method: 'POST',
  summary:
    'Shares a view with a team or with everybody, or makes it a view of the current user alone. Who may do this may ' +
    'also change and delete shared views.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: ['ID', 'CollectionID'],
  params: {
    ID: required(f.id({ doc: 'The view.' })),
    CollectionID: f.id({ doc: 'The team. Empty: everybody.', to: 'Collection' }),
    Own: f.boolean({ doc: 'True: it becomes a view of the current user alone.', default: false }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'NO_PERMISSION', 'BAD_PARAMETER'],
  source: 'checklist WEB-01',
});

export const run = handle(operation, async (ctx, { ID, CollectionID, Own }) =>
  ctx.call('view/save', {
    ID,
    PersonID: Own ? ctx.user.personId : null,
    CollectionID: Own ? null : (CollectionID ?? null),
  }),
);

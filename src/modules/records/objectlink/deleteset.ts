import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { deleteSet, setParameter } from './lib/link-sets.ts';

const counts = { Deleted: required(f.integer({ doc: 'How many links were deleted.' })) };

export const operation = defineOperation({
  module: 'objectlink',
  name: 'DeleteSet',
  method: 'POST',
  summary:
    'Deletes the links of a set that you can see; the records remain. Each link can be restored by undelete. ' +
    'At most 100,000 links.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: { Set: setParameter("The set: its links' ObjectLinkType.") },
  returns: counts,
  errors: ['TOO_LARGE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Set: set }) =>
  item('ObjectLinkSet', counts, { Deleted: await deleteSet(ctx, set) }),
);

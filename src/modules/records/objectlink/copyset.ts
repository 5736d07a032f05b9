import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { copySet, setParameter } from './lib/link-sets.ts';

const counts = {
  Copied: required(f.integer({ doc: 'How many links were created in the new set.' })),
  Skipped: required(f.integer({ doc: 'How many it already had.' })),
};

export const operation = defineOperation({
  module: 'objectlink',
  name: 'CopySet',
  method: 'POST',
  summary:
    'Copies the links of a set that you can see into another set; skips links that it already has. At most ' +
    '100,000 links.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    OldSet: setParameter('The set whose links are copied: their ObjectLinkType.'),
    NewSet: setParameter('The set to copy them into.'),
  },
  returns: counts,
  errors: ['BAD_PARAMETER', 'TOO_LARGE'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { OldSet, NewSet }) => {
  if (OldSet.toLowerCase() === NewSet.toLowerCase()) throw bad('NewSet', 'another set than OldSet');
  const { copied, skipped } = await copySet(ctx, OldSet, NewSet);
  return item('ObjectLinkSet', counts, { Copied: copied, Skipped: skipped });
});

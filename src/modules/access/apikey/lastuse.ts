import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { selectKeyUses } from './lib/key-use.ts';

const lastUse = {
  ApiKeyID: required(f.id({ doc: 'The key.', to: 'ApiKey' })),
  LastUsed: required(f.timestamp({ doc: 'When it was last used, to the hour.' })),
  Address: f.text({ doc: 'The network address that used it.' }),
};

export const operation = defineOperation({
  module: 'apikey',
  name: 'LastUse',
  method: 'GET',
  summary: 'Returns when API keys were last used, and from which address. Keys that were never used are left out.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The keys.', max: 1000 })) },
  returns: 'list',
  answerName: 'ApiKeyUse',
  rows: lastUse,
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-06',
});

// Row security shows firms' users no keys, so the door has refused theirs.
export const run = handle(operation, async (ctx, { ID }) =>
  list('ApiKeyUse', lastUse, await selectKeyUses(ctx.db, ID)),
);

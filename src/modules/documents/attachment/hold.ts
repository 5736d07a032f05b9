import { list } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { holdNames, holdParameters, holdRows } from './lib/holds/hold-fields.ts';
import { lockTarget } from './lib/holds/legal-holds.ts';
import { setHold } from './lib/holds/change-holds.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Hold',
  method: 'POST',
  summary:
    'Places a legal hold on documents, or on a case with all its documents: until the hold is released, they ' +
    'cannot be deleted, and their earlier versions are kept.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: holdNames,
  params: holdParameters,
  returns: 'list',
  answerName: 'LegalHold',
  rows: holdRows,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER'],
  source: 'checklist DOC-16',
});

export const run = handle(operation, async (ctx, { Reason, ...target }) => {
  const rows = [];
  for (const held of await lockTarget(ctx, target)) rows.push(await setHold(ctx, held, Reason));
  return list('LegalHold', holdRows, rows);
});

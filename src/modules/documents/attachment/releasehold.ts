import { list } from '../../../kernel/door/answer.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { releaseHolds } from './lib/holds/change-holds.ts';
import { holdNames, holdParameters, holdRows } from './lib/holds/hold-fields.ts';
import { lockTarget, targetOfHold } from './lib/holds/legal-holds.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'ReleaseHold',
  method: 'POST',
  summary:
    "Releases the legal holds of documents or of a case. Releasing a case does not release its documents' own " +
    'holds, and vice versa.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: [...holdNames, 'LegalHoldID'],
  params: {
    ...holdParameters,
    LegalHoldID: f.id({ doc: 'One hold, with or without its record; by default all of the record.', to: 'LegalHold' }),
  },
  returns: 'list',
  answerName: 'LegalHold',
  rows: holdRows,
  errors: ['NOT_FOUND', 'MISSING_PARAMETER', 'BAD_PARAMETER', 'STATE_REFUSES'],
  source: 'checklist DOC-16',
});

export const run = handle(operation, async (ctx, { Reason, LegalHoldID, ...target }) => {
  const rows = [];
  const isByHold = typeof LegalHoldID === 'number' && (target.ID ?? target.ObjectID ?? null) === null;
  for (const held of await lockTarget(ctx, isByHold ? await targetOfHold(ctx, LegalHoldID) : target))
    rows.push(...(await releaseHolds(ctx, held, { reason: Reason, only: LegalHoldID ?? undefined })));
  if (rows.length === 0)
    throw new PlatformError('STATE_REFUSES', { field: 'ID', message: 'ID: there is no legal hold to release.' });
  return list('LegalHold', holdRows, rows);
});

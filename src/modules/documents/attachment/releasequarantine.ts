import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { releaseContent } from './lib/scan/release-content.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'ReleaseQuarantine',
  method: 'POST',
  summary:
    'Releases a document from quarantine, such as after a false alarm: its file is served although malware was ' +
    'found in it, or it could not be scanned. The release and its reason are written to the security log.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    Reason: required(f.text({ doc: 'Why the file is harmless, or is needed in spite of it.', max: 400 })),
    Version: f.integer({ doc: 'An earlier version of the file, by its number; by default the present one.' }),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'MISSING_PARAMETER'],
  source: 'checklist DOC-03',
});

export const run = handle(operation, async (ctx, { ID, Reason, Version }) => {
  await releaseContent(ctx, namedRow(ctx, ctx.record), { reason: Reason.trim(), version: Version ?? undefined });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, ID));
});

import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { scanDueContents } from './lib/scan/scan-documents.ts';
import { isScanning } from './lib/scan/scan-gate.ts';
import { requestScans } from './lib/scan/scan-rows.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Scan',
  method: 'POST',
  summary:
    'Scans the files of documents that are due for malware; the platform calls it in the background. With ID, ' +
    'scans all versions of these documents again; an infected or released one keeps its state until there is a new ' +
    'verdict.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: f.idList({ doc: 'Documents to scan again.', max: 1000 }) },
  transactions: 'own',
  returns: { Contents: required(f.integer({ doc: 'Number of contents to which this call gave a verdict.' })) },
  answerName: 'Attachment',
  errors: ['NOT_FOUND', 'STATE_REFUSES'],
  source: 'checklist DOC-03',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const ids = ID && ID.length > 0 ? ID : undefined;
  if (ids) {
    if (!isScanning(ctx.settings))
      throw new PlatformError('STATE_REFUSES', {
        field: 'ID',
        message: 'ID: no malware scanner is set up (setting MalwareScanner).',
      });
    await ctx.inTransaction((own) => own.actingAs('System', (system) => requestScans(system.db, ids)));
  }
  const Contents = await ctx.actingAs('System', (system) => scanDueContents(system, ids));
  return item('Attachment', operation.returns, { Contents });
});

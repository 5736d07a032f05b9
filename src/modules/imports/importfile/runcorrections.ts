import { item } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { requireRows } from './lib/correct/source-lines.ts';
import { runCorrections } from './lib/correct/run-corrections.ts';
import { openImportFile } from './lib/open-import-file.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'RunCorrections',
  method: 'POST',
  summary:
    'Saves the corrected rows of an import that wait for the caller. Queued by the platform with the corrections; ' +
    'calling it again is harmless.',
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  transactions: 'own',
  returns: {
    Corrected: required(f.integer({ doc: 'Rows that were saved.' })),
    Failed: required(f.integer({ doc: 'Rows that failed again.' })),
  },
  answerName: 'ImportCorrections',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'NO_PERMISSION'],
  source: 'checklist WEB-03',
});

export const run = handle(operation, async (ctx) => {
  const file = requireRows(await openImportFile(ctx, namedRow(ctx, ctx.record)));
  return item('ImportCorrections', operation.returns, { ...(await runCorrections(ctx, file)) });
});

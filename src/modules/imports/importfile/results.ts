import type { Answer, Row } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { callSignature } from '../../../kernel/door/signature.ts';
import { resultsExample } from '../lib/results-example.ts';
import { importResults } from './lib/results.ts';
import { importTemplate } from './lib/import-template.ts';

export const operation = defineOperation({
  module: 'importfile',
  name: 'Results',
  method: 'GET',
  summary: "Returns the results of a run by its import type's ResultMethod, or ImportResults if it has none.",
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['NOT_FOUND', 'NO_PERMISSION'],
  source: '1-core §4',
});

// Succeeds whatever the outcome of the run, which is in the result.
export const run = handle(operation, async (ctx, { ID }): Promise<Answer> => {
  const file = namedRow(ctx, ctx.record);
  const templateId = file.ImportFileTemplateID;
  const method = templateId === null ? undefined : (await importTemplate(ctx, templateId)).resultMethod;
  if (method === undefined) return { ...(await importResults(ctx, file)), failed: false };
  // The method names columns.
  const columns: Row = file;
  return callSignature(ctx, method, { field: 'ResultMethod' }, (name) =>
    name.toLowerCase() === 'importfileid' ? ID : (columns[name] as string | number | null | undefined),
  );
});

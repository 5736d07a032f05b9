import { list } from '../../../kernel/door/answer.ts';
import { readAll } from '../../../kernel/parameters/body-parameters.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { ImportSource } from '../../../contracts/import-engine.ts';
import { plainFileName } from './lib/create-import-file.ts';
import { detectedFields, detectTemplates } from './lib/detect-templates.ts';

/** The largest body that is looked at; of a larger document its beginning is sent, which most forms are recognised by. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const detectedBodyFields = {
  ...detectedFields,
  Expected: f.integer({
    doc: 'How many columns or elements the template expects by name: the more, the less by chance it fits.',
  }),
};

export const operation = defineOperation({
  module: 'importfile',
  name: 'DetectBody',
  method: 'POST',
  summary:
    'Answers every import template whose engine recognises the document that is the body, or its beginning of at most 4 MB. Nothing of it is kept.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { FileName: f.text({ doc: 'The name of the file, where the form follows from it.', max: 200 }) },
  body: 'raw',
  transactions: 'own',
  returns: 'list',
  answerName: 'ImportFileTemplate',
  rows: detectedBodyFields,
  errors: ['BAD_PARAMETER', 'TOO_LARGE'],
  source: 'decisions, Imports',
});

export const run = handle(operation, async (ctx, { FileName }) => {
  const fileName = plainFileName(FileName ?? 'document', 'FileName');
  const bytes = ctx.body ? await readAll(ctx.body.bytes, BODY_BYTES_MAX) : Buffer.alloc(0);
  return list('ImportFileTemplate', detectedBodyFields, await detectTemplates(ctx, memorySource(fileName, bytes)));
});

function memorySource(fileName: string, bytes: Buffer): ImportSource {
  const part = async function* (start: number, end: number): AsyncIterable<Uint8Array> {
    if (start < end) yield await Promise.resolve(bytes.subarray(start, end));
  };
  return { fileName, size: bytes.length, open: () => part(0, bytes.length), part };
}

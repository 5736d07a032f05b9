import { list } from '../../../kernel/door/answer.ts';
import { readAll } from '../../../kernel/parameters/body-parameters.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { ImportSource } from '../../../contracts/import-engine.ts';
import { plainFileName } from './lib/create-import-file.ts';
import { detectedFields, detectTemplates } from './lib/detect-templates.ts';

/**
 * Largest body that is inspected. For a larger document the sender posts its beginning, which identifies most formats.
 */
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const detectedBodyFields = {
  ...detectedFields,
  Expected: f.integer({
    doc:
      'Number of columns or elements that the import type expects by name; the higher, the less likely a ' +
      'chance match.',
  }),
};

export const operation = defineOperation({
  module: 'importfile',
  name: 'DetectBody',
  method: 'POST',
  summary:
    'Returns every import type whose engine recognizes the posted document, or its first 4 MB. Nothing is stored.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { FileName: f.text({ doc: 'Name of the file, for formats that are identified by it.', max: 200 }) },
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

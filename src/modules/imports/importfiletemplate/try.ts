import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { plainFileName } from '../importfile/lib/create-import-file.ts';
import { tryDocument } from './lib/try-document.ts';

const tried = {
  SourceLine: required(f.integer({ doc: 'Line of the row; 0 for the document as a whole.' })),
  Status: required(f.text({ doc: 'Success, Warning or Error; Read, if the engine saves no rows itself.' })),
  Operation: f.text({ doc: 'What importing it would do: Insert, Update, None, or the operation that is called.' }),
  Parameters: f.text({ doc: 'The mapped values, one per line as `name: value`. Personal numbers are masked.' }),
  Message: f.text({ doc: 'Why it would fail, or its warnings.' }),
};

/** Characters of a sample. */
const SAMPLE_CHARACTERS_MAX = 1_000_000;

export const operation = defineOperation({
  module: 'importfiletemplate',
  name: 'Try',
  method: 'POST',
  summary:
    'Tries an import type with a sample: reads it, maps its first 20 rows and saves each, all of which is rolled ' +
    'back. Returns what importing each row would do, or why it would fail. Nothing is stored.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  callsNamed: true,
  params: {
    ID: required(f.id({ doc: 'The import type.' })),
    Sample: required(f.text({ doc: 'Text of a file, such as its first lines.', max: SAMPLE_CHARACTERS_MAX })),
    FileName: f.text({ doc: 'Name of the file, for formats that are identified by it.', max: 200, default: 'sample' }),
  },
  returns: 'list',
  answerName: 'TriedRow',
  rows: tried,
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'BAD_XML', 'NO_PERMISSION', 'UNKNOWN_PROVIDER'],
  source: 'checklist WEB-06',
});

export const run = handle(operation, async (ctx, { ID, Sample, FileName }) =>
  list('TriedRow', tried, await tryDocument(ctx, ID, { text: Sample, fileName: plainFileName(FileName, 'FileName') })),
);

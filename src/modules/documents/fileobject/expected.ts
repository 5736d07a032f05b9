import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { selectExpectedFiles } from './lib/watch/expected-files.ts';

const expected = {
  Location: required(f.text({ doc: 'The storage location.' })),
  Operation: required(f.text({ doc: 'The watch that takes the files.' })),
  Path: required(f.text({ doc: 'The folder.' })),
  Pattern: required(f.text({ doc: 'Names of the files.' })),
  ExpectedBy: required(f.text({ doc: 'The times by which a file must have come.' })),
  DueDate: required(f.timestamp({ doc: 'The next of them.' })),
  HasCome: required(f.boolean({ doc: 'Whether a file has come since the time before.' })),
  IsMissing: required(f.boolean({ doc: 'Whether the file of the time before is missing.' })),
  LastDate: f.timestamp({ doc: 'When the last file was taken from the location by such a watch.' }),
};

export const operation = defineOperation({
  module: 'fileobject',
  name: 'Expected',
  method: 'GET',
  summary: 'Lists the files that watches expect (ExpectedBy): by when, whether they came, and when the last one did.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {},
  returns: 'list',
  answerName: 'ExpectedFile',
  rows: expected,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-07',
});

export const run = handle(operation, async (ctx) => list('ExpectedFile', expected, await selectExpectedFiles(ctx)));

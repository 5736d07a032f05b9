import { FILE_OBJECT } from '../../../contracts/file-object.ts';
import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { fileMask } from './lib/file-mask.ts';

const DISPLAY_SIZE_MAX = 1_000;
const DEPTH_MAX = 64;

const rows = {
  Path: required(f.personal({ doc: "The file's path in the location." })),
  FileSize: required(f.integer({ doc: 'The size in bytes.' })),
  ModifiedDate: required(f.timestamp({ doc: 'When the file was last written.' })),
};

export const operation = defineOperation({
  module: 'fileobject',
  name: 'List',
  method: 'GET',
  summary: 'Lists the files in a folder of a storage location, and in a given number of levels of subfolders.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: {
    FileObject: required(f.text({ doc: 'The name of the location.', max: 100 })),
    Path: f.text({ doc: 'The folder.', max: 1000, exact: true, default: '/' }),
    Pattern: f.text({
      doc: 'A mask of file names, such as `*.csv`; separate several with `;`.',
      max: 500,
      default: '*',
    }),
    Depth: f.integer({ doc: 'Levels of subfolders.', default: 0 }),
    RecordStart: f.integer({ doc: 'How many files to skip.', default: 0 }),
    DisplaySize: f.integer({ doc: `How many files to return, at most ${DISPLAY_SIZE_MAX}.`, default: 100 }),
  },
  returns: 'list',
  answerName: 'File',
  rows,
  errors: ['BAD_PARAMETER', 'UNKNOWN_PROVIDER', 'UNAVAILABLE'],
  source: 'docs/guides/operators/storage.md',
});

export const run = handle(
  operation,
  async (ctx, { FileObject: name, Path, Pattern, Depth, RecordStart, DisplaySize }) => {
    if (DisplaySize < 1 || DisplaySize > DISPLAY_SIZE_MAX)
      throw bad('DisplaySize', `a number of files between 1 and ${DISPLAY_SIZE_MAX}`);
    if (Depth < 0 || Depth > DEPTH_MAX) throw bad('Depth', `a number of levels between 0 and ${DEPTH_MAX}`);
    if (RecordStart < 0) throw bad('RecordStart', 'a number of files, 0 or more');
    const matchesMask = fileMask(Pattern, 'Pattern');
    const found: { Path: string; FileSize: number; ModifiedDate: string }[] = [];
    let passed = 0;
    for await (const { path, size, modified } of ctx.providers.get(FILE_OBJECT, name).entries(Path, { depth: Depth })) {
      if (!matchesMask(path.slice(path.lastIndexOf('/') + 1)) || passed++ < RecordStart) continue;
      found.push({ Path: path, FileSize: size, ModifiedDate: modified });
      if (found.length >= DisplaySize) break;
    }
    return list('File', rows, found);
  },
);

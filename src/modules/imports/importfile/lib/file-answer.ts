import { item, type ItemAnswer, type Row } from '../../../../kernel/door/answer.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { importFile } from '../importfile.record.ts';

/** Fields of an import file, returned by operations that queue or control its run. */
export const fileFields = {
  ImportFile: f.text({ doc: 'The name of the submission.', max: 255 }),
  ImportFileID: f.id({ doc: 'The import file, which identifies its progress and results.' }),
  Status: f.text({ doc: 'The status of the run.', max: 100 }),
};

/** Returns an import file as an operation's result. */
export function fileAnswer(name: string, importFileId: number, status: string): ItemAnswer {
  return item('ImportFile', fileFields, { ImportFile: name, ImportFileID: importFileId, Status: status });
}

/** Returns the name of a submission, or the id of its import file if it has none. */
export function submissionName(file: Row<typeof importFile>): string {
  return file.ImportFile ?? String(file.ImportFileID);
}

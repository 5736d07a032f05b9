import { item, type ItemAnswer } from '../../../../kernel/door/answer.ts';
import { f } from '../../../../kernel/declare/field.ts';

/** The answer of a submission that is imported later, or of work on its run. */
export const fileFields = {
  ImportFile: f.text({ doc: 'The name of the submission.', max: 255 }),
  ImportFileID: f.id({ doc: 'The import file, by which its progress and results are found.' }),
  Status: f.text({ doc: 'Where it stands.', max: 100 }),
};

/** Answers the import file of a submission. */
export function fileAnswer(name: string, importFileId: number, status: string): ItemAnswer {
  return item('ImportFile', fileFields, { ImportFile: name, ImportFileID: importFileId, Status: status });
}

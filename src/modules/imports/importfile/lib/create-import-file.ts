import type { Context } from '../../../../kernel/door/context.ts';
import type { StagedDocument } from '../../../../kernel/ports/documents.ts';
import type { Values } from '../../../../kernel/declare/values.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { insertRow } from '../../../../kernel/records/save/insert-row.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import type { ImportTemplate } from '../../../../contracts/import-engine.ts';
import type { importFile } from '../importfile.record.ts';

/** The content of a new import file. */
export interface NewImportFile {
  readonly template: ImportTemplate;
  readonly fileName: string;
  readonly document: StagedDocument;
  readonly status: 'New' | 'Queued';
  readonly reference?: string | undefined;
  readonly externalReference?: string | undefined;
  /** The firm that sent it, instead of the caller's. */
  readonly organizationId?: number | null;
  /** The import whose failed parts this one sends again. */
  readonly correctsId?: number;
  /** Columns of the source document besides its file, as parameters of its save. */
  readonly documentFields?: Readonly<Record<string, string>>;
}

/**
 * Inserts an import file that belongs to the caller's firm, with zero counts, in the caller's transaction. Returns its
 * id.
 */
export async function insertImportFile(own: Context, values: Values<typeof importFile>): Promise<number> {
  const row = await insertRow(own, own.registry.recordType('ImportFile'), {
    OrganizationID: own.user.universal ? null : own.user.organizationId,
    SftpAccountID: sftpAccountOf(own),
    SuccessCount: 0,
    ErrorCount: 0,
    Warnings: 0,
    ...values,
  });
  return row.ImportFileID;
}

/** Returns the sFTP account by which a call came: the first link of its cause. */
function sftpAccountOf({ cause }: Context): number | null {
  const id = /^SftpAccount (\d+)$/.exec(cause[0] ?? '')?.[1];
  return id === undefined ? null : Number(id);
}

/** Creates an import file with its source as a document on it, in the caller's transaction. Returns its id. */
export async function createImportFile(own: Context, file: NewImportFile): Promise<number> {
  const importFileId = await insertImportFile(own, {
    ImportFile: file.fileName,
    Status: file.status,
    Reference: file.reference ?? null,
    ExternalReference: file.externalReference ?? null,
    ImportFileTemplateID: file.template.id,
    ...(file.organizationId === undefined ? {} : { OrganizationID: file.organizationId }),
    ...(file.correctsId === undefined ? {} : { CorrectsID: file.correctsId }),
  });
  const saved = await own.call(
    'attachment/save',
    { Object: 'ImportFile', ObjectID: importFileId, FileName: file.fileName, Staged: file.document.token },
    file.documentFields,
  );
  await setSourceDocument(own, importFileId, saved.row.AttachmentID);
  return importFileId;
}

/** Sets the document that the import file's run reads. */
export async function setSourceDocument(own: Context, importFileId: number, attachmentId: number): Promise<void> {
  await updateRow(own, own.registry.recordType('ImportFile'), importFileId, {
    PreTransformID: attachmentId,
  });
}

/** Characters that a plain file name never has: path separators and control characters. */
const NOT_IN_FILE_NAMES = /[/\\\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const NAME_CHARACTERS_MAX = 200;

/**
 * Returns the trimmed name of a submission.
 * @throws BAD_PARAMETER if it is empty, too long or a path
 */
export function plainFileName(name: string, field: string): string {
  const plain = name.trim();
  if (
    plain === '' ||
    plain === '.' ||
    plain === '..' ||
    NOT_IN_FILE_NAMES.test(plain) ||
    plain.length > NAME_CHARACTERS_MAX
  )
    throw bad(field, `a plain file name of at most ${NAME_CHARACTERS_MAX} characters, without a path`);
  return plain;
}

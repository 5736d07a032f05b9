import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { searchRecords } from '../../../../kernel/records/search/search.ts';
import { insertImportFile, setSourceDocument } from './create-import-file.ts';
import { requireEngine } from './open-import-file.ts';
import { queueImport } from './queue-import.ts';
import { assertMayReadSealed } from './sealed-source.ts';
import { findImportTemplate } from './import-template.ts';

/** The engine that turns the rows of a document into calls. */
const BATCH_ENGINE = 'BatchReader';
/** The flag of ImportOperationsAllowed for calls other than saves. */
const INVOKE = 4;

/** The parameters of operations that work off an uploaded file. */
export const uploadedParameters = {
  Attachment: f.text({
    doc: 'The name of the uploaded file, where AttachmentID does not say which document it is.',
    max: 255,
  }),
  AttachmentID: f.id({ doc: 'The uploaded file.', to: 'Attachment' }),
  ImportFileTemplate: f.text({
    doc: "The import template by which the file is read, one of the BatchReader engine; the operation's own where it is not said.",
    max: 100,
  }),
};

interface UploadParameters {
  readonly Attachment?: string | null;
  readonly AttachmentID?: number | null;
  readonly ImportFileTemplate?: string | null;
}

/** What the rows of an uploaded file call. */
export interface UploadedCall {
  /** The template of the standard configuration. */
  readonly template: string;
  /** The only call of its rows, such as `Message/Send`. */
  readonly call: string;
}

/** Makes the import file of an uploaded document and queues its import, each row of which is one call; answers its id and name. */
export async function queueUploadedBatch(
  own: Context,
  sent: UploadParameters,
  { template: standard, call }: UploadedCall,
): Promise<{ readonly importFileId: number; readonly name: string }> {
  const template = await findImportTemplate(own, { name: sent.ImportFileTemplate ?? standard });
  requireEngine(own, template);
  if (template.engine.toLowerCase() !== BATCH_ENGINE.toLowerCase())
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ImportFileTemplate',
      message: `ImportFileTemplate: ${template.name} is read by ${template.engine}; expected a template of ${BATCH_ENGINE}.`,
    });
  if ((template.operationsAllowed & INVOKE) === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ImportFileTemplate',
      message: `ImportFileTemplate: ${template.name} does not allow its rows to invoke operations (ImportOperationsAllowed).`,
    });
  const document = await uploadedDocument(own, sent);
  const name = String(document['FileName'] ?? document['Attachment'] ?? call);
  const importFileId = await insertImportFile(own, {
    importfile: name,
    importfiletype: call,
    status: 'New',
    importfiletemplateid: template.id,
  });
  await setSourceDocument(own, importFileId, Number(document['AttachmentID']));
  await queueImport(own, template, importFileId);
  return { importFileId, name };
}

/** The uploaded document, within the caller's reach. */
async function uploadedDocument(
  own: Context,
  { Attachment, AttachmentID }: UploadParameters,
): Promise<Readonly<Record<string, unknown>>> {
  const record = own.registry.requireRecord('Attachment', 'AttachmentID');
  const document = await readRecord(own.db, record, AttachmentID ?? (await documentIdByFileName(own, Attachment)));
  assertMayReadSealed(own, { sealed: document['Sealed'], personId: document['CreatedPersonID'] }, 'AttachmentID');
  return document;
}

async function documentIdByFileName(own: Context, name: string | null | undefined): Promise<number> {
  if (!name)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AttachmentID',
      message: 'AttachmentID is required: the uploaded file; or Attachment, its name.',
    });
  const record = own.registry.requireRecord('Attachment', 'Attachment');
  // Taken literally: a star in a file's name is a star.
  const { rows } = await searchRecords(own, record, { FileName: `"${name}"` }, { DisplaySize: 2, RecordCount: false });
  const [only] = rows;
  if (!only)
    throw new PlatformError('NOT_FOUND', {
      field: 'Attachment',
      message: 'Attachment: there is no document with a file of this name within reach.',
    });
  if (rows.length > 1)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Attachment',
      message: 'Attachment: several documents have a file of this name; expected AttachmentID.',
    });
  return Number(only['AttachmentID']);
}

import { OPERATION_FLAGS } from '../../../../contracts/import-engine.ts';
import { namedRowIfSent } from '../../../../kernel/door/named-records.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import { notFoundText, readRecord } from '../../../../kernel/records/search/read.ts';
import { searchRecords } from '../../../../kernel/records/search/search.ts';
import { insertImportFile, setSourceDocument } from './create-import-file.ts';
import { requireEngine } from './open-import-file.ts';
import { queueImport } from './queue-import.ts';
import { assertMayReadSealed } from './sealed-source.ts';
import { findImportTemplate } from './import-template.ts';
import type { Row } from '../../../../kernel/door/answer.ts';
import type { attachment } from '../../../documents/attachment/attachment.record.ts';

/** Engine that turns the rows of a document into calls. */
const BATCH_ENGINE = 'BatchReader';

/** Parameters of operations that process an uploaded file. */
export const uploadedParameters = {
  Attachment: f.text({
    doc: 'Name of the uploaded file, if AttachmentID is not sent.',
    max: 255,
  }),
  AttachmentID: f.id({ doc: 'The uploaded file.', to: 'Attachment' }),
  ImportFileTemplate: f.text({
    doc: "The import type by which the file is read, one of the BatchReader engine; by default the operation's own.",
    max: 100,
  }),
};

interface UploadParameters {
  readonly Attachment?: string | null;
  readonly AttachmentID?: number | null;
  readonly ImportFileTemplate?: string | null;
}

/** The call made for the rows of an uploaded file. */
export interface UploadedCall {
  /** Import type of the standard configuration. */
  readonly template: string;
  /** The only call of its rows, such as `Message/Send`. */
  readonly call: string;
}

/**
 * Creates the import file of an uploaded document and queues its import, in which each row is one call. Returns its id
 * and name.
 */
export async function queueUploadedBatch(
  own: Context,
  sent: UploadParameters,
  { template: standard, call }: UploadedCall,
): Promise<{ readonly importFileId: number; readonly name: string }> {
  await assertCallExists(own, call);
  const template = await findImportTemplate(own, { name: sent.ImportFileTemplate ?? standard });
  requireEngine(own, template);
  if (template.engine.toLowerCase() !== BATCH_ENGINE.toLowerCase())
    throw new PlatformError('BAD_PARAMETER', {
      field: 'ImportFileTemplate',
      message:
        `ImportFileTemplate: ${template.name} is read by ${template.engine}; expected an import type of ` +
        `${BATCH_ENGINE}.`,
    });
  if ((template.operationsAllowed & OPERATION_FLAGS.invoke) === 0)
    throw new PlatformError('STATE_REFUSES', {
      field: 'ImportFileTemplate',
      message:
        `ImportFileTemplate: ${template.name} does not allow its rows to invoke operations ` +
        '(ImportOperationsAllowed).',
    });
  const document = await uploadedDocument(own, sent);
  const name = document.FileName ?? document.Attachment ?? call;
  const importFileId = await insertImportFile(own, {
    ImportFile: name,
    ImportFileType: call,
    Status: 'New',
    ImportFileTemplateID: template.id,
  });
  await setSourceDocument(own, importFileId, document.AttachmentID);
  await queueImport(own, template, importFileId);
  return { importFileId, name };
}

/** Refuses a file none of whose rows could run, before anything of it is queued. */
async function assertCallExists(own: Context, call: string): Promise<void> {
  const [module = '', operation = ''] = call.toLowerCase().split('/');
  if ((await own.findOperation(module, operation)) === undefined)
    throw new PlatformError('UNKNOWN_OPERATION', {
      message: `This version of the platform has no operation ${call}, so no row could run. Nothing was queued.`,
    });
}

/**
 * Reads the uploaded document.
 * @throws NOT_FOUND, NO_PERMISSION
 */
async function uploadedDocument(own: Context, { Attachment }: UploadParameters): Promise<Row<typeof attachment>> {
  const record = own.registry.recordType('Attachment');
  const document =
    namedRowIfSent(own, record, 'AttachmentID') ??
    (await readRecord(own.db, record, await documentIdByFileName(own, Attachment)));
  assertMayReadSealed(own, { sealed: document.Sealed, personId: document.CreatedPersonID }, 'AttachmentID');
  return document;
}

async function documentIdByFileName(own: Context, name: string | null | undefined): Promise<number> {
  if (!name)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AttachmentID',
      message: 'AttachmentID is required: the uploaded file. Or send Attachment, its name.',
    });
  const record = own.registry.recordType('Attachment');
  // Matches literally: a star in a file's name is a star.
  const { rows } = await searchRecords(own, record, { FileName: `"${name}"` }, { DisplaySize: 2, RecordCount: false });
  const [only] = rows;
  if (!only)
    throw new PlatformError('NOT_FOUND', {
      field: 'Attachment',
      message: `Attachment: ${notFoundText({ name: 'Document with the file' }, `"${name.slice(0, 100)}"`)}`,
    });
  if (rows.length > 1)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Attachment',
      message: 'Attachment: several documents have a file of this name; send AttachmentID instead.',
    });
  return only.AttachmentID;
}

import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { attachment } from './attachment.record.ts';
import { isServed } from './lib/scan/scan-gate.ts';
import { versionsOf } from './lib/document-versions.ts';

const rows = {
  Number: required(f.integer({ doc: 'The version, 1 for the first content.' })),
  FileName: f.personal({ doc: 'The file name.' }),
  MimeType: f.text({ label: 'Media type', doc: 'The media type, detected from the content.' }),
  FileSize: f.integer({ label: 'Size in bytes', doc: 'The size in bytes.' }),
  FileHash: f.text({ label: 'SHA-256', doc: 'SHA-256 of the content, hexadecimal.' }),
  ScanState: attachment.fields.ScanState,
  ScanResult: attachment.fields.ScanResult,
  Served: required(f.boolean({ doc: 'Whether its malware scan, if there is one, lets it be opened.' })),
  StoredDate: required(f.timestamp({ doc: 'When this content was stored.' })),
  StoredPersonID: f.id({ doc: 'Who stored it.', to: 'Person' }),
  Current: required(f.boolean({ doc: 'Whether it is the present content.' })),
};

export const operation = defineOperation({
  module: 'attachment',
  name: 'Versions',
  method: 'GET',
  summary:
    "Lists the versions of a document's file, the newest first. `attachment/download` and `attachment/view` return " +
    'an earlier one by its number.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'AttachmentDownload',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The document.' })) },
  returns: 'list',
  rows,
  answerName: 'DocumentVersion',
  errors: ['NOT_FOUND'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx) => {
  const document = namedRow(ctx, ctx.record);
  const earlier = await versionsOf(ctx, document.AttachmentID);
  const present = {
    number: document.FileVersion ?? 1,
    FileName: document.FileName,
    MimeType: document.MimeType,
    FileSize: document.FileSize,
    FileHash: document.FileHash,
    ScanState: document.ScanState,
    ScanResult: document.ScanResult,
  };
  const contents = document.FilePath === null ? earlier : [...earlier, present];
  return list(
    'DocumentVersion',
    rows,
    contents
      .map(({ number, FileName, MimeType, FileSize, FileHash, ScanState, ScanResult }, at) => {
        // A content was stored when it replaced the one before it.
        const before = earlier[at - 1];
        return {
          Number: number,
          FileName,
          MimeType,
          FileSize,
          FileHash: document.Sealed === true ? null : FileHash,
          ScanState,
          ScanResult,
          Served: isServed(ctx.settings, { ScanState }),
          StoredDate: before?.replaced ?? document.CreatedDate,
          StoredPersonID: before ? before.replacedBy : document.CreatedPersonID,
          Current: at === earlier.length,
        };
      })
      .reverse(),
  );
});

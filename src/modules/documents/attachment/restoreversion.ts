import { randomUUID } from 'node:crypto';
import { FILE_OBJECT } from '../../../contracts/file-object.ts';
import { recordItem } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';
import { documentAsVersion } from './lib/document-versions.ts';
import { assertServed, servedErrors } from './lib/scan/scan-gate.ts';
import { DEFAULT_PATH_URL, pathOfDocument } from './lib/path-url.ts';
import { assertTemplateFile } from './lib/template-upload.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'RestoreVersion',
  method: 'POST',
  summary: 'Restores an earlier content of a document as a new version. All other versions are kept.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  permission: 'AttachmentSave',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The document.' })),
    Version: required(f.integer({ doc: 'The number of the version, as attachment/versions returns it.' })),
  },
  returns: 'item',
  errors: ['NOT_FOUND', 'UNAVAILABLE', 'STATE_REFUSES', 'BAD_TEMPLATE', ...servedErrors],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, Version }) => {
  const present = namedRow(ctx, ctx.record);
  const earlier = await documentAsVersion(ctx, present, Version);
  if (earlier !== present && (present.Sealed === true || earlier.Sealed === true))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        `ID: the file of Attachment ${ID} is stored encrypted, and such a file keeps no versions: its present ` +
        'content would be lost. Download the earlier version and save it as another document.',
    });
  if (earlier === present || earlier.FilePath === null || earlier.FileObject === null)
    return recordItem(ctx.record, present);
  assertServed(ctx.settings, earlier);
  await assertTemplateFile(ctx, earlier);
  const files = ctx.providers.get(FILE_OBJECT, earlier.FileObject);
  // A second path to the same bytes: the version keeps its own, so that neither depends on the other.
  const path = pathOfDocument(ctx.record, earlier, { pathUrl: DEFAULT_PATH_URL, guid: randomUUID(), field: 'Version' });
  await files.copy(earlier.FilePath, path);
  ctx.onUndo(() => files.delete(path));
  const { FileName, MimeType, FileSize, FileHash, FileObject, ScanState, ScanDate, ScanResult } = earlier;
  const scan = { ScanState, ScanDate, ScanResult };
  await updateRow(ctx, ctx.record, ID, {
    FileName,
    MimeType,
    FileSize,
    FileHash,
    FileObject,
    FilePath: path,
    ...scan,
  });
  return recordItem(ctx.record, await readRecord(ctx.db, ctx.record, ID));
});

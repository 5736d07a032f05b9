import { randomUUID } from 'node:crypto';
import { FILE_OBJECT } from '../../../contracts/file-object.ts';
import { discardStaged } from '../../../kernel/documents/discard-staged.ts';
import { recordItem } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { planOptions, planSave, type SavePlan } from '../../../kernel/records/save/plan.ts';
import { assertSaveAllowed } from '../../../kernel/records/save/save-authorization.ts';
import { saveRecord } from '../../../kernel/records/save/save-record.ts';
import { decodeBase64 } from '../../../kernel/xml/base64.ts';
import type { attachment } from './attachment.record.ts';
import { assertNotInfected } from './lib/scan/refuse-infected.ts';
import { scanColumns } from './lib/scan/staged-scan.ts';
import { stagedType } from './lib/template-upload.ts';
import { plainFileName } from './lib/file-content.ts';
import { noteReplacedFile } from './lib/transfer/replace-by-sealed.ts';
import { openToken, storedHash, type StagedFile } from './lib/stored-documents.ts';

export const operation = defineOperation({
  module: 'attachment',
  name: 'Save',
  method: 'POST',
  summary: 'Saves a document: its fields, and its content as base64 or as a staged file.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  params: {
    Content: f.text({ doc: 'The file as base64; requires FileName.' }),
    Staged: f.text({ doc: 'A staged file, as staging it returned.', max: 4000 }),
  },
  free: 'fields',
  returns: 'item',
  errors: ['NOT_FOUND', 'VERSION_CONFLICT', 'BAD_PARAMETER', 'DOCUMENT_INFECTED'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Content, Staged }, rest) => {
  const plan = planSave(ctx.registry, ctx.record, rest, planOptions(ctx));
  await assertSaveAllowed(ctx, plan);
  const fileName = sentFileName(plan);
  const token = Staged ?? (typeof Content === 'string' ? await stageContent(ctx, Content, fileName) : undefined);
  if (token === undefined) return recordItem(ctx.record, (await saveRecord(ctx, plan, 'save')).row);
  const staged = openToken(ctx.cipher, token);
  await assertNotInfected(ctx, staged, fileName);
  if (staged.sealed && plan.id !== undefined) await noteReplacedFile(ctx, plan.id);
  const path = staged.inPlace === true ? staged.path : newPath(plan, fileName);
  Object.assign(plan.values, contentValues(ctx, staged, path, fileName ?? ''));
  if (plan.values.Attachment === undefined && plan.id === undefined) plan.values.Attachment = fileName ?? 'file';
  // A file that others put into the location stays where it is.
  if (staged.inPlace === true) return recordItem(ctx.record, (await saveRecord(ctx, plan, 'save')).row);
  const files = ctx.providers.get(FILE_OBJECT, staged.fileObject);
  await files.copy(staged.path, path);
  // If the record is not saved after all, nothing will ever point to the file.
  ctx.onUndo(() => files.delete(path));
  try {
    return recordItem(ctx.record, (await saveRecord(ctx, plan, 'save')).row);
  } catch (error) {
    await files.delete(path);
    throw error;
  } finally {
    // A file staged by this call is no longer needed. One staged by the caller may be, for another attempt.
    if (typeof Staged !== 'string') await discardStaged(ctx, [{ token }]);
  }
});

/** Returns the file name that is sent, if any. Throws BAD_PARAMETER if it is not a plain name. */
function sentFileName({ values }: SavePlan<typeof attachment>): string | undefined {
  const sent = values.FileName;
  if (typeof sent !== 'string') return undefined;
  const fileName = plainFileName(sent);
  if (fileName === undefined) throw bad('FileName', 'a file name without a path');
  return fileName;
}

/** Returns a new path for a document's file: `/{Object}/{ObjectID}/{Guid}/{FileName}`. */
function newPath({ values }: SavePlan<typeof attachment>, fileName: string | undefined): string {
  return `/${values.Object ?? 'Attachment'}/${values.ObjectID ?? 0}/${randomUUID()}/${fileName ?? 'file'}`;
}

async function stageContent(
  ctx: Parameters<typeof run>[0],
  content: string,
  fileName: string | undefined,
): Promise<string> {
  if (fileName === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'FileName',
      message: 'FileName is required with Content.',
    });
  const decoded = decodeBase64(content);
  const { bytes } = decoded;
  if (bytes === undefined) throw bad('Content', 'a file as base64');
  const one = async function* (): AsyncIterable<Uint8Array> {
    yield bytes;
  };
  return (await ctx.documents.stage(one(), { fileName })).token;
}

function contentValues(
  ctx: Parameters<typeof run>[0],
  staged: StagedFile,
  path: string,
  fileName: string,
): Values<typeof attachment> {
  return {
    MimeType: stagedType(staged, fileName),
    FileSize: staged.size,
    FileHash: storedHash(staged),
    FileObject: staged.fileObject,
    FilePath: path,
    Sealed: staged.sealed,
    ...scanColumns(ctx.settings, staged.scan),
  };
}

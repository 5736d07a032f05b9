import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { renditionName } from '../document-row.ts';
import { sealToken } from '../stored-documents.ts';
import type { attachment, StoredDocument } from '../../attachment.record.ts';
import { renditionOf } from './rendition-of.ts';
import { sealedRefusal, type Rendition } from './rendition-rows.ts';

/** What is saved. */
export interface ConvertTarget {
  readonly mime: string;
  /** Whether the result becomes the file of the same document. */
  readonly replace: boolean;
}

/**
 * Converts a document and saves the result on the same record, or as a new version. A document of the record that has
 * the same content already is returned instead: the call may be a repeated one.
 */
export async function saveConverted(
  ctx: Context<typeof attachment>,
  id: number,
  { mime, replace }: ConvertTarget,
): Promise<{ readonly documentId: number; readonly fileName: string }> {
  const row = await readRecord(ctx.db, ctx.record, id);
  const fileName = row.FileName ?? row.Attachment ?? '';
  if (row.MimeType === mime) {
    if (replace) return { documentId: id, fileName };
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: document ${id} is ${mime} already, and was not converted.`,
    });
  }
  const rendition = await renditionOf(ctx, row, mime);
  const name = renditionName(row, rendition.extension);
  const documentId = await ctx.inTransaction((own) =>
    replace ? replaceFile(own, row, { name, rendition }) : addDocument(own, row, { name, rendition }),
  );
  return { documentId, fileName: name };
}

interface NamedRendition {
  readonly name: string;
  readonly rendition: Rendition;
}

async function addDocument(own: Context, row: StoredDocument, made: NamedRendition): Promise<number> {
  // Of two calls at the same time, the second one finds what the first one has saved.
  const [source] = await own.db.query<{ sealed: boolean | null }>(
    'select sealed from attachment where attachmentid = $1::bigint for no key update',
    [row.AttachmentID],
  );
  if (source?.sealed === true) throw sealedRefusal(row.AttachmentID);
  const [same] = await own.db.query<{ id: number }>(
    `select attachmentid as id from attachment
     where object is not distinct from $1::text and objectid is not distinct from $2::bigint
       and filehash = $3::text and filename = $4::text and attachmentid > $5::bigint
     order by attachmentid limit 1`,
    [row.Object, row.ObjectID, made.rendition.hash, made.name, row.AttachmentID],
  );
  if (same) return same.id;
  const { Object: parent, ObjectID: parentId, AttachmentTemplateID: type } = row;
  const saved = await own.call('attachment/save', {
    FileName: made.name,
    Staged: tokenOf(own, made.rendition),
    ...(parent === null || parentId === null ? {} : { Object: parent, ObjectID: parentId }),
    // Its type decides who sees it.
    ...(type === null ? {} : { AttachmentTemplateID: type }),
  });
  return saved.row.AttachmentID;
}

async function replaceFile(own: Context, row: StoredDocument, made: NamedRendition): Promise<number> {
  const id = row.AttachmentID;
  const [now] = await own.db.query<{ hash: string | null; sealed: boolean | null }>(
    'select filehash as hash, sealed from attachment where attachmentid = $1::bigint for no key update',
    [id],
  );
  if (now?.sealed === true) throw sealedRefusal(id);
  if (now?.hash === made.rendition.hash) return id;
  if (now?.hash !== row.FileHash)
    throw new PlatformError('CONCURRENT_CHANGE', {
      field: 'ID',
      message: `The file of Attachment ${id} was replaced while it was converted; convert it again.`,
    });
  await own.call('attachment/save', { ID: id, FileName: made.name, Staged: tokenOf(own, made.rendition) });
  return id;
}

/** Returns a token by which the rendition is saved; it stays. */
function tokenOf(own: Context, { fileObject, path, size, hash, mime }: Rendition): string {
  return sealToken(own.cipher, { fileObject, path, size, hash, mime, sealed: false });
}

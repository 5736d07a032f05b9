import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { ScanState } from '../../../../kernel/ports/documents.ts';
import type { StoredDocument } from '../attachment.record.ts';

/** An earlier content of a document. */
export interface DocumentVersion {
  /** 1 for the first content. */
  readonly number: number;
  readonly FileName: string | null;
  readonly MimeType: string | null;
  readonly FileSize: number | null;
  readonly FileHash: string | null;
  readonly FileObject: string;
  readonly FilePath: string;
  readonly ScanState: ScanState | null;
  readonly ScanDate: string | null;
  readonly ScanResult: string | null;
  readonly Sealed: boolean;
  /** When the next content replaced it, ISO 8601. */
  readonly replaced: string;
  readonly replacedBy: number | null;
}

const columns =
  'number, filename as "FileName", mimetype as "MimeType", filesize as "FileSize", filehash as "FileHash", ' +
  'fileobject as "FileObject", filepath as "FilePath", sealed as "Sealed", scanstate as "ScanState", ' +
  'scandate as "ScanDate", scanresult as "ScanResult", replaceddate as replaced, replacedpersonid as "replacedBy"';

/**
 * Returns the earlier contents of a document, the first one first. The caller must reach the document; the table has no
 * rows for anybody under row security.
 */
export async function versionsOf(ctx: Context, documentId: number): Promise<readonly DocumentVersion[]> {
  return ctx.inTransaction((own) =>
    own
      .transaction()
      .elevated((db) =>
        db.query<DocumentVersion>(
          `select ${columns} from documentversion where attachmentid = $1::bigint order by number`,
          [documentId],
        ),
      ),
  );
}

/**
 * Returns the row of a document as it was in an earlier version, for {@link documentDownload}; the row itself for the
 * present version or without one.
 * @throws NOT_FOUND naming Version
 */
export async function documentAsVersion(
  ctx: Context,
  row: StoredDocument,
  number: number | null | undefined,
): Promise<StoredDocument> {
  if (number === null || number === undefined || number === row.FileVersion) return row;
  const found = (await versionsOf(ctx, row.AttachmentID)).find((version) => version.number === number);
  if (!found)
    throw new PlatformError('NOT_FOUND', {
      field: 'Version',
      message: `Version: document ${row.AttachmentID} has no version ${number}; attachment/versions lists them.`,
    });
  const { replaced, replacedBy: _replacedBy, number: _number, ...content } = found;
  return { ...row, ...content, UpdatedDate: replaced };
}

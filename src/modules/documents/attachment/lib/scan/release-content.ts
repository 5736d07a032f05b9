import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import type { attachment, StoredDocument } from '../../attachment.record.ts';
import { documentAsVersion } from '../document-versions.ts';
import { malwareDetail } from './refuse-infected.ts';
import { isServed } from './scan-gate.ts';

/**
 * Releases the present content of a document from quarantine, or that of an earlier version. The document's row is
 * locked by the caller. A released content stays so.
 * @throws STATE_REFUSES if the content is served or is waiting for its scan; MISSING_PARAMETER without a reason
 */
export async function releaseContent(
  ctx: Context<typeof attachment>,
  row: StoredDocument,
  { reason, version }: { readonly reason: string; readonly version: number | undefined },
): Promise<void> {
  if (reason === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Reason',
      message: 'Reason is required: why the file is released.',
    });
  const content = await documentAsVersion(ctx, row, version);
  const { AttachmentID: id, ScanState: state, ScanResult: result, FileName: name } = content;
  if (state === 'Released') return;
  if (state === 'Waiting' || isServed(ctx.settings, content))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message:
        state === 'Waiting'
          ? `ID: the file of Attachment ${id} is waiting for its malware scan; it is served once it is found clean.`
          : `ID: the file of Attachment ${id} is not in quarantine.`,
    });
  const values = { ScanState: 'Released', ScanDate: ctx.clock.now(), ScanResult: result } as const;
  if (content === row) await updateRow(ctx, ctx.record, id, values);
  else
    await ctx.transaction().elevated((db) =>
      db.query(
        `update documentversion set scanstate = 'Released', scandate = $3::timestamptz
         where attachmentid = $1::bigint and number = $2::integer`,
        [id, version ?? 0, values.ScanDate],
      ),
    );
  // A scan that is requested from now on counts; one that runs already does not.
  await ctx
    .transaction()
    .elevated((db) =>
      db.query('delete from documentscan where attachmentid = $1::bigint and number = $2::integer', [
        id,
        version ?? row.FileVersion ?? 1,
      ]),
    );
  const detail = `${malwareDetail(state === 'Infected' ? result : state, name)}: ${reason}`.slice(0, 400);
  await ctx.security({ event: 'MalwareReleased', object: 'Attachment', objectId: id, detail });
}

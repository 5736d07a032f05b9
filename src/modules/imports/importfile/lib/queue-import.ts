import type { Context } from '../../../../kernel/door/context.ts';
import { queueIfKnown } from '../../../../kernel/security/system-user.ts';
import type { PipelineTemplate } from './import-template.ts';

/** Queue of imports whose type names none. */
const IMPORT_QUEUE = 'Import';

/** How an import is queued. */
interface ImportQueueing {
  /** Instead of the import type's. */
  readonly queue?: string | undefined;
  /** The user as whom it runs; the caller by default. */
  readonly personId?: number;
  /** Not before, ISO 8601. */
  readonly queuedDate?: string;
}

/** Queues the import of a file with the commit, from status New or Stopped. */
export async function queueImport(
  own: Context,
  template: PipelineTemplate,
  importFileId: number,
  { queue, personId, queuedDate }: ImportQueueing = {},
): Promise<void> {
  await own.db.query(
    `update importfile set status = 'Queued', message = null, updateddate = $2::timestamptz, updatedpersonid =
       $3::bigint, version = version + 1 where importfileid = $1::bigint and status in ('New', 'Stopped')`,
    [importFileId, own.clock.now(), own.user.personId],
  );
  const named = queue ?? template.queue;
  await own.enqueue({
    route: 'importfile/import',
    parameters: { ID: importFileId },
    label: `Import file ${importFileId}`,
    ...(queuedDate === undefined ? {} : { queuedDate }),
    ...(personId === undefined || personId === own.user.personId ? {} : { personId }),
    ...(named === undefined ? queueIfKnown(own.settings, IMPORT_QUEUE) : { queueName: named }),
  });
}

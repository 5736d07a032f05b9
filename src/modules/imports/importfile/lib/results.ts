import type { Row, TreeAnswer, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { importFile } from '../importfile.record.ts';
import { countsSoFar, storedCounts } from './progress.ts';

interface StoredLogRow {
  readonly importlogid: number;
  readonly object: string | null;
  readonly objectid: number | null;
  readonly operation: string | null;
  readonly status: string;
  readonly reference: string | null;
  readonly message: string | null;
  readonly properties: string | null;
}

/** Statuses of files of which nothing, or not all, is imported. */
const FAILED_STATUSES = new Set(['Error', 'Canceled', 'Stopped']);
/** Statuses before the end of a run. */
const UNFINISHED_STATUSES = new Set(['New', 'Queued', 'Importing']);

/** Most Results listed. A larger run lists up to as many failures and warnings; the import log has all rows. */
const RESULTS_MAX = 10_000;

/** Builds the ImportResults of a run from its import file and the stored rows: the same result for every call. */
export async function importResults(ctx: Context, file: Row<typeof importFile>): Promise<TreeAnswer> {
  const importFileId = file.ImportFileID;
  const rows = await readLogRows(ctx, importFileId);
  const status = resultStatus(file.Status ?? '');
  const counts = file.ImportComplete === null ? await countsSoFar(ctx, file) : storedCounts(file);
  const root: TreeNode = {
    name: 'ImportResults',
    attributes: {
      ID: importFileId,
      SuccessCount: counts.SuccessCount ?? 0,
      WarningCount: counts.Warnings ?? 0,
      ErrorCount: counts.ErrorCount ?? 0,
      Status: status,
      ImportStart: file.ImportStart,
      ImportComplete: file.ImportComplete ?? (file.Status === 'Stopped' ? file.UpdatedDate : null),
      Reference: file.Reference,
      ...runFailureMessage(file, rows),
    },
    children: rows.map(resultNode),
    list: true,
  };
  return { kind: 'tree', root, failed: status === 'Error' || status === 'Validation Error' };
}

/**
 * Returns the status that ImportResults shows. A final status other than the platform's own is an import type's word
 * for Complete.
 */
function resultStatus(status: string): string {
  if (FAILED_STATUSES.has(status)) return 'Error';
  return status === 'Validation Error' || UNFINISHED_STATUSES.has(status) ? status : 'Complete';
}

async function readLogRows(ctx: Context, importFileId: number): Promise<StoredLogRow[]> {
  const select = `select importlogid, object, objectid, operation, status, reference, message, properties from importlog
      where importfileid = $1::bigint`;
  const order = `order by sequence, importlogid limit ${RESULTS_MAX}`;
  const rows = await ctx.db.query<StoredLogRow>(`${select} order by sequence, importlogid limit ${RESULTS_MAX + 1}`, [
    importFileId,
  ]);
  if (rows.length <= RESULTS_MAX) return rows;
  return ctx.db.query<StoredLogRow>(`${select} and status <> 'Success' ${order}`, [importFileId]);
}

/** Returns why a run failed as a whole, such as a breached threshold, unless a logged row says so. */
function runFailureMessage(
  { Status: status, Message: message }: Row<typeof importFile>,
  rows: readonly StoredLogRow[],
): { readonly Message?: string } {
  return !FAILED_STATUSES.has(status ?? '') ||
    message === null ||
    message === '' ||
    rows.some((row) => row.message === message)
    ? {}
    : { Message: message };
}

function resultNode(row: StoredLogRow): TreeNode {
  const leaf = (name: string, value: unknown): TreeNode[] =>
    value === null || value === undefined || value === '' ? [] : [{ name, value }];
  return {
    name: 'Result',
    attributes: { ID: row.importlogid, Reference: row.reference },
    children: [
      { name: 'Object', value: row.object ?? '' },
      ...leaf('ObjectID', row.objectid),
      { name: 'Operation', value: row.operation ?? '' },
      { name: 'Status', value: row.status },
      ...leaf('Message', row.message),
      ...(row.properties === null ? [] : [{ name: 'Properties', xml: row.properties }]),
    ],
  };
}

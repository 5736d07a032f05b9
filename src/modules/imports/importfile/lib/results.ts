import type { Row, TreeAnswer, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { importFile } from '../importfile.record.ts';

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

/** Statuses that ImportResults shows unchanged; every other final status is an import type's own word for Complete. */
const SHOWN_STATUSES = new Set(['Error', 'Validation Error']);

/** Most Results listed. A larger run lists up to as many failures and warnings; the import log has all rows. */
const RESULTS_MAX = 10_000;

/** Builds the ImportResults of a run from its import file and the stored rows: the same result for every call. */
export async function importResults(ctx: Context, file: Row<typeof importFile>): Promise<TreeAnswer> {
  const importFileId = file.ImportFileID;
  const rows = await readLogRows(ctx, importFileId);
  const status = String(file.Status);
  const root: TreeNode = {
    name: 'ImportResults',
    attributes: {
      ID: importFileId,
      SuccessCount: file.SuccessCount ?? 0,
      WarningCount: file.Warnings ?? 0,
      ErrorCount: file.ErrorCount ?? 0,
      Status: SHOWN_STATUSES.has(status) || file.ImportComplete === null ? status : 'Complete',
      ImportStart: file.ImportStart,
      ImportComplete: file.ImportComplete,
      Reference: file.Reference,
      ...runFailureMessage(file, rows),
    },
    children: rows.map(resultNode),
    list: true,
  };
  return {
    kind: 'tree',
    root,
    failed: status !== 'Complete' && (SHOWN_STATUSES.has(status) || (file.ErrorCount ?? 0) > 0),
  };
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
  return status !== 'Error' || message === null || message === '' || rows.some((row) => row.message === message)
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

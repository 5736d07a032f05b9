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

/** Most Results read at once. Those of a larger run are read while they are sent. */
const RESULTS_MAX = 10_000;
/** Results of a large run that are read at once. */
const PAGE_ROWS = 1_000;

/**
 * Builds the ImportResults of a run from its import file and the stored rows: the same result for every call. It has a
 * Result for every row. Where those of a large run cannot be sent while they are read, only failures and warnings are
 * listed, and Message says where the others are.
 */
export async function importResults(ctx: Context, file: Row<typeof importFile>): Promise<TreeAnswer> {
  const importFileId = file.ImportFileID;
  const { rows, isWhole } = await readLogRows(ctx, importFileId);
  const status = resultStatus(file.Status ?? '');
  const counts = file.ImportComplete === null ? await countsSoFar(ctx, file) : storedCounts(file);
  const root = {
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
    list: true,
  } satisfies TreeNode;
  const failure: { readonly Message?: string } = root.attributes;
  const attributes = isWhole
    ? root.attributes
    : { ...root.attributes, Message: `${failure.Message ?? ''} ${partMessage(importFileId)}`.trim() };
  return {
    kind: 'tree',
    root: { ...root, attributes, children: rows.map(resultNode) },
    ...(isWhole ? {} : { whole: { root, children: resultPages(ctx, importFileId) } }),
    failed: status === 'Error' || status === 'Validation Error',
  };
}

/**
 * Returns the status that ImportResults shows. A final status other than the platform's own is an import type's word
 * for Complete.
 */
function resultStatus(status: string): string {
  if (FAILED_STATUSES.has(status)) return 'Error';
  return status === 'Validation Error' || UNFINISHED_STATUSES.has(status) ? status : 'Complete';
}

const RESULT_COLUMNS = 'importlogid, object, objectid, operation, status, reference, message, properties';

/** Reads the rows of a run; of a large one only failures and warnings, up to the limit. */
async function readLogRows(
  ctx: Context,
  importFileId: number,
): Promise<{ readonly rows: readonly StoredLogRow[]; readonly isWhole: boolean }> {
  const select = `select ${RESULT_COLUMNS} from importlog where importfileid = $1::bigint`;
  const order = 'order by sequence, importlogid limit';
  const rows = await ctx.db.query<StoredLogRow>(`${select} ${order} ${RESULTS_MAX + 1}`, [importFileId]);
  if (rows.length <= RESULTS_MAX) return { rows, isWhole: true };
  return {
    rows: await ctx.db.query<StoredLogRow>(`${select} and status <> 'Success' ${order} ${RESULTS_MAX}`, [importFileId]),
    isWhole: false,
  };
}

/** Yields all Results of a run in the order in which they were logged. Each page is read by itself. */
async function* resultPages(ctx: Context, importFileId: number): AsyncGenerator<readonly TreeNode[], void, undefined> {
  for (let after = 0; ;) {
    const rows = await ctx.db.query<StoredLogRow>(
      `select ${RESULT_COLUMNS} from importlog where importfileid = $1::bigint and importlogid > $2::bigint
       order by importlogid limit ${PAGE_ROWS}`,
      [importFileId, after],
    );
    yield rows.map(resultNode);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE_ROWS) return;
    after = last.importlogid;
  }
}

function partMessage(importFileId: number): string {
  return `Only failures and warnings are listed. All results: /api/import/result?ID=${importFileId}`;
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

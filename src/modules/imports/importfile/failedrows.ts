import type { Context } from '../../../kernel/door/context.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { hasParts, isRefused } from './lib/correct/document-parts.ts';
import { failedRowCells, type FailedRowCells } from './lib/correct/failed-cells.ts';
import { rowNode } from './lib/correct/failed-row-node.ts';
import { hasRows } from './lib/correct/source-lines.ts';
import { openImportFile, type OpenImportFile } from './lib/open-import-file.ts';

/** Most rows returned. */
const ROWS_MAX = 100;

export const operation = defineOperation({
  module: 'importfile',
  name: 'FailedRows',
  method: 'GET',
  summary:
    'Returns failed rows of an import with their cells as sent, which column is wrong, and why. For referrals, ' +
    'returns the failed items with their values by path. Nine-digit numbers are masked, except those by which a ' +
    'record is found.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The import file.' })),
    Line: f.idList({ doc: 'Only these lines.', max: ROWS_MAX }),
    Message: f.text({ doc: 'Only rows that failed with exactly this message.', max: 10000 }),
    After: f.integer({ doc: 'Only rows after this line, for the next page.', default: 0 }),
    DisplaySize: f.integer({ doc: `Number of rows, at most ${ROWS_MAX}.`, default: 25 }),
  },
  returns: 'tree',
  answerName: 'FailedRows',
  example: {
    name: 'FailedRows',
    attributes: { ID: 1, CanCorrect: true, SendsAgain: 'No' },
    children: [
      {
        name: 'FailedRow',
        attributes: {
          ImportLogID: 7,
          SourceLine: 41,
          Label: '0047922118',
          SourceColumn: 'Investor',
          Message: 'Investor: "FNM2" is not one of Investor A, Investor B.',
        },
        children: [{ name: 'Value', attributes: { Source: 'Investor' }, value: 'FNM2' }],
      },
    ],
    list: true,
  },
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'BAD_XML'],
  source: 'checklist WEB-03',
});

export const run = handle(operation, async (ctx, { ID, Line, Message, After, DisplaySize }) => {
  const stored = namedRow(ctx, ctx.record);
  // A batch has no source document, and its rows are calls.
  const file = stored.PreTransformID === null ? undefined : await openImportFile(ctx, stored);
  const rows = await failedRowCells(ctx, ID, file, {
    lines: Line ?? undefined,
    message: Message ?? undefined,
    after: Math.max(After, 0),
    most: Math.min(Math.max(DisplaySize, 1), ROWS_MAX),
  });
  const isOpen = stored.ImportComplete !== null && stored.ResentDate === null;
  return {
    kind: 'tree',
    root: {
      name: 'FailedRows',
      attributes: { ID, CanCorrect: isOpen && canCorrect(ctx, file, rows), SendsAgain: sendsAgain(file) },
      children: rows.map(rowNode),
      list: true,
    },
  };
});

function canCorrect(ctx: Context, file: OpenImportFile | undefined, rows: readonly FailedRowCells[]): boolean {
  if (!file || !ctx.user.permissions.has('ImportFileCorrect')) return false;
  return isRefused(file) ? hasParts(file) && rows.length > 0 : hasRows(file) || hasParts(file);
}

/** Whether corrections become an import of their own, and of what. */
function sendsAgain(file: OpenImportFile | undefined): 'No' | 'Parts' | 'Whole' {
  if (!file || !hasParts(file)) return 'No';
  return isRefused(file) ? 'Whole' : 'Parts';
}

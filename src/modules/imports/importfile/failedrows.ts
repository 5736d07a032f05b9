import type { TreeNode } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { maskNumbers } from '../../../kernel/security/mask.ts';
import { selectFailedLines, type FailedLine } from './lib/correct/failed-lines.ts';
import { hasRows, sourceLines } from './lib/correct/source-lines.ts';
import { openImportFile } from './lib/open-import-file.ts';
import type { SourceValue } from './lib/preview-nodes.ts';
import { previewValues } from './lib/shown-numbers.ts';

/** Most rows returned. */
const ROWS_MAX = 100;

/** A failed row with its cells. */
interface FailedRowNode extends TreeNode {
  readonly name: 'FailedRow';
  readonly attributes: {
    readonly ImportLogID: number;
    readonly SourceLine: number;
    readonly Label: string | null;
    readonly SourceColumn: string | null;
    readonly Message: string;
  };
  readonly children: readonly SourceValue[];
}

export const operation = defineOperation({
  module: 'importfile',
  name: 'FailedRows',
  method: 'GET',
  summary:
    'Returns failed rows of an import with their cells as sent, which column is wrong, and why. Nine-digit numbers ' +
    'are masked, except those by which a record is found. Rows of documents without columns have no cells.',
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
    attributes: { ID: 1, CanCorrect: true },
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
  const failed = await selectFailedLines(ctx, ID, {
    lines: Line ?? undefined,
    message: Message ?? undefined,
    after: Math.max(After, 0),
    most: Math.min(Math.max(DisplaySize, 1), ROWS_MAX),
  });
  // A batch has no source document, and its rows are calls.
  const file = stored.PreTransformID === null ? undefined : await openImportFile(ctx, stored);
  const values = new Map<number, Readonly<Record<string, string>>>();
  if (file && hasRows(file))
    for await (const row of sourceLines(file, new Set(failed.map(({ line }) => line))))
      values.set(row.line, row.values);
  const show = file ? await previewValues(ctx, file.template, [...values.values()]) : undefined;
  const node = ({ importLogId, line, label, column, message }: FailedLine): FailedRowNode => ({
    name: 'FailedRow',
    attributes: { ImportLogID: importLogId, SourceLine: line, Label: label, SourceColumn: column, Message: message },
    children: Object.entries(values.get(line) ?? {}).map(([name, value]) => ({
      name: 'Value',
      attributes: { Source: maskNumbers(name) },
      value: show?.(name, value) ?? value,
    })),
  });
  const canCorrect =
    file !== undefined &&
    hasRows(file) &&
    stored.ImportComplete !== null &&
    stored.Status !== 'Validation Error' &&
    ctx.user.permissions.has('ImportFileCorrect');
  return {
    kind: 'tree',
    root: {
      name: 'FailedRows',
      attributes: { ID, CanCorrect: canCorrect },
      children: failed.map(node),
      list: true,
    },
  };
});

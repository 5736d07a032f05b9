import type { DocumentPart, PartIssue } from '../../../../../contracts/import-engine.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { OpenImportFile } from '../open-import-file.ts';
import { previewValues } from '../shown-numbers.ts';
import { columnNamedIn, hasParts, isRefused, refusedParts, shownValue, type PartImportFile } from './document-parts.ts';
import { selectFailedLines, selectReasons, type FailedLine, type FailedLineFilter } from './failed-lines.ts';
import { hasRows, sourceLines } from './source-lines.ts';

/** A cell of a failed row, as people see it: personal numbers are masked. */
export interface FailedCell {
  readonly source: string;
  readonly value: string;
  /** Why this cell is wrong, as far as it is known. */
  readonly problem?: string | undefined;
  /** The format has such a value, and the row omits it. */
  readonly isAbsent?: true;
}

/** A failed row with its cells. */
export interface FailedRowCells extends FailedLine {
  readonly cells: readonly FailedCell[];
  /** Every reason why it failed. */
  readonly reasons: readonly string[];
}

/** Returns failed rows of an import with their cells; without cells if its documents have no rows or parts. */
export async function failedRowCells(
  ctx: Context,
  importFileId: number,
  file: OpenImportFile | undefined,
  filter: FailedLineFilter,
): Promise<readonly FailedRowCells[]> {
  if (file && hasParts(file) && isRefused(file)) return refusedCells(file, filter);
  const failed = await selectFailedLines(ctx, importFileId, filter);
  const lines = new Set(failed.map(({ line }) => line));
  if (file && hasParts(file)) {
    const reasons = (await selectReasons(ctx, importFileId, [...lines])).map(({ line, message }): PartIssue => ({
      line,
      column: undefined,
      message,
    }));
    return partCells(failed, await partsOf(file, lines), reasons);
  }
  const cells = file && hasRows(file) ? await rowCells(ctx, file, lines) : new Map<number, readonly FailedCell[]>();
  return failed.map((row) => ({ ...row, cells: cells.get(row.line) ?? [], reasons: [row.message] }));
}

async function refusedCells(
  file: PartImportFile,
  { lines, message, after = 0, most }: FailedLineFilter,
): Promise<readonly FailedRowCells[]> {
  const { parts, issues } = await refusedParts(file);
  const failed = parts
    .filter(({ line }) => line > after && (!lines || lines.includes(line)))
    .filter((part) => message === undefined || part.message === message)
    .slice(0, most);
  return partCells(failed, await partsOf(file, new Set(failed.map(({ line }) => line))), issues);
}

async function partsOf(
  { engine, source, template }: PartImportFile,
  lines: ReadonlySet<number>,
): Promise<ReadonlyMap<number, DocumentPart>> {
  const parts = new Map<number, DocumentPart>();
  if (lines.size > 0) for await (const part of engine.parts.read(source, template, lines)) parts.set(part.line, part);
  return parts;
}

/** Returns rows with the cells of their parts, each reason beside the cell that it is about. */
function partCells(
  failed: readonly FailedLine[],
  parts: ReadonlyMap<number, DocumentPart>,
  issues: readonly PartIssue[],
): readonly FailedRowCells[] {
  return failed.map((row) => {
    const part = parts.get(row.line) ?? { line: row.line, values: {}, absent: [] };
    const own = issues
      .filter(({ line }) => line === row.line)
      .map(({ column, message }) => ({ column: column ?? columnNamedIn(message, part), message }));
    const problemOf = (source: string): string | undefined => own.find(({ column }) => column === source)?.message;
    const present = Object.entries(part.values).map(([source, value]): FailedCell => ({
      source,
      value: shownValue(source, value),
      problem: problemOf(source),
    }));
    const absent = part.absent.map((source): FailedCell => ({
      source,
      value: '',
      problem: problemOf(source),
      isAbsent: true,
    }));
    const cells = [...present, ...absent];
    return {
      ...row,
      column: row.column ?? cells.find(({ problem }) => problem !== undefined)?.source ?? null,
      cells,
      reasons: own.map(({ message }) => message),
    };
  });
}

async function rowCells(
  ctx: Context,
  file: Parameters<typeof sourceLines>[0],
  lines: ReadonlySet<number>,
): Promise<ReadonlyMap<number, readonly FailedCell[]>> {
  const rows = new Map<number, Readonly<Record<string, string>>>();
  for await (const row of sourceLines(file, lines)) rows.set(row.line, row.values);
  const show = await previewValues(ctx, file.template, [...rows.values()]);
  return new Map(
    [...rows].map(([line, values]) => [
      line,
      Object.entries(values).map(([source, value]): FailedCell => ({ source, value: show(source, value) })),
    ]),
  );
}

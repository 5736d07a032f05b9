import type { ImportSource, RowResult, SourceRow } from '../../../../contracts/import-engine.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { isRetryable } from '../../../../kernel/database/database-error.ts';
import { maskNumbers } from '../../../../kernel/security/mask.ts';
import { importTemplate, type PipelineTemplate } from '../../importfile/lib/import-template.ts';
import { mapRow } from '../../importfile/lib/map-row.ts';
import { requireEngine } from '../../importfile/lib/open-import-file.ts';
import { failedRow, rowOperation, saveRow, type RowOperation } from '../../importfile/lib/save-rows.ts';
import { previewValues, type ShowValue } from '../../importfile/lib/shown-numbers.ts';
import { reportableError } from '../../lib/reportable-error.ts';
import { ROW_WARNINGS } from '../../lib/row-warnings.ts';

/** Rows that are tried. */
const ROWS_MAX = 20;

/** What importing a row would do. */
interface TriedRow {
  readonly SourceLine: number;
  readonly Status: RowResult['status'] | 'Read';
  readonly Operation: string | null;
  readonly Parameters: string | null;
  readonly Message: string | null;
}

/**
 * Tries a document with an import type. Each row is saved in a save point that is rolled back, so that rules and checks
 * of the record type have their say, and nothing is stored.
 * @throws BAD_PARAMETER or BAD_XML if the document cannot be read
 */
export async function tryDocument(
  ctx: Context,
  templateId: number,
  { text, fileName }: { readonly text: string; readonly fileName: string },
): Promise<readonly TriedRow[]> {
  const template = await importTemplate(ctx, templateId);
  const engine = requireEngine(ctx, template);
  const source = textSource(fileName, text);
  const issues = template.validates ? await engine.validate(source, template, ROWS_MAX) : [];
  const refused = issues.map(({ line, message }) => triedRow(line, 'Error', { message: maskNumbers(message) }));
  const { rows } = await engine.preview(source, template, ROWS_MAX);
  const show = await previewValues(
    ctx,
    template,
    rows.map(({ values }) => values),
  );
  // Engines without rows that are saved one by one, such as that of referrals, are read only.
  const target = engine.rows ? await rowOperation({ ctx, template, warn: () => Promise.resolve() }) : undefined;
  const tried: TriedRow[] = [];
  for (const row of rows) tried.push(await tryRow(ctx, template, { row, target, show }));
  return [...refused, ...tried];
}

/** A row to try. Without a target it is mapped only. */
interface RowTrial {
  readonly row: SourceRow;
  readonly target: RowOperation | undefined;
  readonly show: ShowValue;
}

async function tryRow(ctx: Context, template: PipelineTemplate, { row, target, show }: RowTrial): Promise<TriedRow> {
  const parameters = mappedText(template, row, show);
  if (row.problem !== undefined) return triedRow(row.line, 'Error', { parameters, message: maskNumbers(row.problem) });
  if (!target) return triedRow(row.line, 'Read', { parameters });
  const { status, operation, message } = await rolledBack(ctx, template, target, row);
  return triedRow(row.line, status, {
    parameters,
    operation,
    ...(message === undefined ? {} : { message: maskNumbers(message) }),
  });
}

/** Thrown to roll back a save that succeeded. */
class RolledBack extends Error {
  readonly result: RowResult;

  constructor(result: RowResult) {
    super('rolled back');
    this.result = result;
  }
}

async function rolledBack(
  ctx: Context,
  template: PipelineTemplate,
  target: RowOperation,
  row: SourceRow,
): Promise<RowResult> {
  ctx.takeAlerts(...ROW_WARNINGS);
  try {
    return await ctx.savepoint(async (): Promise<RowResult> => {
      throw new RolledBack(await saveRow(ctx, { template }, target, row));
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    if (isRetryable(error)) throw error;
    const known = reportableError(ctx, error);
    if (!known || known.code === 'INTERNAL') throw error;
    return failedRow({ template }, target, row, known);
  }
}

function mappedText(template: PipelineTemplate, row: SourceRow, show: ShowValue): string | null {
  try {
    const lines = Object.entries(mapRow(template, row.values).parameters).map(
      ([name, value]) => `${maskNumbers(name)}: ${show(name, value)}`,
    );
    return lines.length === 0 ? null : lines.join('\n');
  } catch {
    // Saving it says why.
    return null;
  }
}

function triedRow(
  line: number,
  status: TriedRow['Status'],
  {
    operation = null,
    parameters = null,
    message = null,
  }: { readonly operation?: string | null; readonly parameters?: string | null; readonly message?: string | null },
): TriedRow {
  return { SourceLine: line, Status: status, Operation: operation, Parameters: parameters, Message: message };
}

function textSource(fileName: string, text: string): ImportSource {
  const bytes = Buffer.from(text);
  const part = async function* (start: number, end: number): AsyncIterable<Uint8Array> {
    if (start < end) yield await Promise.resolve(bytes.subarray(start, end));
  };
  return { fileName, size: bytes.length, open: () => part(0, bytes.length), part };
}

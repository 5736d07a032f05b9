import { assertNoCardNumbers } from '../../../../kernel/door/card-numbers.ts';
import {
  logCategory,
  OPERATION_FLAGS,
  RowsFailed,
  type ImportRun,
  type RowResult,
  type SourceRow,
} from '../../../../contracts/import-engine.ts';
import { BLANK_ROW_MESSAGE, charactersOf, isBlankRow } from '../../../../contracts/import-value.ts';
import { recordId, shapeOf, type Answer, type Row } from '../../../../kernel/door/answer.ts';
import { ROW_WARNINGS } from '../../lib/row-warnings.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { importing } from '../../../../kernel/records/save/current-import.ts';
import { searchRecords } from '../../../../kernel/records/search/search.ts';
import { rowXml } from '../../../../kernel/render/xml.ts';
import { queueWorkflow } from '../../../work/public/queue-workflow.ts';
import { isWorkflowFor, type ImportWorkflow, type PipelineTemplate } from './import-template.ts';
import { assertOperationsAllowed, savedAs, usedOperations } from '../../lib/operations-allowed.ts';
import { reportableError } from '../../lib/reportable-error.ts';
import { unchangedRecord } from '../../lib/unchanged-record.ts';
import { runItems } from '../../lib/run/run-items.ts';
import { mapRow } from './map-row.ts';

/**
 * Rows that commit together. PostgreSQL looks up to 64 open savepoints without searching; larger pieces are hardly
 * faster.
 */
const PIECE_ROWS_MAX = 60;
/** Characters held for a piece: sixty rows of the largest size would take a gigabyte. */
const PIECE_CHARACTERS_MAX = 8 * 1024 * 1024;

/** Most rows of a file that is saved in one transaction, and their characters. */
const TOGETHER = { rowsMax: 20_000, charactersMax: 64 * 1024 * 1024 } as const;

/**
 * Saves rows in source order, in pieces; skips rows that earlier deliveries have processed. With the option
 * UseTransaction, all rows are one piece, of which all or none is saved.
 * @throws RowsFailed if none is; TOO_LARGE if there are too many rows for that
 */
export async function saveRows(run: TemplateRun, batches: AsyncIterable<readonly SourceRow[]>): Promise<void> {
  const target = await rowOperation(run);
  const isTogether = flagOption(run.template, 'UseTransaction');
  const failures = await runItems(run, isTogether ? bounded(batches) : batches, {
    limits: isTogether
      ? { itemsMax: Number.POSITIVE_INFINITY, charactersMax: Number.POSITIVE_INFINITY, charactersOf }
      : { itemsMax: PIECE_ROWS_MAX, charactersMax: PIECE_CHARACTERS_MAX, charactersOf },
    importItem: (own, row) => importing(own, run.importFileId, async () => [await saveRow(own, run, target, row)]),
    failedItem(own, row, error) {
      const known = reportableError(own, error);
      // Unexpected errors end the piece, which is retried with the next delivery.
      return known && known.code !== 'INTERNAL' ? [failedRow(run, target, row, known)] : undefined;
    },
    isRedelivered: true,
    storesFailures: isTogether,
    ...(isTogether && {
      notSaved: (row: SourceRow) => [failedRow(run, target, row, { message: 'Not saved: other rows failed.' })],
    }),
  });
  const rows = failures === 1 ? '1 row' : `${failures} rows`;
  if (isTogether && failures > 0)
    throw new RowsFailed(`${rows} failed, so no row was saved. Correct the file and send all of it again.`);
}

/** Returns the value of an option that is true or false. @throws BAD_PARAMETER for any other */
function flagOption({ options }: PipelineTemplate, name: string): boolean {
  const text = (options.get(name.toLowerCase()) ?? '').trim();
  if (/^(?:true|yes|1)$/i.test(text)) return true;
  if (/^(?:false|no|0|)$/i.test(text)) return false;
  throw new PlatformError('BAD_PARAMETER', { field: 'ParameterString', message: `${name}: expected true or false.` });
}

/** Passes on the rows of a file that is saved in one transaction: all of them are held until it ends. */
async function* bounded(batches: AsyncIterable<readonly SourceRow[]>): AsyncIterable<readonly SourceRow[]> {
  let [rows, characters] = [0, 0];
  for await (const batch of batches) {
    rows += batch.length;
    for (const row of batch) characters += charactersOf(row);
    if (rows > TOGETHER.rowsMax || characters > TOGETHER.charactersMax)
      throw new PlatformError('TOO_LARGE', {
        message:
          `The file has more than ${TOGETHER.rowsMax} rows or ${TOGETHER.charactersMax} characters, too many for ` +
          'UseTransaction. Nothing was imported; send several files.',
      });
    yield batch;
  }
}

/** A run whose import type the pipeline has read. */
type TemplateRun = ImportRun & { readonly template: PipelineTemplate };

/** What saving a row needs of its run. */
type RowRun = Pick<TemplateRun, 'ctx' | 'template' | 'warn'>;

/** The operation that is called for each row. */
export interface RowOperation {
  /** The workflow that starts on each new record. */
  readonly workflow: ImportWorkflow | undefined;
  readonly record: RecordType;
  readonly operation: string;
  readonly isSave: boolean;
}

/**
 * Returns the operation that is called for each row of an import type.
 * @throws NO_PERMISSION if the user may not call it; MISSING_PARAMETER if the import type names no record type
 */
export async function rowOperation(run: RowRun): Promise<RowOperation> {
  const { template, ctx } = run;
  const className = template.options.get('classname') ?? template.appliesTo;
  if (className === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AppliesTo',
      message: `AppliesTo: the import type ${template.name} does not name the record type of its rows.`,
    });
  const record = ctx.registry.requireRecord(className, 'AppliesTo');
  const operation = template.options.get('operation') ?? 'Save';
  const found = await ctx.findOperation(record.module, operation.toLowerCase());
  // Checked before the first row, so that a file of which nothing can be saved does not fail row by row.
  if (found && !ctx.user.permissions.has(found.permissionName))
    throw new PlatformError('NO_PERMISSION', {
      message:
        `The permission ${found.permissionName} is not granted; the import type ${template.name} needs it. ` +
        'Nothing was imported.',
    });
  const isSave = /^(?:save|insert|update)$/i.test(operation);
  return { record, operation, isSave, workflow: await rowWorkflow(run, record, isSave) };
}

/** Returns the workflow that starts on each new record. Warns if the import type has one that starts nowhere. */
async function rowWorkflow(run: RowRun, record: RecordType, isSave: boolean): Promise<ImportWorkflow | undefined> {
  const { workflow } = run.template;
  if (!workflow || workflow.appliesTo === 'ImportFile') return undefined;
  if (isSave && isWorkflowFor(run.ctx, workflow, record)) return workflow;
  await run.warn(
    `The workflow ${workflow.name} of the import type is not started: it is for ${workflow.appliesTo ?? 'any'} ` +
      `records, and the rows ${isSave ? `are ${record.name} records` : 'call another operation than Save'}.`,
  );
  return undefined;
}

/** Saves one row and returns its log row. */
export async function saveRow(
  own: Context,
  run: Pick<RowRun, 'template'>,
  target: RowOperation,
  row: SourceRow,
): Promise<RowResult> {
  if (row.problem !== undefined) return failedRow(run, target, row, { message: row.problem });
  // Spreadsheet programs write rows of delimiters alone. Constants would make records of them.
  if (isBlankRow(row))
    return {
      ...logPlace(run, target, row, 'Success'),
      operation: 'None',
      status: 'Success',
      message: BLANK_ROW_MESSAGE,
    };
  const saved = await callRow(own, run, target, row);
  if (target.workflow && saved.operation === 'Insert' && typeof saved.objectId === 'number')
    await queueWorkflow(own, { templateId: target.workflow.id, object: target.record.name, objectId: saved.objectId });
  return { ...logPlace(run, target, row, 'Success'), ...saved, ...ruleWarnings(own) };
}

/** Returns the log row of a failed row. It names the column of the file, where the error names its field. */
export function failedRow(
  { template }: Pick<RowRun, 'template'>,
  target: RowOperation,
  row: SourceRow,
  error: { readonly message: string; readonly field?: string | undefined },
): RowResult {
  const where = row.sheet === undefined ? '' : `Sheet ${row.sheet}: `;
  const column = wrongColumn(template, row, error.field);
  const isNamed = column === undefined || error.field === undefined || isSameName(column, error.field);
  return {
    ...logPlace({ template }, target, row, 'Error'),
    operation: target.operation,
    status: 'Error',
    message: `${where}${error.message}${isNamed ? '' : ` Column of the file: ${column}.`}`,
    ...(column === undefined ? {} : { column }),
  };
}

/** Returns the column of a row that an error's field is read from; undefined if it is none, or a constant. */
function wrongColumn({ maps }: PipelineTemplate, row: SourceRow, field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  const columns = maps.filter(({ type }) => type === 'Column' || type === 'Key');
  const map =
    columns.find(({ destination }) => destination === field) ?? columns.find(({ source }) => source === field);
  if (map) return map.source;
  return maps.length > 0 ? undefined : Object.keys(row.values).find((name) => isSameName(name, field));
}

function isSameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Returns what the log row of a row has whatever its outcome. */
function logPlace(
  { template }: Pick<RowRun, 'template'>,
  { record }: RowOperation,
  row: SourceRow,
  status: RowResult['status'],
): Pick<RowResult, 'line' | 'object' | 'label' | 'category'> {
  const category = logCategory(template.options, status);
  return {
    line: row.line,
    object: record.name,
    label: rowLabel(row),
    ...(category === undefined ? {} : { category }),
  };
}

/** Returns the warnings of business rules raised while the row was saved. */
function ruleWarnings(own: Context): Partial<RowResult> {
  const warnings = own.takeAlerts(...ROW_WARNINGS);
  return warnings.length === 0 ? {} : { status: 'Warning', message: warnings.map(({ text }) => text).join(' ') };
}

/**
 * Returns the label by which people recognize a row: its identifier, else its first value that is not a personal
 * number.
 */
function rowLabel(row: SourceRow): string {
  const entries = Object.entries(row.values);
  const identifier = entries.find(([name, value]) => value !== '' && /^(?:subscriberid|reference|id)$/i.test(name));
  const first = identifier ?? entries.find(([name, value]) => value !== '' && !/ssn|social|tax/i.test(name));
  return first ? first[1] : `Line ${row.line}`;
}

type SavedRow = Pick<RowResult, 'objectId' | 'operation' | 'status' | 'properties'> & { readonly label?: string };

async function callRow(
  own: Context,
  { template }: Pick<RowRun, 'template'>,
  { record, operation, isSave: saves }: RowOperation,
  row: SourceRow,
): Promise<SavedRow> {
  const { parameters: mapped, keys } = mapRow(template, row.values);
  if (Object.keys(mapped).length === 0)
    throw new PlatformError('MISSING_PARAMETER', { message: 'The row has no value that the import type maps.' });
  assertNoCardNumbers(own, { params: {}, record }, mapped);
  const parameters = await withIdByKey(own, record, mapped, keys);
  if (saves) {
    const unchanged = await unchangedRecord(own, record, parameters);
    if (unchanged !== undefined) return { objectId: unchanged, operation: 'None', status: 'Success' };
  }
  const before = { ...own.writeCounts };
  const answer = await own.callNamed(`${record.module}/${operation}`, parameters);
  const used = saves ? usedOperations(own, before) : OPERATION_FLAGS.invoke;
  assertOperationsAllowed(used, template.operationsAllowed, 'row');
  return savedRow(own, record, answer, {
    saves,
    operation,
    properties: template.options.get('logproperties') === 'true',
  });
}

function savedRow(
  own: Context,
  record: RecordType,
  answer: Answer,
  how: { readonly saves: boolean; readonly operation: string; readonly properties: boolean },
): SavedRow {
  if (answer.kind !== 'item') return { operation: how.operation, status: 'Success' };
  const row = answer.row as Row;
  const id = recordId(record, row);
  const objectId = Number.isSafeInteger(id) && id > 0 ? id : null;
  const operation = how.saves ? savedAs(own, record.name, id) : how.operation;
  return {
    objectId,
    operation,
    status: 'Success',
    ...(how.properties && how.saves ? { properties: rowXml(shapeOf(record), row) } : {}),
  };
}

/**
 * Adds the id of the record that has the values of the row's keys: one match is updated, none is inserted.
 * @throws DUPLICATE_KEY for several; MISSING_PARAMETER for an empty key
 */
async function withIdByKey(
  own: Context,
  record: RecordType,
  parameters: Readonly<Record<string, string>>,
  keys: readonly string[],
): Promise<Parameters> {
  if (keys.length === 0 || (parameters['ID'] ?? '') !== '') return parameters;
  const empty = keys.find((key) => (parameters[key] ?? '') === '');
  if (empty !== undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: empty,
      message: `${empty}: empty; the import type finds the ${record.name} by it.`,
    });
  // Text matches literally: a star is a star, a comma does not make a list.
  const filters = Object.fromEntries(
    keys.map((key) => [
      key,
      record.columns.get(key.toLowerCase())?.field.kind === 'text'
        ? `"${parameters[key] ?? ''}"`
        : (parameters[key] ?? ''),
    ]),
  );
  let { rows } = await searchRecords(own, record, filters, { DisplaySize: 2, RecordCount: false });
  if (rows.length > 1 && record.keyFilter !== undefined) {
    const named = { DisplaySize: 2, RecordCount: false, SqlFilters: [record.keyFilter] };
    ({ rows } = await searchRecords(own, record, filters, named));
  }
  const reported = keys.map((key) => `${key} "${parameters[key] ?? ''}"`).join(' and ');
  if (rows.length > 1)
    throw new PlatformError('DUPLICATE_KEY', {
      field: keys[0] ?? '',
      message: `${keys.join(', ')}: several ${record.name} records have ${reported}; expected at most one.`,
    });
  const id = rows[0]?.[record.idField];
  return id === undefined ? parameters : { ...parameters, ID: Number(id) };
}

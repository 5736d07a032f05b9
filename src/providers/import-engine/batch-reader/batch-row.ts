import type { SourceRow } from '../../../contracts/import-engine.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { mergeParameters, parametersFromQuery, type Parameters } from '../../../kernel/parameters/parameters.ts';
import { isReason } from '../../../lib/readers/columns.ts';
import { fillParameters, type TemplateParameters } from './template-parameters.ts';

/** Operation of rows that name none. */
const OPERATION = 'Save';

/** Fields of a queued row that a column `_{Field}` sets, by lower-cased name; the platform sets the others. */
const QUEUE_FIELDS: Readonly<Record<string, 'label' | 'type' | 'className' | 'operation' | 'queue'>> = {
  importfilequeue: 'label',
  importfilequeuetype: 'type',
  classname: 'className',
  operation: 'operation',
  queue: 'queue',
};

/** How rows are mapped, besides their columns. */
export interface RowMappingTerms {
  /** Class of rows that name none. */
  readonly appliesTo: string | undefined;
  readonly parameters: TemplateParameters;
  /** The only call allowed for the file's rows, such as `Message/Send`. */
  readonly onlyCall: string | undefined;
}

/** A row as a parameter of `importfilequeue/add`. */
export interface QueueRow {
  readonly line: number;
  readonly label?: string;
  readonly type?: string;
  readonly className?: string;
  readonly operation?: string;
  readonly queue?: string;
  readonly parameters?: Parameters;
  readonly problem?: string;
}

/**
 * Maps a row to a call, see the table in docs/guides/analysts/imports.md. A row that cannot be mapped has the reason as
 * its problem.
 */
export function queueRow(row: SourceRow, terms: RowMappingTerms): QueueRow {
  if (row.problem !== undefined) return { line: row.line, problem: withSheetName(row, row.problem), ...labelOf(row) };
  try {
    return mapRowToCall(row, terms);
  } catch (error) {
    if (error instanceof PlatformError && error.status < 500)
      return { line: row.line, problem: withSheetName(row, error.message), ...labelOf(row) };
    throw error;
  }
}

function labelOf(row: SourceRow): { readonly label?: string } {
  const label = Object.entries(row.values).find(([name]) => name.toLowerCase() === 'importfilequeue')?.[1];
  return label === undefined ? {} : { label };
}

function withSheetName(row: SourceRow, problem: string): string {
  return row.sheet === undefined ? problem : `Sheet ${row.sheet}: ${problem}`;
}

function mapRowToCall(row: SourceRow, terms: RowMappingTerms): QueueRow {
  const values = new Map(Object.entries(row.values).map(([name, value]) => [name.trim().toLowerCase(), value]));
  const template = fillParameters(terms.parameters, values);
  const set: Partial<Record<(typeof QUEUE_FIELDS)[string], string>> = {};
  const columns: Record<string, string> = {};
  const take = (name: string, value: string): void => {
    const key = name.toLowerCase();
    if (key === 'classname' || key === 'operation' || key === 'importfilequeue') setField(set, key, value);
    else if (key.startsWith('_')) setField(set, key.slice(1), value);
    else if (key !== 'parameterstring' && !isReason(name)) columns[name] = value;
  };
  for (const [name, value] of Object.entries(row.values)) take(name.trim(), value);
  for (const [name, value] of template)
    if (value !== '' || !/^(?:classname|operation|importfilequeue|_)/.test(name)) take(name, value);
  const call = callOf(set, terms);
  return {
    ...set,
    ...call,
    line: row.line,
    parameters: mergeParameters(
      parametersFromQuery(values.get('parameterstring') ?? ''),
      dropOverridden(columns, template),
    ),
  };
}

/** Removes the row's parameters that the import type sets, ignoring case. */
function dropOverridden(columns: Readonly<Record<string, string>>, template: ReadonlyMap<string, string>): Parameters {
  return Object.fromEntries(
    Object.entries(columns).filter(([name]) => name === name.toLowerCase() || !template.has(name.toLowerCase())),
  );
}

function setField(set: Partial<Record<string, string>>, name: string, value: string): void {
  const field = Object.hasOwn(QUEUE_FIELDS, name) ? QUEUE_FIELDS[name] : undefined;
  if (field === undefined)
    throw new PlatformError('BAD_PARAMETER', {
      field: `_${name.slice(0, 60)}`,
      message:
        `_${name.slice(0, 60)}: not a field that a row can set; expected one of _ImportFileQueue, ` +
        '_ImportFileQueueType, _ClassName, _Operation, _Queue.',
    });
  if (value.trim() !== '') set[field] = value.trim();
}

function callOf(
  set: Partial<Record<string, string>>,
  { appliesTo, onlyCall: only }: RowMappingTerms,
): { readonly className: string; readonly operation: string } {
  const [onlyClass, onlyOperation] =
    only === undefined ? [] : [only.slice(0, only.indexOf('/')), only.slice(only.indexOf('/') + 1)];
  const className = set['className'] ?? onlyClass ?? appliesTo;
  const operation = set['operation'] ?? onlyOperation ?? OPERATION;
  if (className === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ClassName',
      message: 'ClassName: neither the row nor the import type (AppliesTo) names a module.',
    });
  if (only !== undefined && `${className}/${operation}`.toLowerCase() !== only.toLowerCase())
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Operation',
      message:
        `Operation: the file is for ${only}; the row names ` + `${className.slice(0, 60)}/${operation.slice(0, 200)}.`,
    });
  return { className, operation };
}

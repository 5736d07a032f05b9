import { PlatformError } from '../../../../kernel/door/errors.ts';
import { wireName } from './table.ts';

/** Names that no column may have: other parameters and columns of a lookup, and parameters of every call. */
const reservedParameters = new Set([
  'id',
  'matrixid',
  'matrix',
  'subscriberid',
  'matrixsubscriberid',
  'object',
  'objectid',
  'objectsubscriberid',
  'recordstart',
  'displaysize',
  'asof',
  'output',
  'transform',
  'callback',
  'queuename',
  'queueddate',
  'queuelabel',
  'schedulename',
  'best',
]);
const reservedColumns = new Set(['weight', 'matchcount', 'mismatchcount']);

/** Returns the columns that an output has in answers. */
const outputColumns = (name: string): string[] =>
  ['', 'id', 'type', 'object', 'objectid'].map((end) => `${wireName(name).toLowerCase()}${end}`);

/** A name that can be a parameter and an XML element once its spaces are removed: a letter first. */
const namePattern = /^\p{L}[\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*$/u;

/** Throws for a name that a column cannot have. `others` are the names of the columns of its kind. */
export function assertColumnName(
  kind: 'input' | 'output',
  name: string,
  others: readonly string[],
  field: string,
): void {
  if (!namePattern.test(name))
    throw nameError(field, name, 'a letter first, then letters, digits, single spaces, and . _ -');
  const wire = wireName(name).toLowerCase();
  if (kind === 'input' && reservedParameters.has(wire))
    throw nameError(field, name, 'another name: a lookup already has a parameter with this name');
  if (kind === 'output' && outputColumns(name).some((own) => reservedColumns.has(own)))
    throw nameError(field, name, 'another name: answers already have a column with this name');
  const same = others.find((other) =>
    kind === 'input' ? wireName(other).toLowerCase() === wire : collide(name, other),
  );
  if (same !== undefined)
    throw nameError(
      field,
      name,
      `a name whose ${kind === 'input' ? 'parameter' : 'columns in answers'} no other ${kind} has; ${same} already has`,
    );
}

function collide(name: string, other: string): boolean {
  const own = new Set(outputColumns(name));
  // An output named like another plus ID would be written to the same column.
  return outputColumns(other).includes(wireName(name).toLowerCase()) || own.has(wireName(other).toLowerCase());
}

function nameError(field: string, name: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: "${name.slice(0, 60)}" cannot be the name of a column; expected ${expected}.`,
  });
}

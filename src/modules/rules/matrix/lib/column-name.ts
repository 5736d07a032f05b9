import { PlatformError } from '../../../../kernel/door/errors.ts';
import { wireName } from './table.ts';

/** What lookups take and answer beside inputs and outputs, and what every call may carry: names that no column may have. */
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

/** The columns that an output has in answers. */
const outputColumns = (name: string): string[] =>
  ['', 'id', 'type', 'object', 'objectid'].map((end) => `${wireName(name).toLowerCase()}${end}`);

/** A name as it may stand in a parameter and in XML, but for its spaces: letters first. */
const namePattern = /^\p{L}[\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*$/u;

/** Refuses a name that a column cannot have. `others` are the names of the columns of its kind. */
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
    throw nameError(field, name, 'another name: lookups have a parameter that is called so');
  if (kind === 'output' && outputColumns(name).some((own) => reservedColumns.has(own)))
    throw nameError(field, name, 'another name: answers have a column that is called so');
  const same = others.find((other) =>
    kind === 'input' ? wireName(other).toLowerCase() === wire : collide(name, other),
  );
  if (same !== undefined)
    throw nameError(
      field,
      name,
      `a name whose ${kind === 'input' ? 'parameter' : 'columns in answers'} no other ${kind} has; ${same} has`,
    );
}

function collide(name: string, other: string): boolean {
  const own = new Set(outputColumns(name));
  // An output that is called ID behind another's name would be told in the same column.
  return outputColumns(other).includes(wireName(name).toLowerCase()) || own.has(wireName(other).toLowerCase());
}

function nameError(field: string, name: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: "${name.slice(0, 60)}" cannot be the name of a column; expected ${expected}.`,
  });
}

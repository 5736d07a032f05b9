import { PlatformError } from '../../../../kernel/door/errors.ts';
import { wireName } from './table.ts';

/** What lookups take and answer beside inputs and outputs, and what every call may carry: names that no column may have. */
const takenByCalls = new Set([
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
const takenByRows = new Set(['weight', 'matchcount', 'mismatchcount']);

/** The columns that an output has in answers. */
const answered = (name: string): string[] =>
  ['', 'id', 'type', 'object', 'objectid'].map((end) => `${wireName(name).toLowerCase()}${end}`);

/** A name as it may stand in a parameter and in XML, but for its spaces: letters first. */
const form = /^\p{L}[\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*$/u;

/** Refuses a name that a column cannot have. `others` are the names of the columns of its kind. */
export function assertColumnName(
  kind: 'input' | 'output',
  name: string,
  others: readonly string[],
  field: string,
): void {
  if (!form.test(name)) throw refused(field, name, 'a letter first, then letters, digits, single spaces, and . _ -');
  const wire = wireName(name).toLowerCase();
  if (kind === 'input' && takenByCalls.has(wire))
    throw refused(field, name, 'another name: lookups have a parameter that is called so');
  if (kind === 'output' && answered(name).some((own) => takenByRows.has(own)))
    throw refused(field, name, 'another name: answers have a column that is called so');
  const same = others.find((other) => (kind === 'input' ? wireName(other).toLowerCase() === wire : meet(name, other)));
  if (same !== undefined)
    throw refused(
      field,
      name,
      `a name whose ${kind === 'input' ? 'parameter' : 'columns in answers'} no other ${kind} has; ${same} has`,
    );
}

function meet(name: string, other: string): boolean {
  const own = new Set(answered(name));
  // An output that is called ID behind another's name would be told in the same column.
  return answered(other).includes(wireName(name).toLowerCase()) || own.has(wireName(other).toLowerCase());
}

function refused(field: string, name: string, expected: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field,
    message: `${field}: "${name.slice(0, 60)}" cannot be the name of a column; expected ${expected}.`,
  });
}

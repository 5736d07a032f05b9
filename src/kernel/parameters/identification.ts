/**
 * The names by which a call identifies a record: `ID`, `{Table}ID` of the record type or of its base types, external
 * IDs, and the id in the path. Two that name different records are refused: obeying either would change a record that
 * the caller may not have meant.
 */
import type { Operation } from '../declare/operation.ts';
import type { RecordType } from '../declare/record.ts';
import { PlatformError } from '../door/errors.ts';
import { mergeParameters, parameter, type Parameters } from './parameters.ts';
import type { RawValue } from './parse-value.ts';

/** Returns the error for two names that were sent for one record and name different ones. */
export function contradiction(first: string, second: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: second,
    message: `${first} and ${second} name different records; send one of them, or the same record in both.`,
  });
}

/** Returns a record type and its base types, the root last. */
export function typeAndBases(record: RecordType): readonly RecordType[] {
  return record.base ? [record, ...typeAndBases(record.base)] : [record];
}

/**
 * Returns the parameters with the id of the path as `ID`. Throws BAD_PARAMETER where an `ID` was sent that is another;
 * other names are compared when the parameters are parsed.
 */
export function withPathId(parameters: Parameters, id: number | undefined): Parameters {
  if (id === undefined) return parameters;
  if (!isEmpty(parameter(parameters, 'ID')) && idText(parameter(parameters, 'ID')) !== String(id))
    throw contradiction('The path', 'ID');
  return mergeParameters(parameters, { ID: id });
}

/** Throws BAD_PARAMETER where query and body identify the operation's record by the same name and differently. */
export function assertSameRecord({ record }: Operation, query: Parameters, body: Parameters): void {
  const types = record ? typeAndBases(record) : [];
  const names = ['ID', 'SubscriberID', ...types.flatMap(({ name, idField }) => [idField, `${name}SubscriberID`])];
  for (const name of names) {
    const [first, second] = [parameter(query, name), parameter(body, name)];
    if (!isEmpty(first) && !isEmpty(second) && idText(first) !== idText(second))
      throw contradiction(`${name} in the query`, `${name} in the body`);
  }
}

function isEmpty(raw: RawValue | undefined): boolean {
  return raw === undefined || raw === null || raw === '';
}

/** Returns a value as text in which equal ids are equal. */
function idText(raw: RawValue | undefined): string {
  const parts = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  return parts.map((part) => (typeof part === 'object' ? JSON.stringify(part) : String(part).trim())).join(',');
}

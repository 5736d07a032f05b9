import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/**
 * Returns the name of the record type of cases as it is stored; null without one.
 *
 * @throws BAD_PARAMETER if there is no such record type, or a case without one
 */
export function caseType({ registry }: Context, name: string | null, id: number | null): string | null {
  if (name === null && id !== null) throw bad('Object', 'the record type of ObjectID');
  if (name === null) return null;
  const type = registry.record(name);
  if (!type) throw bad('Object', 'a record type, such as Foreclosure');
  return type.name;
}

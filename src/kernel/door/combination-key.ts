import type { Operation } from '../declare/operation.ts';
import { parameter, type Parameters } from '../parameters/parameters.ts';
import { firmOf } from '../security/identity.ts';
import type { CallState } from './call-state.ts';

/**
 * Returns a key that a call shares with the calls that it would wait for, so that they are combined into one
 * transaction. Undefined for most calls: only inserts of record types that declare `combinedBy` have a key. All calls
 * of a key are by one user, whom history names as the author of changes by triggers, and by staff: row-level security
 * switches the role within a transaction, which concurrent calls can't do.
 */
export function combinationKey(state: CallState, { name, record }: Operation, sent: Parameters): string | undefined {
  const { combinedBy } = record ?? {};
  if (record === undefined || combinedBy === undefined || (name !== 'Save' && name !== 'Insert')) return undefined;
  const { user, body, statementMilliseconds } = state;
  if (firmOf(user) !== null || body !== undefined || statementMilliseconds !== undefined) return undefined;
  const names = [parameter(sent, 'ID'), parameter(sent, record.idField)];
  const value = parameter(sent, combinedBy);
  if (names.some((id) => id !== undefined) || (typeof value !== 'string' && typeof value !== 'number'))
    return undefined;
  return `${record.name}:${value}:${user.personId}`;
}

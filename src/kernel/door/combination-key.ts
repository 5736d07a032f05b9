import type { Operation } from '../declare/operation.ts';
import { parameter, type Parameters } from '../parameters/parameters.ts';
import { firmOf } from '../security/identity.ts';
import type { CallState } from './call-state.ts';

/**
 * Returns a key that a call shares with others that it would wait for, so that they are carried out in one transaction;
 * undefined for almost all calls. Only inserts of record types that declare `combinedBy` have one. The calls are those
 * of one person, whom history names as the author of what the database changes in turn, and of staff: row security
 * changes the role within a transaction, which calls that run side by side cannot.
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

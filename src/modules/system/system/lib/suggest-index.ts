import type { Registry } from '../../../../kernel/declare/registry.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { indexDefinition, type IndexDefinition } from './index-definition.ts';

/** A stored kind of slow search. */
export interface SearchColumns {
  readonly recordtype: string;
  readonly filters: string;
  readonly orderby: string;
}

/**
 * Returns an index that would serve a search: on the text that it searches with `*`, otherwise on the columns that it
 * filters by, followed by those it sorts by. Undefined if no index can serve it.
 */
export function suggestIndex(registry: Registry, search: SearchColumns): IndexDefinition | undefined {
  const filters = search.filters.split(',').filter((name) => name !== '');
  const pattern = filters.find((name) => name.startsWith('*'));
  if (pattern !== undefined)
    return definitionOf(registry, search.recordtype, { kind: 'Contains', columns: [pattern.slice(1)] });
  const idName = registry.record(search.recordtype)?.idField.toLowerCase();
  const order = search.orderby
    .split(',')
    .flatMap((key) => orderColumn(key.trim()))
    // The id ends every index.
    .filter((key) => !['id', idName].includes(key.replace(/^-/, '').toLowerCase()));
  const columns = [...filters, ...order.filter((key) => !filters.includes(key.replace(/^-/, '')))];
  return definitionOf(registry, search.recordtype, { kind: 'Value', columns });
}

/** Returns a sort key as a column name, with a leading minus if descending. */
function orderColumn(key: string): string[] {
  const name = key.replace(/^[-+]/, '').replace(/\s+(asc|desc)$/i, '');
  if (name === '') return [];
  return [key.startsWith('-') || /\sdesc$/i.test(key) ? `-${name}` : name];
}

function definitionOf(
  registry: Registry,
  recordType: string,
  index: Pick<IndexDefinition, 'kind'> & { readonly columns: readonly string[] },
): IndexDefinition | undefined {
  try {
    return indexDefinition(registry, { recordType, ...index });
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

import type { RecordType } from '../declare/record.ts';
import type { Registry } from '../declare/registry.ts';
import type { Db } from '../database/store.ts';
import type { ChangedRow } from './read-changes.ts';
import { readReferences, referencedBy, type RecordKey, type ReferenceColumns } from './references.ts';

/** A change with the records whose pages show it. */
export interface RelatedChange extends ChangedRow {
  /** The type whose table assigns the id. */
  readonly record: RecordType;
  /** What the row refers to and what it is a part of, at any depth: of a ledger's line also the case. */
  readonly related: readonly RecordKey[];
}

/** Levels of owners above a changed row: line, ledger, case, loan. */
const LEVELS_MAX = 3;

/** Returns a key's text. */
export function keyText({ table, id }: RecordKey): string {
  return `${table}/${id}`;
}

/** What related records are read from. */
interface Source {
  readonly db: Db;
  readonly registry: Registry;
}

/**
 * Returns changes of records with what they are related to, before and after the change. Tables that belong to no
 * record type are left out. Each level of owners takes one statement per table.
 */
export async function relatedChanges(source: Source, changes: readonly ChangedRow[]): Promise<RelatedChange[]> {
  const { registry } = source;
  const known = changes.flatMap((change) => {
    const record = registry.record(change.table)?.root;
    return record ? [{ ...change, table: record.table, record }] : [];
  });
  const rows = await readRows(source, known);
  const direct = known.map((change) => {
    const { record, old } = change;
    const present = rows.get(keyText(change));
    return [
      ...(present ? referencedBy(registry, record, present) : []),
      ...(old ? referencedBy(registry, record, { ...present, ...old }) : []),
    ];
  });
  const owners = await readOwners(
    source,
    direct.flat().filter(({ isOwner }) => isOwner),
  );
  // A record may refer to itself, as the first message of a conversation does.
  const others = (change: RecordKey, found: readonly RecordKey[]): RecordKey[] =>
    found.filter((key) => keyText(key) !== keyText(change));
  return known.map((change, n) => ({ ...change, related: others(change, withOwners(direct[n] ?? [], owners)) }));
}

/** Returns the reference columns of rows by the texts of their keys. */
async function readRows(
  { db, registry }: Source,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<string, ReferenceColumns>> {
  const byTable = Map.groupBy(keys, ({ table }) => table);
  const found = await Promise.all(
    [...byTable].map(async ([table, of]) => {
      const record = registry.record(table);
      const ids = [...new Set(of.map(({ id }) => id))];
      const rows = record ? await readReferences(db, registry, record, ids) : new Map<number, ReferenceColumns>();
      return [...rows].map(([id, row]) => [keyText({ table, id }), row] as const);
    }),
  );
  return new Map(found.flat());
}

/** Returns the owners of records, of those, and so on, by the texts of the records' keys. */
async function readOwners(
  source: Source,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<string, readonly RecordKey[]>> {
  const owners = new Map<string, readonly RecordKey[]>();
  let level = keys;
  for (let depth = 0; depth < LEVELS_MAX && level.length > 0; depth++) {
    const rows = await readRows(source, level);
    const above: RecordKey[] = [];
    for (const key of level) {
      const row = rows.get(keyText(key));
      const record = source.registry.record(key.table);
      if (!row || !record) continue;
      const own = referencedBy(source.registry, record, row).filter(({ isOwner }) => isOwner);
      owners.set(keyText(key), own);
      above.push(...own);
    }
    level = above.filter((key) => !owners.has(keyText(key)));
  }
  return owners;
}

function withOwners(keys: readonly RecordKey[], owners: ReadonlyMap<string, readonly RecordKey[]>): RecordKey[] {
  const found = new Map<string, RecordKey>();
  const add = (key: RecordKey): void => {
    if (found.has(keyText(key))) return;
    found.set(keyText(key), { table: key.table, id: key.id });
    for (const owner of owners.get(keyText(key)) ?? []) add(owner);
  };
  for (const key of keys) add(key);
  return [...found.values()];
}

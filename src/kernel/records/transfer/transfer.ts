import type { Context } from '../../door/context.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { transferKeyOf } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';

/** The version of the documents that exports write. Imports read it and every older one. */
export const FORMAT_VERSION = 1;

/** The root element of a document of configuration. */
export const ROOT = 'Configuration';

/** The most records of one document. */
export const TRANSFER_RECORDS_MAX = 10_000;

/** A column that moves with its record: what it is called in a document, and what it points to where it is a reference. */
export interface TransferColumn {
  /** `AppliesTo`, or `LedgerTemplateSubscriberID` of the column LedgerTemplateID: the names that a save takes. */
  readonly name: string;
  /** The key of the column in a save's values. */
  readonly key: string;
  readonly column: Column;
  readonly target: RecordType | undefined;
  /** Of ObjectID, which points to a record of the type that the row names in its column Object: that column. */
  readonly targetBy?: Column;
  /** Whether the target is configuration too and moves along; what is not must be there already. */
  readonly follows: boolean;
}

/** Whether a column points to a record, so that an outside identifier takes the place of its value in a document. */
export function isReference({ target, targetBy }: TransferColumn): boolean {
  return target !== undefined || targetBy !== undefined;
}

/** What a column points to in one row, and whether that moves along; `named` is what the row has in the column Object. */
export function referenceTarget(
  registry: Registry,
  { target, targetBy, follows }: TransferColumn,
  named: unknown,
): { readonly target: RecordType; readonly follows: boolean } | undefined {
  if (!targetBy) return target && { target, follows };
  const found = typeof named === 'string' ? registry.record(named) : undefined;
  return found && { target: found, follows: transferKeyOf(found) !== undefined };
}

const columnsByRegistry = new WeakMap<Registry, Map<RecordType, ReadonlyMap<string, TransferColumn>>>();

/**
 * The columns of a record type that move, by lower-cased element name, sorted by name. Left out are ids, who and when,
 * what the platform computes, secrets, and ids that name no known record type: they mean nothing elsewhere. ObjectID moves beside the
 * Object that says what it points to.
 */
export function transferColumns(registry: Registry, record: RecordType): ReadonlyMap<string, TransferColumn> {
  const known = columnsByRegistry.get(registry) ?? new Map<RecordType, ReadonlyMap<string, TransferColumn>>();
  columnsByRegistry.set(registry, known);
  let columns = known.get(record);
  if (!columns) known.set(record, (columns = movingColumns(registry, record)));
  return columns;
}

function movingColumns(registry: Registry, record: RecordType): ReadonlyMap<string, TransferColumn> {
  const found: TransferColumn[] = [];
  const seen = new Set<string>();
  for (const [key, column] of record.columns) {
    const { field } = column;
    // A synonym is the same column under another name.
    if (seen.has(column.column)) continue;
    seen.add(column.column);
    if (field.computed || field.classification === 'secret' || column.read === null || column.column === 'version')
      continue;
    if (field.kind !== 'id') {
      found.push({ name: column.name, key, column, target: undefined, follows: false });
      continue;
    }
    const object = record.columns.get('object');
    if (field.to === undefined && key === 'objectid' && object)
      found.push({ name: 'ObjectSubscriberID', key, column, target: undefined, targetBy: object, follows: false });
    const target = registry.record(field.to ?? '');
    if (target)
      found.push({
        name: `${column.name.slice(0, -2)}SubscriberID`,
        key,
        column,
        target,
        follows: transferKeyOf(target) !== undefined,
      });
  }
  return new Map(found.sort((a, b) => byText(a.name, b.name)).map((c) => [c.name.toLowerCase(), c]));
}

/** The columns that name a record among the others of its type; see {@link transferKeyOf}. */
export function keyColumns(registry: Registry, record: RecordType): readonly TransferColumn[] {
  const all = [...transferColumns(registry, record).values()];
  return (transferKeyOf(record) ?? []).map((name) => {
    const found = all.find((c) => c.column.column === name.toLowerCase());
    if (!found) throw new Error(`${record.name}.${name} names no record in another installation: it does not move`);
    return found;
  });
}

/** Record types so ordered that those which name others come after them; a type that is named by its own kind stands once. */
export function inKeyOrder(registry: Registry, records: Iterable<RecordType>): RecordType[] {
  const wanted = new Set(records);
  const ordered = new Set<RecordType>();
  const entered = new Set<RecordType>();
  const visit = (record: RecordType): void => {
    if (entered.has(record)) return;
    entered.add(record);
    for (const { target, follows } of keyColumns(registry, record)) if (target && follows) visit(target);
    if (wanted.has(record)) ordered.add(record);
  };
  for (const record of [...wanted].sort((a, b) => byText(a.name, b.name))) visit(record);
  return [...ordered];
}

/** Compares texts by their code units: the same order everywhere, whatever the language of the machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Holds configuration still until the transaction ends: every change of it raises the one counter, so that who holds that row
 * sees one state of all tables, and exports and imports follow one another.
 */
export async function lockConfiguration(ctx: Context): Promise<void> {
  await ctx.db.query('select version from configurationversion for update');
}

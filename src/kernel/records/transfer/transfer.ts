import type { Context } from '../../door/context.ts';
import type { Column, RecordType } from '../../declare/record.ts';
import { transferKeyOf } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';

/** Version of the documents that exports write. Imports read it and all older ones. */
export const FORMAT_VERSION = 1;

/** The root element of a document of configuration. */
export const ROOT = 'Configuration';

/** Most records in one document. */
export const TRANSFER_RECORDS_MAX = 10_000;

/** A column that is transferred: its name in a document, and its target where it is a reference. */
export interface TransferColumn {
  /** `AppliesTo`, or `LedgerTemplateSubscriberID` of the column LedgerTemplateID: the names that a save takes. */
  readonly name: string;
  readonly column: Column;
  readonly target: RecordType | undefined;
  /** For ObjectID: the column Object, which names the target's type in each row. */
  readonly targetBy?: Column;
  /** Whether the target is configuration and is transferred too; otherwise it must already exist. */
  readonly follows: boolean;
}

/** Whether a column points to a record, so that a document has an external ID instead of the value. */
export function isReference({ target, targetBy }: TransferColumn): boolean {
  return target !== undefined || targetBy !== undefined;
}

/**
 * Returns the target of a column in one row, and whether it is transferred too. `named` is the row's value of Object.
 */
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
 * Returns the columns of a record type that are transferred, by lower-cased element name, sorted by name. Left out are
 * ids, tracking and computed columns, secrets, and ids of no declared record type, which mean nothing elsewhere.
 * ObjectID is transferred with the Object that names its type.
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
  const object = record.valueColumns.get('Object');
  for (const [name, column] of record.valueColumns) {
    const { field } = column;
    if (field.computed || field.classification === 'secret' || column.read === null || column.column === 'version')
      continue;
    if (field.kind !== 'id') {
      found.push({ name, column, target: undefined, follows: false });
      continue;
    }
    if (field.to === undefined && name === 'ObjectID' && object)
      found.push({ name: 'ObjectSubscriberID', column, target: undefined, targetBy: object, follows: false });
    const target = registry.record(field.to ?? '');
    if (target)
      found.push({
        name: `${name.slice(0, -2)}SubscriberID`,
        column,
        target,
        follows: transferKeyOf(target) !== undefined,
      });
  }
  return new Map(found.sort((a, b) => byText(a.name, b.name)).map((c) => [c.name.toLowerCase(), c]));
}

/** Returns the columns of a record type's transfer key; see {@link transferKeyOf}. */
export function keyColumns(registry: Registry, record: RecordType): readonly TransferColumn[] {
  const all = [...transferColumns(registry, record).values()];
  return (transferKeyOf(record) ?? []).map((name) => {
    const found = all.find((c) => c.column.column === name.toLowerCase());
    if (!found) throw new Error(`${record.name}.${name} cannot be in a transfer key: it is not transferred`);
    return found;
  });
}

/** Sorts record types so that each comes after those that its transfer key points to. */
export function inKeyOrder(registry: Registry, records: Iterable<RecordType>): RecordType[] {
  const requested = new Set(records);
  const ordered = new Set<RecordType>();
  const entered = new Set<RecordType>();
  const visit = (record: RecordType): void => {
    if (entered.has(record)) return;
    entered.add(record);
    for (const { target, follows } of keyColumns(registry, record)) if (target && follows) visit(target);
    if (requested.has(record)) ordered.add(record);
  };
  for (const record of [...requested].sort((a, b) => byText(a.name, b.name))) visit(record);
  return [...ordered];
}

/** Compares texts by code units: the same order whatever the locale of the machine. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Locks configuration until the transaction ends. Every change of it raises the one counter, so the holder of that row
 * sees one consistent state of all tables, and exports and imports run one after another.
 */
export async function lockConfiguration(ctx: Context): Promise<void> {
  await ctx.db.query('select version from configurationversion for update');
}

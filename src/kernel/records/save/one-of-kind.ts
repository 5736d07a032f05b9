import type { Context } from '../../door/context.ts';
import { fold } from '../../parameters/fold.ts';
import { splitCommaList } from '../../parameters/split-list.ts';
import { parseValue, type ParseOptions, type RawValue, bad } from '../../parameters/parse-value.ts';
import type { Collection, OneOfKind, RecordType } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';
import type { SettingDefinition, Settings } from '../../declare/setting.ts';
import { lockName } from '../../database/advisory-lock.ts';
import type { SavePlan } from './plan.ts';

/** A kind of children that a save takes by the kind's name: a contact's email address. */
export interface ChildKind {
  /** The name of the parameter. */
  readonly parameter: string;
  /** The kind as it is stored. */
  readonly name: string;
  readonly collection: Collection;
  readonly child: RecordType;
  readonly declared: OneOfKind;
  /** Whether a parent has one of each kind. */
  readonly isOnly: boolean;
}

function settingOf<T>(settings: Settings | undefined, definition: SettingDefinition<T>): T {
  return settings ? settings.get(definition) : definition.default;
}

/** Returns the kinds of children that a record takes by name, from the settings. */
export function kindsOf(registry: Registry, record: RecordType, settings: Settings | undefined): readonly ChildKind[] {
  return [...registry.collections(record).values()].flatMap((collection) => {
    const child = registry.record(collection.record);
    const declared = child?.oneOfKind;
    if (!child || declared?.within !== collection.by) return [];
    const isOnly = settingOf(settings, declared.only);
    return splitCommaList(settingOf(settings, declared.names)).map((name): ChildKind => ({
      parameter: name.replaceAll(' ', ''),
      name,
      collection,
      child,
      declared,
      isOnly,
    }));
  });
}

/**
 * Returns the values of the children that one parameter sends. Where a parent has one child of each kind, an empty
 * value clears it; where it may have several, an empty value is ignored.
 */
export function kindValues(
  kind: ChildKind,
  raw: RawValue,
  parameter: string,
  options: ParseOptions,
): Map<string, unknown>[] {
  const sent = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  if (kind.isOnly && sent.length > 1) throw bad(parameter, `one value: there is only one ${kind.name} of each record`);
  const field = kind.child.columns.get(kind.declared.value.toLowerCase())?.field;
  if (!field) throw new Error(`${kind.child.name} has no column ${kind.declared.value}`);
  const values = sent.map((one) => parseValue(field, typeof one === 'string' ? one.trim() : one, parameter, options));
  return values
    .filter((value) => kind.isOnly || value !== null)
    .map(
      (value) =>
        new Map<string, unknown>([
          [kind.declared.kind.toLowerCase(), kind.name],
          [kind.declared.value.toLowerCase(), value],
        ]),
    );
}

/**
 * Returns a kind as the settings spell it: `homephone` is Home Phone. A kind that is not in the settings stays as it
 * is.
 */
export function canonicalKind(ctx: Pick<Context, 'settings'>, { names }: OneOfKind, kind: string): string {
  const joined = (name: string): string => fold(name).replaceAll(' ', '');
  return splitCommaList(ctx.settings.get(names)).find((name) => joined(name) === joined(kind)) ?? kind.trim();
}

/** The stored children of the kind of a child that is being saved. */
export interface ExistingOfKind {
  /** The one to update first. */
  readonly ids: readonly number[];
  /** Whether the child was sent without a value, which deletes the stored ones. */
  readonly isCleared: boolean;
}

/**
 * Finds the stored children of the kind of a child that is saved without an identity. Where a parent may have several
 * of a kind, only a child sent by the kind's name is looked up, and by its value. Undefined where nothing is looked up,
 * or where the kind or the parent is not known.
 *
 * Of two concurrent calls, the second waits and finds the first's child. The kind is not a unique key in the database,
 * because it is unique only while a setting is on.
 */
export async function findOfKind(ctx: Context, plan: SavePlan): Promise<ExistingOfKind | undefined> {
  const { oneOfKind } = plan.record;
  if (!oneOfKind) return undefined;
  const [within, sent, value] = [oneOfKind.within, oneOfKind.kind, oneOfKind.value].map((name) =>
    plan.values.get(name.toLowerCase()),
  );
  if (typeof within !== 'number' || typeof sent !== 'string') return undefined;
  const kind = canonicalKind(ctx, oneOfKind, sent);
  const isOnly = ctx.settings.get(oneOfKind.only);
  if (!isOnly && !plan.isNamedByKind) return undefined;
  const isCleared = isOnly && plan.values.has(oneOfKind.value.toLowerCase()) && value === null;
  const parent = plan.record.columns.get(oneOfKind.within.toLowerCase())?.field.to ?? '';
  // No other transaction sees a parent that this one has inserted: without a note it has no such child, and no lock is
  // needed.
  const note = `kind ${plan.record.table} ${within} ${fold(kind)}${isOnly ? '' : ` ${String(value)}`}`;
  if (isNewInTransaction(ctx, parent, within) && !ctx.reached.has(note)) {
    if (!isCleared) ctx.reached.add(note);
    return { ids: [], isCleared };
  }
  await lockKinds(ctx, plan.record, within);
  return {
    ids: await idsOfKind(ctx, plan.record, { within, kind, ...(isOnly ? {} : { value: String(value) }) }),
    isCleared,
  };
}

/**
 * Whether the save of a child named by its id deletes it: its value was sent empty, and a parent has one child of each
 * kind.
 */
export function clearsOnlyChild(ctx: Context, plan: SavePlan): boolean {
  const { oneOfKind } = plan.record;
  return (
    oneOfKind !== undefined &&
    plan.values.get(oneOfKind.value.toLowerCase()) === null &&
    ctx.settings.get(oneOfKind.only)
  );
}

/** Locks the kinds of children of a parent until the transaction ends: no other transaction adds or removes one. */
export function lockKinds(ctx: Context, record: RecordType, within: number): Promise<void> {
  return lockName(ctx, `kinds ${record.table} ${within}`);
}

/** Returns the ids of a parent's children of a kind, oldest first, optionally with one value. */
export async function idsOfKind(
  ctx: Context,
  record: RecordType,
  of: { readonly within: number; readonly kind: string; readonly value?: string },
): Promise<number[]> {
  const { oneOfKind, table } = record;
  if (!oneOfKind) return [];
  const rows = await ctx.db.query<{ id: number }>(
    `select ${table}id as id from ${table}
     where ${oneOfKind.within.toLowerCase()} = $1::bigint and ${oneOfKind.kind.toLowerCase()} = $2::text
       and ($3::text is null or ${oneOfKind.value.toLowerCase()} = $3::text)
     order by 1`,
    [of.within, of.kind, of.value ?? null],
  );
  return rows.map((row) => row.id);
}

function isNewInTransaction(ctx: Context, parent: string, id: number): boolean {
  const record = ctx.registry.record(parent);
  return record !== undefined && ctx.registry.family(record).some((of) => ctx.reached.has(`new ${of.name}:${id}`));
}

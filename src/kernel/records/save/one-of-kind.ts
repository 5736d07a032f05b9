import type { Context } from '../../door/context.ts';
import { fold } from '../../parameters/fold.ts';
import { splitCommaList } from '../../parameters/split-list.ts';
import { parseValue, type ParseOptions, type RawValue, bad } from '../../parameters/parse-value.ts';
import type { Collection, OneOfKind, RecordType } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';
import type { SettingDefinition, Settings } from '../../declare/setting.ts';
import { lockName } from '../../database/advisory-lock.ts';
import type { SavePlan } from './plan.ts';

/** A kind of children that a record takes by its name: a contact's e-mail address. */
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

/** The kinds of children that a record takes by their names, as the settings stand. */
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

/** The values of the children that one parameter asks for. Sent empty it removes the one that there is; of several, none is meant. */
export function kindValues(
  kind: ChildKind,
  raw: RawValue,
  said: string,
  options: ParseOptions,
): Map<string, unknown>[] {
  const sent = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  if (kind.isOnly && sent.length > 1) throw bad(said, `one value: there is only one ${kind.name} of each record`);
  const field = kind.child.columns.get(kind.declared.value.toLowerCase())?.field;
  if (!field) throw new Error(`${kind.child.name} has no column ${kind.declared.value}`);
  const values = sent.map((one) => parseValue(field, typeof one === 'string' ? one.trim() : one, said, options));
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

/** A kind in the spelling of the settings, where it is one of theirs: `homephone` is Home Phone. */
export function canonicalKind(ctx: Pick<Context, 'settings'>, { names }: OneOfKind, kind: string): string {
  const joined = (name: string): string => fold(name).replaceAll(' ', '');
  return splitCommaList(ctx.settings.get(names)).find((name) => joined(name) === joined(kind)) ?? kind.trim();
}

/** A child of a kind that is saved: what there is of the kind already, and whether it was sent without a value. */
export interface ExistingOfKind {
  /** The children that there are, the one to change first. */
  readonly ids: readonly number[];
  readonly isCleared: boolean;
}

/**
 * What there is of the kind of a child that is saved without an identity. Undefined where nothing says its kind and parent,
 * or where a parent may have several: then one that was sent by its kind's name is the one with the same value.
 *
 * Two calls at one moment: the second waits for the first and then finds what it made. The kind is no unique key in the database, since
 * it is one only while a setting is on.
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
  const isEmptied = isOnly && plan.values.has(oneOfKind.value.toLowerCase()) && value === null;
  const parent = plan.record.columns.get(oneOfKind.within.toLowerCase())?.field.to ?? '';
  // Nobody else sees a parent that this transaction has made; what it made below it, it has noted.
  const noted = `kind ${plan.record.table} ${within} ${fold(kind)}${isOnly ? '' : ` ${String(value)}`}`;
  if (isNewInTransaction(ctx, parent, within) && !ctx.reached.has(noted)) {
    if (!isEmptied) ctx.reached.add(noted);
    return { ids: [], isCleared: isEmptied };
  }
  await lockKinds(ctx, plan.record, within);
  return {
    ids: await idsOfKind(ctx, plan.record, { within, kind, ...(isOnly ? {} : { value: String(value) }) }),
    isCleared: isEmptied,
  };
}

/** Whether a save of a child that is named by its id removes it: its value was sent empty, and it is the only one of its kind. */
export function clearsOnlyChild(ctx: Context, plan: SavePlan): boolean {
  const { oneOfKind } = plan.record;
  return (
    oneOfKind !== undefined &&
    plan.values.get(oneOfKind.value.toLowerCase()) === null &&
    ctx.settings.get(oneOfKind.only)
  );
}

/** Waits until no other open transaction changes which children of these kinds a parent has. */
export function lockKinds(ctx: Context, record: RecordType, within: number): Promise<void> {
  return lockName(ctx, `kinds ${record.table} ${within}`);
}

/** The children of a kind, the one to change first: the oldest. */
export async function idsOfKind(
  ctx: Context,
  record: RecordType,
  of: { readonly within: number; readonly kind: string; readonly value?: string },
): Promise<number[]> {
  const { oneOfKind, table } = record;
  if (!oneOfKind) return [];
  const rows = await ctx.db.query<{ id: number }>(
    `select ${table}id as id from ${table} where ${oneOfKind.within.toLowerCase()} = $1::bigint and ${oneOfKind.kind.toLowerCase()} = $2::text and ($3::text is null or ${oneOfKind.value.toLowerCase()} = $3::text) order by 1`,
    [of.within, of.kind, of.value ?? null],
  );
  return rows.map((row) => row.id);
}

function isNewInTransaction(ctx: Context, parent: string, id: number): boolean {
  const record = ctx.registry.record(parent);
  return record !== undefined && ctx.registry.family(record).some((of) => ctx.reached.has(`new ${of.name}:${id}`));
}

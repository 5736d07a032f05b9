import { isConfiguration, type RecordType } from '../../declare/record.ts';
import { recordId, type Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import { isClosed } from '../search/read.ts';

/** Configuration that uses a record of configuration. */
export interface ConfigurationUse {
  readonly Object: string;
  readonly ObjectID: number;
  readonly Name: string | null;
  readonly ParentObject: string | null;
  readonly ParentID: number | null;
  readonly Field: string;
  /** Whether it refers to the record by its name, which a new name would break. */
  readonly ByName: boolean;
}

/** A record whose uses are looked for. */
export interface UsedRecord {
  readonly record: RecordType;
  readonly id: number;
  readonly name: string;
  /** Further parameters by which calls name it, besides its type and `Template`. */
  readonly parameters?: readonly string[];
}

/** Most records of one type that are searched for the record's name. */
const RECORDS_SEARCHED_MAX = 1_000;

/** Returns the configuration that uses a record: by a field, a text that names it, or a call that does. */
export async function configurationUses(ctx: Context, used: UsedRecord): Promise<ConfigurationUse[]> {
  const uses: ConfigurationUse[] = [];
  for (const record of ctx.registry.records()) {
    if (!canSearch(ctx, record)) continue;
    // Users and accounts name configuration too.
    if (isConfiguration(record))
      uses.push(...(await fieldUses(ctx, record, used)), ...(await pairUses(ctx, record, used)));
    const names = await textUses(ctx, record, used);
    uses.push(...names, ...(isConfiguration(record) ? await callUses(ctx, record, used) : []));
  }
  return uses;
}

/** Whether the user may search records of a type: nobody learns of others. */
function canSearch(ctx: Context, record: RecordType): boolean {
  const { operation } = ctx.registry.find(record.module, 'search') ?? {};
  return operation !== undefined && ctx.user.permissions.has(operation.permissionName) && !isClosed(ctx, record);
}

async function fieldUses(
  ctx: Context,
  record: RecordType,
  { record: used, id }: UsedRecord,
): Promise<ConfigurationUse[]> {
  const uses: ConfigurationUse[] = [];
  const parent = parentOf(ctx, record);
  for (const column of record.shown) {
    // A record's own parts do not use it.
    if (column.field.to !== used.name || column === parent) continue;
    for (const row of await searchAll(ctx, record, { [column.name]: id }))
      uses.push(useOf(ctx, { record, row, field: column.name, byName: false }));
  }
  return uses;
}

/** Returns the uses by type and ID, such as of a step that creates a record from a template. */
async function pairUses(
  ctx: Context,
  record: RecordType,
  { record: used, id }: UsedRecord,
): Promise<ConfigurationUse[]> {
  const [type, pairedId] = [record.columns.get('object'), record.columns.get('objectid')];
  if (type === undefined || pairedId === undefined || pairedId.field.to !== undefined) return [];
  const rows = await searchAll(ctx, record, { [type.name]: used.name, [pairedId.name]: id });
  return rows.map((row) => useOf(ctx, { record, row, field: pairedId.name, byName: false }));
}

async function textUses(ctx: Context, record: RecordType, used: UsedRecord): Promise<ConfigurationUse[]> {
  const columns = record.shown.filter(({ field }) => field.names === used.record.name);
  if (columns.length === 0 || used.name === '') return [];
  const rows = await searchAll(ctx, record, {});
  return rows.flatMap((row) =>
    columns.flatMap(({ name }) =>
      namesIn(row[name], used) ? [useOf(ctx, { record, row, field: name, byName: true })] : [],
    ),
  );
}

/** Whether a text names a record. Names of custom fields are words of paths and expressions. */
function namesIn(text: unknown, { record, name }: UsedRecord): boolean {
  if (typeof text !== 'string') return false;
  const separator = record.name === 'CustomField' ? /[^\p{L}\p{N}]+/u : /[,\n\r|]+/;
  return text.split(separator).some((part) => part.trim().toLowerCase() === name.toLowerCase());
}

async function callUses(ctx: Context, record: RecordType, used: UsedRecord): Promise<ConfigurationUse[]> {
  const sources = ctx.registry.callSources(record).filter(({ calls }) => calls !== undefined);
  if (sources.length === 0) return [];
  const names = namesRecord(ctx, used);
  const uses: ConfigurationUse[] = [];
  for (const row of await searchAll(ctx, record, {}))
    for (const source of sources)
      for (const { field, signature } of (await source.calls?.(ctx, row)) ?? [])
        if (names(signature)) uses.push(useOf(ctx, { record, row, field, byName: true }));
  return uses;
}

/**
 * Returns whether a call names the record, by its name or ID: in a parameter with the name of its type, or in
 * `Template` of a module whose records are created from it. A saved statement is named as an operation.
 */
function namesRecord(
  { registry }: Context,
  { record, id, name, parameters = [] }: UsedRecord,
): (call: string) => boolean {
  const everywhere = new Set([record.name, record.idField, ...parameters].map((each) => each.toLowerCase()));
  const modules = registry.records().filter(({ template }) => template === record.name);
  const creating = new Set(modules.map(({ module }) => module.toLowerCase()));
  return (signature) => {
    const [route = ''] = signature.split('?', 1);
    const [module = '', operation = ''] = route.toLowerCase().split('/');
    if (record.name === 'Statement' && name !== '' && operation === name.toLowerCase()) return true;
    const isCreating = creating.has(module);
    return [...signature.matchAll(/[?&]([^=&]+)=([^&]+)/g)].some(([, parameter = '', sent = '']) => {
      const own = parameter.toLowerCase();
      if (!everywhere.has(own) && !(isCreating && (own === 'template' || own === 'templateid'))) return false;
      const text = decoded(sent).trim();
      return text === String(id) || (name !== '' && text.toLowerCase() === name.toLowerCase());
    });
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

async function searchAll(
  ctx: Context,
  record: RecordType,
  filters: Readonly<Record<string, number | string>>,
): Promise<readonly Row[]> {
  const paging = { DisplaySize: RECORDS_SEARCHED_MAX, RecordCount: false };
  const answer = await ctx.callOf(record, 'search', { ...filters, ...paging });
  return answer.kind === 'list' ? (answer.rows as readonly Row[]) : [];
}

/** Returns the column that names what a record is part of, such as the template of a step: its required reference. */
function parentOf({ registry }: Context, record: RecordType): RecordType['shown'][number] | undefined {
  return record.shown.find(({ name, field: { to, required } }) => {
    const parent = registry.record(to ?? '');
    return required === true && parent !== undefined && parent !== record && parent.idField === name;
  });
}

interface FoundUse {
  readonly record: RecordType;
  readonly row: Row;
  readonly field: string;
  readonly byName: boolean;
}

function useOf(ctx: Context, { record, row, field, byName }: FoundUse): ConfigurationUse {
  const name = row[record.name];
  const parent = parentOf(ctx, record);
  const parentId = parent && row[parent.name];
  return {
    Object: record.name,
    ObjectID: recordId(record, row),
    Name: typeof name === 'string' ? name : null,
    ParentObject: typeof parentId === 'number' ? (parent?.field.to ?? null) : null,
    ParentID: typeof parentId === 'number' ? parentId : null,
    Field: field,
    ByName: byName,
  };
}

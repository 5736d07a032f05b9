import { timeZone } from '../../declare/core-settings.ts';
import { didYouMean, PlatformError } from '../../door/errors.ts';
import { contradiction } from '../../parameters/identification.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { bad, parseValue, type ParseOptions, type RawValue } from '../../parameters/parse-value.ts';
import type { Collection, Column, RecordType } from '../../declare/record.ts';
import type { ValueName, Values } from '../../declare/values.ts';
import type { Registry } from '../../declare/registry.ts';
import type { SaveDraft, SaveFeature, SaveParameter, SaveParse } from '../../declare/save-feature.ts';
import type { Settings } from '../../declare/setting.ts';

/** What a save does, parsed from its flat parameters before anything is read or written. */
export interface SavePlan<R extends RecordType = RecordType> {
  readonly record: R;
  /** The columns sent, with their parsed values. */
  readonly values: Values<R>;
  id?: number;
  subscriberId?: string;
  version?: number;
  templateName?: string;
  /** Foreign keys sent as external IDs: key name (`PropertyID`) to SubscriberID. */
  readonly subscribers: Map<ValueName<R>, string>;
  /** Records to save first, whose ids become this record's foreign keys: key name (`PropertyID`) to plan. */
  readonly links: Map<string, SavePlan>;
  readonly collections: Map<string, { readonly collection: Collection; readonly items: readonly SavePlan[] }>;
  /** What features of saves have noted, by feature; see `stateOf`. */
  readonly features: Map<SaveFeature, unknown>;
  /** The values are stored exactly as they are: a rollback, whose documents are not merged into the stored ones. */
  readonly isRestore?: true;
  /** It moves what refers to a record that is merged into another: both keep what they have. */
  readonly movesReferences?: true;
  /** Columns of the parent record that the same call updates (`Process_Status`). */
  readonly parent: Map<string, { readonly record: RecordType; readonly raw: Parameters }>;
  /** Protected numbers that were sent masked, which changes nothing. */
  readonly maskedNumbers: SentMask[];
  /** Computed columns that were sent; they are ignored with a warning. */
  readonly ignored: string[];
}

/** A protected number that was sent as answers show it. */
export interface SentMask {
  readonly column: Column;
  /** The name of the parameter. */
  readonly field: string;
  /** Its last four digits. */
  readonly last: string;
}

/** The values by which a record refers to its parent, of a record type that declares one. */
export interface ParentValues {
  Object?: string | null;
  ObjectID?: number | null;
}

/** Returns the values of a plan as those that refer to the parent. */
export function parentValues(plan: SavePlan): ParentValues {
  return plan.values;
}

/** What parsing a save depends on. Without settings, their defaults apply. */
export interface PlanOptions extends ParseOptions {
  readonly settings?: Settings;
}

/** Returns the parse options of a call's saves. */
export function planOptions(ctx: { readonly settings: Settings }): PlanOptions {
  return { timeZone: ctx.settings.get(timeZone), settings: ctx.settings };
}

/** Most children of one collection per call. */
const COLLECTION_MAX = 1_000;

/** A plan being parsed, with the parameters of nested records collected so far. */
interface PlanDraft extends SaveDraft {
  readonly links: Map<string, Record<string, RawValue>>;
  readonly collections: Map<string, { collection: Collection; items: Map<number, Record<string, RawValue>> }>;
  /** The names under which ids were sent. */
  readonly sentAs: Map<string, string>;
  /** Children that features add. */
  readonly added: { readonly collection: Collection; readonly items: readonly SavePlan[] }[];
}

/** Adds a parameter to the draft. Returns false where the parameter is of another form. */
type ParameterParser = (draft: PlanDraft, parameter: SaveParameter, ctx: SaveParse) => boolean;

/** The forms of a save's parameters, in the order in which they are tried. */
const parameterParsers: readonly ParameterParser[] = [
  parseOwnParameter,
  parseCollectionMember,
  parseLinkedMember,
  parseByFeature,
  isEmptyNested,
  parseParentMember,
  parseRestByFeature,
];

/**
 * Parses a save's parameters by the prefix grammar: own class (`Contact_FirstName`), a collection
 * (`Contacts_0_FirstName`), a foreign key without ID (`Property_Address`), the parameters of features, the parent's
 * class (`Process_Status`), in this order. Reads and writes nothing.
 *
 * @throws UNKNOWN_PARAMETER with the nearest known names
 */
export function planSave<R extends RecordType>(
  registry: Registry,
  record: R,
  parameters: Parameters,
  options: PlanOptions,
): SavePlan<R> {
  const plan = planColumns(record, {});
  fillPlan(plan, parameters, { registry, options, prefix: '' });
  return plan;
}

/** Returns a plan that writes only these columns. */
export function planColumns<R extends RecordType>(record: R, values: Values<R>): SavePlan<R> {
  return {
    record,
    values,
    subscribers: new Map(),
    links: new Map(),
    collections: new Map(),
    features: new Map(),
    parent: new Map(),
    maskedNumbers: [],
    ignored: [],
  };
}

function buildPlan(record: RecordType, parameters: Parameters, ctx: SaveParse): SavePlan {
  const plan = planColumns(record, {});
  fillPlan(plan, parameters, ctx);
  return plan;
}

function fillPlan(plan: SavePlan, parameters: Parameters, ctx: SaveParse): void {
  const { record } = plan;
  const added: PlanDraft['added'] = [];
  const addChildren: SaveDraft['addChildren'] = (collection, items) => added.push({ collection, items });
  const draft = { plan, links: new Map(), collections: new Map(), sentAs: new Map(), added, addChildren };
  for (const sent in parameters) {
    const name = withoutOwnClass(record, sent);
    const parameter: SaveParameter = { name, raw: parameters[sent] ?? null, field: ctx.prefix + name };
    if (!parameterParsers.some((parse) => parse(draft, parameter, ctx))) throw unknownName(record, sent, ctx);
  }
  for (const feature of ctx.registry.saveFeatures(record)) feature.assertParsed?.(draft.plan, ctx);
  addLinks(draft, ctx);
  addCollections(draft, ctx);
}

function addLinks({ plan, links }: PlanDraft, ctx: SaveParse): void {
  for (const [key, members] of links) {
    const target = ctx.registry.record(plan.record.valueColumns.get(key)?.field.to ?? '');
    const prefix = `${ctx.prefix}${key.slice(0, -2)}_`;
    if (!target) continue;
    const link = buildPlan(target, members, { ...ctx, prefix });
    const id = plan.values[key];
    if (typeof id === 'number' && link.id !== undefined && link.id !== id)
      throw contradiction(ctx.prefix + key, `${prefix}ID`);
    plan.links.set(key, link);
  }
}

/** Adds the children by position and then those that features have added. */
function addCollections({ plan, collections, added }: PlanDraft, ctx: SaveParse): void {
  for (const [name, { collection, items }] of collections) {
    const child = ctx.registry.requireRecord(collection.record, name);
    const inOrder = [...items].sort(([a], [b]) => a - b);
    plan.collections.set(name, {
      collection,
      items: inOrder.map(([index, members]) =>
        buildPlan(child, members, { ...ctx, prefix: `${ctx.prefix}${collection.name}_${index}_` }),
      ),
    });
  }
  for (const { collection, items } of added) {
    const before = plan.collections.get(collection.name)?.items ?? [];
    plan.collections.set(collection.name, { collection, items: [...before, ...items] });
  }
}

function withoutOwnClass(record: RecordType, name: string): string {
  for (let at: RecordType | undefined = record; at; at = at.base) {
    const prefix = `${at.name}_`;
    if (name.length > prefix.length && name.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())
      return name.slice(prefix.length);
  }
  return name;
}

/**
 * Whether the parameter is a collection or linked record without content (`<Contacts/>`, `"Contacts": []`), which is
 * ignored.
 */
function isEmptyNested({ plan }: PlanDraft, { name, raw }: SaveParameter, ctx: SaveParse): boolean {
  const isEmpty = raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0);
  if (!isEmpty) return false;
  const { record } = plan;
  return ctx.registry.collections(record).has(name.toLowerCase()) || linkColumn(record, name, ctx) !== undefined;
}

/** Returns the foreign key behind the name of a linked record, where its record type is installed. */
function linkColumn(record: RecordType, name: string, ctx: SaveParse): Column | undefined {
  const column = record.columns.get(`${name.toLowerCase()}id`);
  if (column?.field.kind !== 'id' || column.field.to === undefined || column.field.computed) return undefined;
  return ctx.registry.record(column.field.to) === undefined ? undefined : column;
}

/** Parses the record's own columns, its identity in any spelling, and its template. */
function parseOwnParameter(draft: PlanDraft, parameter: SaveParameter, ctx: SaveParse): boolean {
  const { plan } = draft;
  const { record } = plan;
  const { raw, field } = parameter;
  const lower = parameter.name.toLowerCase();
  if (lower === 'id') {
    setId(draft, parameter, ctx);
    return true;
  }
  if (isOwnExternalId(record, lower)) {
    const text = parseValue(externalIdField, raw, field, ctx.options);
    if (typeof text === 'string') {
      assertSentOnce(draft, { key: 'SubscriberID', field, isSame: (plan.subscriberId ?? text) === text });
      plan.subscriberId = text;
    }
    return true;
  }
  if (isTemplateName(record, lower)) {
    if (typeof raw === 'string' && raw !== '') plan.templateName = raw;
    return true;
  }
  const key = record.template !== undefined && lower === 'templateid' ? `${record.template.toLowerCase()}id` : lower;
  const column = record.columns.get(key);
  if (column) {
    setColumn(draft, column, parameter, ctx);
    return true;
  }
  return parseExternalIdReference(plan, parameter);
}

const idField = { kind: 'id', classification: 'public', doc: '' } as const;
const externalIdField = { kind: 'text', classification: 'public', doc: '', max: 255, exact: true } as const;

/**
 * `SubscriberID` or `ContactSubscriberID`; where the record type has a SubscriberID column, the first is that column.
 */
function isOwnExternalId(record: RecordType, lower: string): boolean {
  return (lower === 'subscriberid' && !record.columns.has(lower)) || lower === `${record.table}subscriberid`;
}

function isTemplateName(record: RecordType, lower: string): boolean {
  return (
    record.template !== undefined &&
    ['template', record.template.toLowerCase(), `${record.table}template`].includes(lower)
  );
}

/**
 * Notes the name under which an id was sent. Throws BAD_PARAMETER where it was sent before under another name, with
 * another value.
 */
function assertSentOnce(
  { sentAs }: PlanDraft,
  { key, field, isSame }: { readonly key: string; readonly field: string; readonly isSame: boolean },
): void {
  const first = sentAs.get(key);
  if (first === undefined) sentAs.set(key, field);
  else if (!isSame) throw contradiction(first, field);
}

function setId(draft: PlanDraft, { raw, field }: SaveParameter, ctx: SaveParse): void {
  const { plan } = draft;
  const id = parseValue(idField, raw, field, ctx.options);
  if (typeof id !== 'number') return;
  assertSentOnce(draft, { key: 'ID', field, isSame: (plan.id ?? id) === id });
  plan.id = id;
}

function setColumn(draft: PlanDraft, column: Column, parameter: SaveParameter, ctx: SaveParse): void {
  const { plan } = draft;
  const { root } = plan.record;
  const { raw, field } = parameter;
  if (column.table === root.table && column.column === `${root.table}id`) setId(draft, parameter, ctx);
  else if (column.column === 'version') {
    const version = parseValue(column.field, raw, field, ctx.options);
    if (typeof version === 'number') plan.version = version;
  } else if (column.field.computed) plan.ignored.push(field);
  else {
    const last = maskedDigits(column, raw);
    if (last !== undefined) {
      plan.maskedNumbers.push({ column, field, last });
      return;
    }
    const value = parseValue(column.field, raw, field, ctx.options);
    const known = plan.values[column.valueName];
    if (column.field.kind === 'id')
      assertSentOnce(draft, { key: column.valueName, field, isSame: known === undefined || known === value });
    plan.values[column.valueName] = value;
  }
}

/** Returns the last four digits of a protected number that comes back masked, as answers show it. */
export function maskedDigits({ field }: Column, raw: RawValue): string | undefined {
  return field.kind === 'ssn' && typeof raw === 'string' ? /^\s*X{3}-X{2}-(\d{4})\s*$/i.exec(raw)?.[1] : undefined;
}

/** Parses `{X}SubscriberID`, which may replace `{X}ID`: a foreign key or the parent by external ID. */
function parseExternalIdReference(plan: SavePlan, { name, raw, field }: SaveParameter): boolean {
  const lower = name.toLowerCase();
  if (!lower.endsWith('subscriberid')) return false;
  const column = plan.record.columns.get(`${lower.slice(0, -'subscriberid'.length)}id`);
  if (column?.field.kind !== 'id') return false;
  if (raw !== null && typeof raw !== 'string') throw bad(field, 'the text of a SubscriberID');
  if (raw) plan.subscribers.set(column.valueName, raw);
  return true;
}

function parseCollectionMember(
  { plan, collections }: PlanDraft,
  { name, raw }: SaveParameter,
  ctx: SaveParse,
): boolean {
  const [, collectionName = '', index = '', memberName = ''] = /^([A-Za-z]+)_(\d{1,6})_(.+)$/s.exec(name) ?? [];
  const collection = ctx.registry.collections(plan.record).get(collectionName.toLowerCase());
  if (!collection) return false;
  const entry = collections.get(collection.name) ?? { collection, items: new Map<number, Record<string, RawValue>>() };
  collections.set(collection.name, entry);
  const members = entry.items.get(Number(index)) ?? emptyMembers();
  members[memberName] = raw;
  entry.items.set(Number(index), members);
  assertCollectionSize(ctx.prefix + collection.name, entry.items.size);
  return true;
}

/** Throws TOO_LARGE where a call sends more children of one collection, or of one kind, than a save takes. */
export function assertCollectionSize(field: string, size: number): void {
  if (size > COLLECTION_MAX)
    throw new PlatformError('TOO_LARGE', {
      field,
      message: `${field}: at most ${COLLECTION_MAX} are accepted in one call.`,
    });
}

/** Returns an object without a prototype: callers choose the names, and `__proto__` must be unknown like any other. */
function emptyMembers(): Record<string, RawValue> {
  return Object.create(null) as Record<string, RawValue>;
}

function parseLinkedMember({ plan, links }: PlanDraft, { name, raw }: SaveParameter, ctx: SaveParse): boolean {
  const at = name.indexOf('_');
  if (at < 1) return false;
  const column = linkColumn(plan.record, name.slice(0, at), ctx);
  if (!column) return false;
  const members = links.get(column.valueName) ?? emptyMembers();
  members[name.slice(at + 1)] = raw;
  links.set(column.valueName, members);
  return true;
}

function parseByFeature(draft: PlanDraft, parameter: SaveParameter, ctx: SaveParse): boolean {
  const features = ctx.registry.saveFeatures(draft.plan.record);
  return features.some((feature) => feature.parse?.(draft, parameter, ctx) === true);
}

function parseRestByFeature(draft: PlanDraft, parameter: SaveParameter, ctx: SaveParse): boolean {
  const features = ctx.registry.saveFeatures(draft.plan.record);
  return features.some((feature) => feature.parseRest?.(draft, parameter, ctx) === true);
}

function parseParentMember({ plan }: PlanDraft, { name, raw }: SaveParameter, ctx: SaveParse): boolean {
  const at = name.indexOf('_');
  if (at < 1 || plan.record.parent === undefined) return false;
  const record = ctx.registry.record(name.slice(0, at));
  if (!record) return false;
  const entry = plan.parent.get(record.name) ?? { record, raw: {} };
  plan.parent.set(record.name, { record, raw: { ...entry.raw, [name.slice(at + 1)]: raw } });
  return true;
}

function unknownName(record: RecordType, name: string, ctx: SaveParse): PlatformError {
  const columns = [...record.columns.values()]
    .filter((c) => !c.field.computed && (c.field.classification !== 'secret' || c.field.kind === 'ssn'))
    .map((c) => c.name);
  const features = ctx.registry.saveFeatures(record);
  const known = [...columns, ...features.flatMap((feature) => feature.parameterNames?.(record, ctx) ?? [])];
  const field = ctx.prefix + name;
  return new PlatformError('UNKNOWN_PARAMETER', {
    field,
    message:
      `${field}: ${record.name} has no such field, collection or linked record.${didYouMean(name, known)} ` +
      `Known fields: ${known.join(', ')}.`,
  });
}

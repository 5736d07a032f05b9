import { timeZone } from '../../declare/core-settings.ts';
import { nearest, PlatformError } from '../../door/errors.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import { bad, parseValue, type ParseOptions, type RawValue } from '../../parameters/parse-value.ts';
import type { Collection, Column, RecordType } from '../../declare/record.ts';
import type { Registry } from '../../declare/registry.ts';
import type { Settings } from '../../declare/setting.ts';
import { isAnswerName } from './answers.ts';
import { kindsOf, kindValues } from './one-of-kind.ts';
import { assertRuleSetNamed, ruleSetParameter, type RuleSetCall } from './rule-set.ts';

/** What a save is asked to do, taken apart from its flat parameters before anything is read or written. */
export interface SavePlan {
  readonly record: RecordType;
  /** The columns sent, by lower-cased declared name, with their parsed values; null empties a column. */
  readonly values: Map<string, unknown>;
  id?: number;
  subscriberId?: string;
  version?: number;
  templateName?: string;
  /** The rule set that is applied to the record once it is saved. */
  ruleSet?: RuleSetCall;
  /** Foreign keys given by an outside identifier: key name to SubscriberID. */
  readonly subscribers: Map<string, string>;
  /** Records to save first, whose ids become this record's foreign keys: key name (`PropertyID`) to plan. */
  readonly links: Map<string, SavePlan>;
  readonly collections: Map<string, { readonly collection: Collection; readonly items: readonly SavePlan[] }>;
  /** Answers to questions of a form, which are no columns, by their names as they were sent. */
  readonly answers: Map<string, string>;
  /** Whether answers that are sent as a whole document go into those that there are; by default they do. */
  mergeAnswers?: boolean;
  /** Columns of the parent record that the call changes too (`Process_Status`). */
  readonly parent: Map<string, { readonly record: RecordType; readonly raw: Parameters }>;
  /** Computed columns that were sent and are left alone. */
  readonly ignored: string[];
  /** Sent by its kind's name alone: where a parent has several of a kind, one with the same value is the same. */
  readonly isNamedByKind?: true;
}

/** What reading a save depends on. Without settings their defaults hold. */
export interface PlanOptions extends ParseOptions {
  readonly settings?: Settings;
}

/** The options of a call's saves. */
export function planOptions(ctx: { readonly settings: Settings }): PlanOptions {
  return { timeZone: ctx.settings.get(timeZone), settings: ctx.settings };
}

/** The most children of one collection that a call may send. */
const COLLECTION_MAX = 1_000;

interface PlanContext {
  readonly registry: Registry;
  readonly options: PlanOptions;
  readonly prefix: string;
}

/**
 * Reads a save's parameters by the prefix grammar: own class (`Contact_FirstName`), a collection (`Contacts_0_FirstName`), a
 * foreign key without ID (`Property_Address`), a kind of children (`Email`), the parent's class (`Process_Status`), in this order.
 * Unknown names are refused with the nearest known ones; nothing has been changed by then.
 */
export function planSave(
  registry: Registry,
  record: RecordType,
  parameters: Parameters,
  options: PlanOptions,
): SavePlan {
  return buildPlan(record, parameters, { registry, options, prefix: '' });
}

function emptyPlan(record: RecordType): SavePlan {
  return {
    record,
    values: new Map(),
    subscribers: new Map(),
    links: new Map(),
    collections: new Map(),
    answers: new Map(),
    parent: new Map(),
    ignored: [],
  };
}

function buildPlan(record: RecordType, parameters: Parameters, ctx: PlanContext): SavePlan {
  const plan = emptyPlan(record);
  const nested = {
    links: new Map<string, Record<string, RawValue>>(),
    collections: new Map<string, { collection: Collection; items: Map<number, Record<string, RawValue>> }>(),
  };
  const named: KindChildren[] = [];
  for (const name in parameters) {
    const raw = parameters[name] ?? null;
    const own = withoutOwnClass(record, name);
    if (parseOwnParameter(plan, own, raw, ctx)) continue;
    if (parseCollectionMember(record, own, raw, nested.collections, ctx)) continue;
    if (parseLinkedMember(record, own, raw, nested.links, ctx)) continue;
    if (parseKindParameter(record, own, raw, named, ctx)) continue;
    if (isEmpty(raw) && namesNested(record, own, ctx)) continue;
    if (parseParentMember(plan, own, raw, ctx)) continue;
    if (parseAnswer(plan, own, raw, ctx)) continue;
    throw unknownName(record, name, ctx);
  }
  assertRuleSetNamed(plan.ruleSet, ctx.prefix);
  for (const [key, members] of nested.links) {
    const target = ctx.registry.record(record.columns.get(key.toLowerCase())?.field.to ?? '');
    if (target)
      plan.links.set(key, buildPlan(target, members, { ...ctx, prefix: `${ctx.prefix}${key.slice(0, -2)}_` }));
  }
  for (const [name, { collection, items }] of nested.collections) {
    const child = ctx.registry.requireRecord(collection.record, name);
    const indexes = [...items.keys()].sort((a, b) => a - b);
    plan.collections.set(name, {
      collection,
      items: indexes.map((i) =>
        buildPlan(child, items.get(i) ?? {}, { ...ctx, prefix: `${ctx.prefix}${collection.name}_${i}_` }),
      ),
    });
  }
  for (const { collection, items } of named) {
    plan.collections.set(collection.name, {
      collection,
      items: [...(plan.collections.get(collection.name)?.items ?? []), ...items],
    });
  }
  return plan;
}

function withoutOwnClass(record: RecordType, name: string): string {
  for (let at: RecordType | undefined = record; at; at = at.base) {
    const prefix = `${at.name}_`;
    if (name.length > prefix.length && name.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase())
      return name.slice(prefix.length);
  }
  return name;
}

const isEmpty = (raw: RawValue): boolean => raw === null || raw === '' || (Array.isArray(raw) && raw.length === 0);

/** A collection or linked record that was sent without content (`<Contacts/>`, `"Contacts": []`) says nothing. */
function namesNested(record: RecordType, name: string, ctx: PlanContext): boolean {
  return ctx.registry.collections(record).has(name.toLowerCase()) || linkColumn(record, name, ctx) !== undefined;
}

/** The foreign key of a linked record's name, where its record type exists. */
function linkColumn(record: RecordType, name: string, ctx: PlanContext): Column | undefined {
  const column = record.columns.get(`${name.toLowerCase()}id`);
  const linked =
    column?.field.kind === 'id' &&
    column.field.to !== undefined &&
    !column.field.computed &&
    ctx.registry.record(column.field.to) !== undefined;
  return linked ? column : undefined;
}

/** The record's own columns, its identity in any of its spellings, and its template. */
function parseOwnParameter(plan: SavePlan, name: string, raw: RawValue, ctx: PlanContext): boolean {
  const { record } = plan;
  const lower = name.toLowerCase();
  const said = ctx.prefix + name;
  if (lower === 'id') return setId(plan, raw, said, ctx);
  // Of a type with such a column of its own it is that column.
  if ((lower === 'subscriberid' && !record.columns.has(lower)) || lower === `${record.table}subscriberid`) {
    const text = parseValue(
      { kind: 'text', classification: 'public', doc: '', max: 255, exact: true },
      raw,
      said,
      ctx.options,
    );
    if (typeof text === 'string') plan.subscriberId = text;
    return true;
  }
  if (
    record.template !== undefined &&
    (lower === 'template' || lower === record.template.toLowerCase() || lower === `${record.table}template`)
  ) {
    if (typeof raw === 'string' && raw !== '') plan.templateName = raw;
    return true;
  }
  const columnName =
    record.template !== undefined && lower === 'templateid' ? `${record.template.toLowerCase()}id` : lower;
  const column = record.columns.get(columnName);
  if (column) return setColumn(plan, column, columnName, raw, said, ctx);
  const ruleSet = ruleSetParameter(lower, raw, said, ctx.options);
  // Sent empty it asks for nothing.
  if (ruleSet && Object.keys(ruleSet).length > 0) plan.ruleSet = { ...plan.ruleSet, ...ruleSet };
  return ruleSet !== undefined || parseExternalId(plan, lower, raw, said);
}

function setId(plan: SavePlan, raw: RawValue, said: string, ctx: PlanContext): true {
  const id = parseValue({ kind: 'id', classification: 'public', doc: '' }, raw, said, ctx.options);
  if (typeof id === 'number') plan.id = id;
  return true;
}

function setColumn(plan: SavePlan, column: Column, key: string, raw: RawValue, said: string, ctx: PlanContext): true {
  if (column.column === `${plan.record.root.table}id` && column.table === plan.record.root.table)
    return setId(plan, raw, said, ctx);
  if (column.column === 'version') {
    const version = parseValue(column.field, raw, said, ctx.options);
    if (typeof version === 'number') plan.version = version;
    return true;
  }
  if (column.field.computed) plan.ignored.push(said);
  // A protected number that comes back as it was shown has not been changed.
  else if (!(column.field.kind === 'ssn' && typeof raw === 'string' && /^X{3}-X{2}-/i.test(raw))) {
    plan.values.set(canonicalKey(plan.record, column, key), parseValue(column.field, raw, said, ctx.options));
  }
  return true;
}

/** An alias (`Foreclosure` of `Process`) and its base's column are one key. */
function canonicalKey(record: RecordType, column: Column, key: string): string {
  for (const [name, other] of record.columns)
    if (other.table === column.table && other.column === column.column) return name;
  return key;
}

/** `{X}SubscriberID` stands wherever `{X}ID` can: for a foreign key or the parent. */
function parseExternalId(plan: SavePlan, lower: string, raw: RawValue, said: string): boolean {
  if (!lower.endsWith('subscriberid')) return false;
  const key = `${lower.slice(0, -'subscriberid'.length)}id`;
  const column = plan.record.columns.get(key);
  if (column?.field.kind !== 'id') return false;
  if (raw !== null && typeof raw !== 'string') throw bad(said, 'the text of a SubscriberID');
  if (raw) plan.subscribers.set(key, raw);
  return true;
}

function parseCollectionMember(
  record: RecordType,
  name: string,
  raw: RawValue,
  found: Map<string, { collection: Collection; items: Map<number, Record<string, RawValue>> }>,
  ctx: PlanContext,
): boolean {
  const match = /^([A-Za-z]+)_(\d{1,6})_(.+)$/s.exec(name);
  const collection = match ? ctx.registry.collections(record).get((match[1] ?? '').toLowerCase()) : undefined;
  if (!match || !collection) return false;
  const index = Number(match[2]);
  const entry = found.get(collection.name) ?? { collection, items: new Map<number, Record<string, RawValue>>() };
  found.set(collection.name, entry);
  const members = entry.items.get(index) ?? emptyMembers();
  members[match[3] ?? ''] = raw;
  entry.items.set(index, members);
  if (entry.items.size > COLLECTION_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: ctx.prefix + collection.name,
      message: `${ctx.prefix}${collection.name}: a call takes at most ${COLLECTION_MAX} of them.`,
    });
  return true;
}

/** Without a prototype, since callers choose the names: `__proto__` must be unknown like any other. */
function emptyMembers(): Record<string, RawValue> {
  return Object.create(null) as Record<string, RawValue>;
}

function parseLinkedMember(
  record: RecordType,
  name: string,
  raw: RawValue,
  links: Map<string, Record<string, RawValue>>,
  ctx: PlanContext,
): boolean {
  const at = name.indexOf('_');
  if (at < 1) return false;
  const column = linkColumn(record, name.slice(0, at), ctx);
  if (!column) return false;
  const members = links.get(column.name) ?? emptyMembers();
  members[name.slice(at + 1)] = raw;
  links.set(column.name, members);
  return true;
}

interface KindChildren {
  readonly collection: Collection;
  readonly items: readonly SavePlan[];
}

/** `Email=` of a contact: its method of that type. */
function parseKindParameter(
  record: RecordType,
  name: string,
  raw: RawValue,
  named: KindChildren[],
  ctx: PlanContext,
): boolean {
  const found = kindsOf(ctx.registry, record, ctx.options.settings).find(
    (kind) => kind.parameter.toLowerCase() === name.toLowerCase(),
  );
  if (!found) return false;
  const items = kindValues(found, raw, ctx.prefix + name, ctx.options).map((values): SavePlan => ({
    ...emptyPlan(found.child),
    values,
    isNamedByKind: true,
  }));
  if (items.length > COLLECTION_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: ctx.prefix + name,
      message: `${ctx.prefix}${name}: a call takes at most ${COLLECTION_MAX} of them.`,
    });
  named.push({ collection: found.collection, items });
  return true;
}

function parseParentMember(plan: SavePlan, name: string, raw: RawValue, ctx: PlanContext): boolean {
  const at = name.indexOf('_');
  if (at < 1 || plan.record.parent === undefined) return false;
  const record = ctx.registry.record(name.slice(0, at));
  if (!record) return false;
  const entry = plan.parent.get(record.name) ?? { record, raw: {} };
  plan.parent.set(record.name, { record, raw: { ...entry.raw, [name.slice(at + 1)]: raw } });
  return true;
}

/** What is no column of a record that keeps answers is one: as text, as it was sent. What is chosen several times is a list. */
function parseAnswer(plan: SavePlan, name: string, raw: RawValue, ctx: PlanContext): boolean {
  const { answers } = plan.record;
  if (answers === undefined) return false;
  if (name.toLowerCase() === `merge${answers.toLowerCase()}`) {
    const merge = parseValue(
      { kind: 'boolean', classification: 'public', doc: '' },
      raw,
      ctx.prefix + name,
      ctx.options,
    );
    if (typeof merge === 'boolean') plan.mergeAnswers = merge;
    return true;
  }
  if (!isAnswerName(name)) return false;
  const values = Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw];
  if (values.some((value) => typeof value === 'object' && value !== null))
    throw bad(ctx.prefix + name, 'the text of an answer, or a list of texts');
  const text = values.map((value) => String(value ?? '')).join('|');
  // XML cannot carry them, and what comes back would be something else.
  if (/[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text))
    throw bad(ctx.prefix + name, 'text without control characters');
  plan.answers.set(
    name,
    String(
      parseValue({ kind: 'text', classification: 'personal', doc: '' }, text, ctx.prefix + name, ctx.options) ?? '',
    ),
  );
  return true;
}

function unknownName(record: RecordType, name: string, ctx: PlanContext): PlatformError {
  const columns = [...record.columns.values()]
    .filter((c) => !c.field.computed && c.field.classification !== 'secret')
    .map((c) => c.name);
  const known = [...columns, ...kindsOf(ctx.registry, record, ctx.options.settings).map((kind) => kind.parameter)];
  const near = nearest(name, known);
  return new PlatformError('UNKNOWN_PARAMETER', {
    field: ctx.prefix + name,
    message: `${ctx.prefix}${name}: ${record.name} has no such field, collection or linked record.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} Known fields: ${known.join(', ')}.`,
  });
}

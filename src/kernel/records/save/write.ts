import type { Row } from '../../door/answer.ts';
import { rowAfter } from '../../ports/business-rules.ts';
import type { Context } from '../../door/context.ts';
import { CUSTOM_COLUMN } from '../../declare/custom-field.ts';
import { PlatformError } from '../../door/errors.ts';
import type { Parameters } from '../../parameters/parameters.ts';
import type { Change, Check } from '../../declare/reaction.ts';
import { isConfiguration, type Collection, type Column, type RecordType } from '../../declare/record.ts';
import { parseDecimal } from '../../parameters/parse-value.ts';
import { isA } from '../../declare/registry.ts';
import { storeSentAnswers } from './answers.ts';
import { changedColumns, filledColumns, hiddenSelectList } from './changed-columns.ts';
import { lockInstance, lockName } from '../../database/advisory-lock.ts';
import { trackWrite } from './conflict.ts';
import { findOfKind, clearsOnlyChild } from './one-of-kind.ts';
import { type SavePlan, planOptions, planSave } from './plan.ts';
import { omitEqualNumbers, protect } from './protect.ts';
import { deleteExternalIdsAndLinks } from '../search/links.ts';
import { concreteClass, isClosed, notFound, reachAll, readRecord } from '../search/read.ts';
import { applyRuleSet } from './rule-set.ts';
import { fromOf, hasRecordClass, idOf, insertText, selectListOf, updateText } from '../../database/sql.ts';
import { activeCondition } from './final-status.ts';
import { findByExternalId, requireByExternalId, addExternalId, externalIdView } from './external-id.ts';
import { findTemplate, templateById, type Template } from './template.ts';

/** What a save may do: `save` decides by the identity that was sent. */
export type SaveMode = 'save' | 'insert' | 'update';

/**
 * A saved record, as stored, and what was done to it; `none` where a template's instance was selected and nothing sent to change.
 * `record` is its concrete type; `row` has the columns of the type that it was saved as.
 */
export interface SavedRecord {
  readonly record: RecordType;
  readonly row: Row;
  readonly id: number;
  readonly change: Change | 'none';
}

/** What a caller that has just made the parent knows: it exists and is reached, so it is not looked up again. */
export interface KnownParent {
  readonly record: RecordType;
  readonly id: number;
}

/** Saves what a plan says, with its linked records before and its children after it, in the call's transaction. */
export async function saveRecord(
  ctx: Context,
  plan: SavePlan,
  mode: SaveMode,
  known?: KnownParent,
): Promise<SavedRecord> {
  for (const name of plan.ignored)
    ctx.alert({ code: 'COMPUTED_FIELD', text: `${name} is computed by the platform; the value sent was left aside.` });
  const { record } = plan;
  for (const [key, subscriberId] of plan.subscribers) await resolveExternalId(ctx, plan, key, subscriberId);
  const parent = await resolveParent(ctx, plan, known);
  let id =
    plan.id ??
    (plan.subscriberId === undefined ? undefined : await findOrLockExternalId(ctx, record, plan.subscriberId));
  if (mode === 'update' && id === undefined)
    throw plan.subscriberId === undefined ? missingIdentity(record) : notFound(record, plan.subscriberId);
  if (mode === 'insert' && id !== undefined)
    throw new PlatformError('DUPLICATE_KEY', {
      field: plan.id === undefined ? 'SubscriberID' : 'ID',
      message: `${record.name} ${id} exists already; insert makes new records only.`,
    });
  const ofKind = id === undefined ? await findOfKind(ctx, plan) : undefined;
  if (ofKind?.isCleared ?? (id !== undefined && clearsOnlyChild(ctx, plan)))
    return removeAll(ctx, record, ofKind?.ids ?? [Number(id)]);
  id ??= ofKind?.ids[0];
  if (mode === 'insert' && id !== undefined)
    throw new PlatformError('DUPLICATE_KEY', {
      field: record.oneOfKind?.kind ?? 'ID',
      message: `${record.oneOfKind?.kind ?? 'ID'}: there is one already, ${record.name} ${id}; insert makes new records only.`,
      details: { Object: record.name, ObjectID: id },
    });
  const template = await resolveTemplate(ctx, plan, parent?.record.name);
  if (id === undefined && template) id = await existingInstance(ctx, record, template, parent);
  if (id === undefined && template && record.labelFromTemplate && !plan.values.has(record.root.table))
    plan.values.set(record.root.table, template.name);
  const selected = id !== undefined && plan.id === undefined && plan.subscriberId === undefined && ofKind === undefined;
  const saved = await saveOwnRow(ctx, plan, id, selected);
  await saveCollections(ctx, plan, saved);
  for (const [, { record: of, raw }] of plan.parent) await saveParent(ctx, of, raw, saved);
  if (!plan.ruleSet) return saved;
  await applyRuleSet(ctx, record, saved.id, plan.ruleSet);
  return { ...saved, row: await readRecord(ctx.db, record, saved.id) };
}

/** Removes what a save emptied, and answers the last of it as it was; nothing where there was none. */
async function removeAll(ctx: Context, record: RecordType, ids: readonly number[]): Promise<SavedRecord> {
  let removed: SavedRecord = { record, row: {}, id: 0, change: 'none' };
  for (const id of ids) removed = { record, row: await deleteRow(ctx, record, id), id, change: 'delete' };
  return removed;
}

/**
 * Checks beforehand what a save will need where it comes later, in a call of its own: the record, the parent and whatever
 * outside identifiers name are within reach, and the template exists. Nothing is changed, and the save checks again.
 */
export async function assertSaveResolvable(ctx: Context, plan: SavePlan): Promise<void> {
  for (const [key, subscriberId] of plan.subscribers) await resolveExternalId(ctx, plan, key, subscriberId);
  const parent = await resolveParent(ctx, plan, undefined);
  await resolveTemplate(ctx, plan, parent?.record.name);
  if (plan.id !== undefined) await reachAll(ctx, plan.record, [plan.id]);
}

/** Two calls that bring the same new identifier at one moment: the second waits for the first and then finds its record. */
async function findOrLockExternalId(
  ctx: Context,
  record: RecordType,
  subscriberId: string,
): Promise<number | undefined> {
  const found = await findByExternalId(ctx, record, subscriberId);
  if (found !== undefined) return found;
  await lockName(ctx, `subscriber ${record.root.table} ${externalIdView(ctx)} ${subscriberId}`);
  return findByExternalId(ctx, record, subscriberId);
}

/** The type whose checks, label and reactions apply to a stored record: a contact that is an organization is changed as one. */
export async function concreteTypeOf(ctx: Context, record: RecordType, id: number): Promise<RecordType> {
  if (!hasRecordClass(record.root)) return record;
  const concrete = await concreteClass(ctx, ctx.db, record.root, id);
  if (!isA(concrete, record)) throw notFound(record, id);
  return concrete;
}

/** A row of a concrete type with the column names of the type that was asked for: Foreclosure as Process. */
function rowAs(row: Row, concrete: RecordType, record: RecordType): Row {
  if (concrete === record) return row;
  const names = new Map(concrete.shown.map((c) => [`${c.table}.${c.column}`, c.name]));
  return Object.fromEntries(record.shown.map((c) => [c.name, row[names.get(`${c.table}.${c.column}`) ?? c.name]]));
}

async function saveOwnRow(
  ctx: Context,
  plan: SavePlan,
  id: number | undefined,
  selected: boolean,
): Promise<SavedRecord> {
  const record = id === undefined ? plan.record : await concreteTypeOf(ctx, plan.record, id);
  // What derives from a type with parents without saying so itself, such as an organization, has none.
  if (record.parent === undefined && record.root.parent !== undefined)
    for (const key of ['object', 'objectid']) plan.values.delete(key);
  await saveLinks(ctx, plan, id);
  if (record.answers !== undefined) await storeSentAnswers(ctx, plan, id);
  const checks = await applicableChecks(ctx, record, plan.values, id);
  // Checks look at the stored record; one that is not there is told as such, not as what they miss.
  if (id !== undefined && checks.length > 0) await reachAll(ctx, record, [id]);
  for (const check of checks) await check.run(ctx, record, plan.values, id, plan);
  const changed = new Set(plan.values.keys());
  if (id === undefined) {
    await enforceBusinessRules(ctx, record, undefined, plan.values);
    const row = await insertRow(ctx, record, plan.values);
    const newId = Number(row[record.idField]);
    ctx.reached.add(`${record.name}:${newId}`).add(`new ${record.name}:${newId}`);
    ctx.writeCounts.inserted++;
    if (plan.subscriberId !== undefined) await addExternalId(ctx, record, newId, plan.subscriberId);
    const after = await runReactions(ctx, record, row, 'insert', changed);
    return { record, row: after ?? (await readRecord(ctx.db, record, newId)), id: newId, change: 'insert' };
  }
  if (plan.subscriberId !== undefined) await bindExternalId(ctx, record, id, plan.subscriberId);
  const bound = selected
    ? new Set(['object', 'objectid', `${String(record.template).toLowerCase()}id`])
    : new Set<string>();
  const writes = [...plan.values.keys()].filter((k) => !bound.has(k));
  if (writes.length === 0 && plan.version === undefined)
    return { record, row: await readRecord(ctx.db, plan.record, id), id, change: 'none' };
  const written = new Map(writes.map((k) => [k, plan.values.get(k)]));
  await enforceBusinessRules(ctx, record, id, written);
  const row = await updateRow(ctx, record, id, written, plan.version);
  ctx.writeCounts.updated++;
  await runReactions(ctx, record, row, 'update', changed);
  return { record, row: rowAs(row, record, plan.record), id, change: 'update' };
}

/** The checks that have anything to look at. */
async function applicableChecks(
  ctx: Context,
  record: RecordType,
  values: ReadonlyMap<string, unknown>,
  id: number | undefined,
): Promise<readonly Check[]> {
  const checks = ctx.registry.checks(record);
  if (!checks.some(({ applies }) => applies)) return checks;
  const found: Check[] = [];
  for (const check of checks) if (!check.applies || (await check.applies(ctx, values, id))) found.push(check);
  return found;
}

/** Asks the business rules before a record is stored, once its values are what they will be. The row is locked, so that they see what is changed. */
export async function enforceBusinessRules(
  ctx: Context,
  of: RecordType,
  id: number | undefined,
  values: ReadonlyMap<string, unknown>,
): Promise<void> {
  const operation = id === undefined ? 'Insert' : 'Update';
  if (!(await ctx.businessRules.applies(of, operation))) return;
  const before = id === undefined ? undefined : await lockRecord(ctx, of, id);
  await ctx.businessRules.enforce(ctx, {
    operation,
    of,
    ...(before ? { before } : {}),
    after: rowAfter(of, before, values),
  });
}

/** An existing record that is sent with a new identifier is tied to it. */
async function bindExternalId(ctx: Context, record: RecordType, id: number, subscriberId: string): Promise<void> {
  const bound = await findByExternalId(ctx, record, subscriberId);
  if (bound === undefined) await addExternalId(ctx, record, id, subscriberId);
  else if (bound !== id)
    throw new PlatformError('DUPLICATE_KEY', {
      field: 'SubscriberID',
      message: `SubscriberID: another ${record.name} has this identifier.`,
    });
}

/** Runs the reactions to a change of a record; answers the record as it then is, or undefined where that is not known. */
async function runReactions(
  ctx: Context,
  record: RecordType,
  row: Row,
  change: Change,
  changed: ReadonlySet<string>,
): Promise<Row | undefined> {
  let known: Row | undefined = row;
  for (const reaction of ctx.registry.reactions(record)) {
    if (!reaction.after.includes(change)) continue;
    const after = await reaction.run(ctx, row, change, changed);
    // Of two that change it neither knows what the other has made of it.
    if (reaction.changesRow) known = known === row ? (after ?? undefined) : undefined;
  }
  return known;
}

/** Runs the reactions to a record that was inserted; `changed` names the columns that were sent. */
export async function reactToInsert(
  ctx: Context,
  record: RecordType,
  row: Row,
  changed: ReadonlySet<string>,
): Promise<void> {
  await runReactions(ctx, record, row, 'insert', changed);
}

/** Runs the reactions to a change of a whole record: one that was deleted (`row` as it was) or brought back. */
export async function reactToChange(
  ctx: Context,
  record: RecordType,
  row: Row,
  change: 'insert' | 'delete',
): Promise<void> {
  await runReactions(ctx, record, row, change, new Set());
}

function missingIdentity(record: RecordType): PlatformError {
  return new PlatformError('MISSING_PARAMETER', {
    field: 'ID',
    message: `ID: an update names its ${record.name} by ID or by a known SubscriberID.`,
  });
}

async function resolveExternalId(ctx: Context, plan: SavePlan, key: string, subscriberId: string): Promise<void> {
  const column = plan.record.columns.get(key);
  const said = `${column?.name.slice(0, -2) ?? key}SubscriberID`;
  const className = column?.field.to ?? plan.values.get(key.slice(0, -'id'.length));
  const classField = plan.record.columns.get(key.slice(0, -'id'.length))?.name ?? 'Object';
  if (typeof className !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: classField,
      message: `${said} needs ${classField}, the record type that it identifies.`,
    });
  plan.values.set(
    key,
    await requireByExternalId(ctx, ctx.registry.requireRecord(className, classField), subscriberId, said),
  );
}

/** The parent by Object and ObjectID, or by the route; it must be within reach, and its concrete class is what is stored. */
async function resolveParent(
  ctx: Context,
  plan: SavePlan,
  known: KnownParent | undefined,
): Promise<KnownParent | undefined> {
  if (plan.record.parent === undefined) return undefined;
  if (known) {
    plan.values.set('object', known.record.name).set('objectid', known.id);
    return known;
  }
  const className = plan.values.get('object');
  const id = plan.values.get('objectid');
  if (className === undefined && id === undefined) return undefined;
  if (className === null && id === null) return undefined;
  if (typeof className !== 'string')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'Object',
      message: 'Object: ObjectID needs Object, the record type of the parent.',
    });
  if (typeof id !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ObjectID',
      message: 'ObjectID: Object needs ObjectID, the id of the parent.',
    });
  const named = ctx.registry.requireRecord(className, 'Object');
  if (ctx.reached.has(`${named.name}:${id}`)) {
    plan.values.set('object', named.name);
    return { record: named, id };
  }
  const record = await concreteClass(ctx, ctx.db, named, id);
  if (record === named) await assertReachable(ctx, record, id);
  plan.values.set('object', record.name);
  return { record, id };
}

async function assertReachable(ctx: Context, record: RecordType, id: number): Promise<void> {
  const rows = isClosed(ctx, record)
    ? []
    : await ctx.db.query(`select 1 from ${fromOf(record)} where ${idOf(record)} = $1::bigint`, [id]);
  if (rows.length === 0)
    throw new PlatformError('NOT_FOUND', {
      field: 'ObjectID',
      message: `ObjectID: there is no ${record.name} ${id} within reach.`,
    });
}

async function resolveTemplate(
  ctx: Context,
  plan: SavePlan,
  parentClass: string | undefined,
): Promise<Template | undefined> {
  if (plan.record.template === undefined) return undefined;
  const of = ctx.registry.record(plan.record.template);
  const key = `${plan.record.template.toLowerCase()}id`;
  const id = plan.values.get(key);
  // A template type of a later module: the id is kept as it was sent.
  if (!of) return undefined;
  if (plan.templateName !== undefined) {
    const template = await findTemplate(ctx, of, plan.templateName, parentClass, 'Template');
    plan.values.set(key, template.id);
    return template;
  }
  return typeof id === 'number' ? templateById(ctx, of, id, `${plan.record.template}ID`) : undefined;
}

/** With Repeatable One the parent's instance is used again, with OneActive while it is not final. */
async function existingInstance(
  ctx: Context,
  record: RecordType,
  template: Template,
  parent: KnownParent | undefined,
): Promise<number | undefined> {
  const repeatable = (template.repeatable ?? 'Many').toLowerCase();
  if (repeatable === 'many' || !parent) return undefined;
  // Nobody else sees a parent that this transaction has made; what it made below it, it has noted.
  const instance = `instance ${record.root.table} ${template.id} ${parent.record.name}:${parent.id}`;
  if (ctx.reached.has(`new ${parent.record.name}:${parent.id}`) && !ctx.reached.has(instance)) {
    ctx.reached.add(instance);
    return undefined;
  }
  await lockInstance(ctx, record.root.table, template.id, { object: parent.record.name, id: parent.id });
  const active = repeatable === 'oneactive' ? ` and ${activeCondition(record)}` : '';
  const templateKey = `${String(record.template).toLowerCase()}id`;
  const [row] = await ctx.db.query<{ id: number }>(
    `select ${idOf(record)} as id from ${fromOf(record)} where ${record.root.table}.object = $1::text and ${record.root.table}.objectid = $2::bigint and ${record.root.table}.${templateKey} = $3::bigint${active} order by 1 desc limit 1`,
    [parent.record.name, parent.id, template.id],
  );
  return row?.id;
}

/** Saves the records that foreign keys point to, before the record itself: an existing one is changed, a missing one made. */
async function saveLinks(ctx: Context, plan: SavePlan, id: number | undefined): Promise<void> {
  for (const [key, link] of plan.links) {
    const column = plan.record.columns.get(key.toLowerCase());
    if (!column) continue;
    const sent = plan.values.get(key.toLowerCase());
    if (link.id === undefined && typeof sent === 'number') link.id = sent;
    if (link.id === undefined && id !== undefined) {
      const [row] = await ctx.db.query<{ id: number | null }>(
        `select ${column.table}.${column.column} as id from ${fromOf(plan.record)} where ${idOf(plan.record)} = $1::bigint`,
        [id],
      );
      if (typeof row?.id === 'number') link.id = row.id;
    }
    const saved = await saveRecord(ctx, link, 'save');
    plan.values.set(key.toLowerCase(), saved.id);
  }
}

async function saveCollections(ctx: Context, plan: SavePlan, saved: SavedRecord): Promise<void> {
  for (const [, { collection, items }] of plan.collections) {
    for (const child of items) await saveChild(ctx, collection, child, { record: saved.record, id: saved.id });
  }
}

/** Saves one child below a parent: the one with its id or key where there is one, else a new one. */
async function saveChild(
  ctx: Context,
  collection: Collection,
  child: SavePlan,
  parent: KnownParent,
): Promise<SavedRecord> {
  if (collection.by !== 'Object') child.values.set(collection.by.toLowerCase(), parent.id);
  if (child.id !== undefined) await assertChildOf(ctx, collection, child, parent);
  else if (collection.key !== undefined) {
    const found = await childByKey(ctx, collection, child, parent);
    if (found !== undefined) child.id = found;
  }
  return saveRecord(ctx, child, 'save', collection.by === 'Object' ? parent : undefined);
}

function childCondition(
  collection: Collection,
  child: RecordType,
  parent: KnownParent,
): { readonly text: string; readonly params: readonly unknown[] } {
  const { table } = child.root;
  if (collection.by === 'Object')
    return {
      text: `${table}.object = $1::text and ${table}.objectid = $2::bigint`,
      params: [parent.record.name, parent.id],
    };
  return {
    text: `${table}.${collection.by.toLowerCase()} = $2::bigint and $1::text is not null`,
    params: [parent.record.name, parent.id],
  };
}

async function assertChildOf(
  ctx: Context,
  collection: Collection,
  child: SavePlan,
  parent: KnownParent,
): Promise<void> {
  const condition = childCondition(collection, child.record, parent);
  const rows = await ctx.db.query(
    `select 1 from ${fromOf(child.record)} where ${condition.text} and ${idOf(child.record)} = $3::bigint`,
    [...condition.params, child.id],
  );
  if (rows.length === 0) throw notFound(child.record, child.id ?? 0);
}

/** The child whose key is the one that was sent; a column of it that was not sent is its default, one alone that is empty says nothing. */
async function childByKey(
  ctx: Context,
  collection: Collection,
  child: SavePlan,
  parent: KnownParent,
): Promise<number | undefined> {
  const columns = (collection.key ?? []).flatMap((name) => child.record.columns.get(name.toLowerCase()) ?? []);
  const values = columns.map((column) => child.values.get(column.name.toLowerCase()) ?? column.field.default ?? null);
  if (columns.length === 0 || values[0] === null) return undefined;
  const condition = childCondition(collection, child.record, parent);
  const equal = columns.map(
    (column, at) =>
      `${column.table}.${column.column} ${values[at] === null ? 'is null' : `= $${3 + values.slice(0, at).filter((value) => value !== null).length}`}`,
  );
  const find = async (): Promise<number | undefined> => {
    const [row] = await ctx.db.query<{ id: number }>(
      `select ${idOf(child.record)} as id from ${fromOf(child.record)} where ${condition.text} and ${equal.join(' and ')} order by 1 limit 1`,
      [...condition.params, ...values.filter((value) => value !== null)],
    );
    return row?.id;
  };
  const found = await find();
  if (found !== undefined) return found;
  await lockName(
    ctx,
    `child ${child.record.root.table} ${parent.record.root.table} ${parent.id} ${values.map(String).join(' ')}`,
  );
  return find();
}

/** `Process_Status` on a child's save: the parent's columns are changed with it, where the parent is of the named class. */
async function saveParent(ctx: Context, of: RecordType, raw: Parameters, saved: SavedRecord): Promise<void> {
  const className = saved.row['Object'];
  const id = saved.row['ObjectID'];
  const parent = typeof className === 'string' ? ctx.registry.record(className) : undefined;
  if (!parent || typeof id !== 'number' || !isA(parent, of)) {
    throw new PlatformError('BAD_PARAMETER', {
      field: `${of.name}_${Object.keys(raw)[0] ?? ''}`,
      message: `${of.name}_: the record's parent is no ${of.name}.`,
    });
  }
  const plan = planSave(ctx.registry, parent, raw, planOptions(ctx));
  plan.id = id;
  await saveRecord(ctx, plan, 'update');
}

/** Physical values by `table.column`, from declared names: protected numbers are sealed on the way. */
function storedValues(ctx: Context, record: RecordType, values: ReadonlyMap<string, unknown>): Map<string, unknown> {
  const stored = new Map<string, unknown>();
  const custom: Record<string, unknown> = {};
  for (const [name, value] of values) {
    const column = record.columns.get(name);
    if (!column) throw new Error(`${record.name} has no column ${name}`);
    if (column.custom) custom[column.custom.member] = value;
    else if (column.field.kind === 'ssn')
      for (const [key, v] of protect(ctx.cipher, column, value as string | null)) stored.set(key, v);
    else
      stored.set(
        `${column.table}.${column.column}`,
        column.field.kind === 'json' && value !== null ? JSON.stringify(value) : value,
      );
  }
  if (Object.keys(custom).length > 0) stored.set(`${record.root.table}.${CUSTOM_COLUMN}`, JSON.stringify(custom));
  return stored;
}

/** Inserts one row with the columns given (by lower-cased name), its label made where the record type makes it; answers it as stored. */
export async function insertRow(ctx: Context, record: RecordType, values: ReadonlyMap<string, unknown>): Promise<Row> {
  const { text, keys } = insertText(record);
  const stored = storedForInsert(ctx, record, values);
  const [row] = await trackWrite({ record, ids: [], stored }, () =>
    ctx.db.query(
      text,
      keys.map((k) => stored.get(k) ?? null),
    ),
  );
  if (!row) throw new Error(`${record.name} was inserted but not answered`);
  if (isConfiguration(record)) ctx.configurationChanged();
  await publishInserts(ctx, record, [row]);
  return row;
}

/** Of declared columns the database says it; custom fields have no column of their own. */
function requireCustomValue({ name, field }: Column): void {
  if (field.required)
    throw new PlatformError('MISSING_PARAMETER', {
      field: name,
      message:
        field.doc === '' || field.doc === `${name}.` ? `${name} is required.` : `${name} is required: ${field.doc}`,
    });
}

/** Tells who listens outside of new rows. */
export async function publishInserts(ctx: Context, record: RecordType, rows: readonly Row[]): Promise<void> {
  if (await ctx.recordEvents.hasSubscribers(ctx, record, 'insert'))
    await ctx.recordEvents.publish(
      ctx,
      record,
      'insert',
      rows.map((row) => ({ row, changed: filledColumns(record, row) })),
    );
}

/** The physical values of a new row by `table.column`: label, defaults and tracking columns included. */
export function storedForInsert(
  ctx: Context,
  record: RecordType,
  values: ReadonlyMap<string, unknown>,
): Map<string, unknown> {
  const all = new Map(values);
  deriveLabel(record, all, {});
  for (const column of record.columns.values()) {
    if (column.field.default !== undefined && !all.has(column.name.toLowerCase()))
      all.set(column.name.toLowerCase(), column.field.default);
    if (!column.custom || (all.get(column.name.toLowerCase()) ?? null) !== null) continue;
    // An empty member is no member; of an update it takes the old one away.
    all.delete(column.name.toLowerCase());
    requireCustomValue(column);
  }
  const stored = storedValues(ctx, record, all);
  const { table } = record.root;
  const now = ctx.clock.now();
  return stored
    .set(`${table}.createddate`, now)
    .set(`${table}.createdpersonid`, ctx.user.personId)
    .set(`${table}.updateddate`, now)
    .set(`${table}.updatedpersonid`, ctx.user.personId)
    .set(`${table}.version`, 1);
}

/** Changes the columns given of one row; an older `version` than the row's is refused with the fields that differ. */
export async function updateRow(
  ctx: Context,
  record: RecordType,
  id: number,
  values: ReadonlyMap<string, unknown>,
  version?: number,
): Promise<Row> {
  const all = new Map(values);
  for (const [name, value] of all) {
    const column = value === null ? record.columns.get(name) : undefined;
    if (column?.custom) requireCustomValue(column);
  }
  const isHeard = await ctx.recordEvents.hasSubscribers(ctx, record, 'update');
  const isRelabeled = record.label !== undefined && record.label.from.some((name) => all.has(name.toLowerCase()));
  const before =
    isHeard || isRelabeled ? await lockRecord(ctx, record, id, isHeard ? hiddenSelectList(record) : '') : {};
  if (isRelabeled) deriveLabel(record, all, before);
  await omitEqualNumbers(ctx, record, id, all);
  const stored = storedValues(ctx, record, all);
  const keys = [...stored.keys()].sort();
  const [row] = await trackWrite({ record, ids: [id], stored }, () =>
    ctx.db.query(updateText(record, keys), [
      id,
      version ?? null,
      ctx.user.personId,
      ctx.clock.now(),
      ...keys.map((k) => stored.get(k) ?? null),
    ]),
  );
  if (row) {
    if (isConfiguration(record)) ctx.configurationChanged();
    const changed = isHeard ? changedColumns(record, before, row, stored) : [];
    // A save of what stands already is no event.
    if (changed.length > 0) await ctx.recordEvents.publish(ctx, record, 'update', [{ row, changed }]);
    return row;
  }
  const current = await readRecord(ctx.db, record, id);
  throw versionConflict(record, current, all, version);
}

/**
 * One row, locked until the transaction ends: what is computed from several columns must see all of their changes. `more`
 * goes on with the select list.
 */
export async function lockRecord(ctx: Context, record: RecordType, id: number, more = ''): Promise<Row> {
  const [row] = await ctx.db.query(
    `select ${selectListOf(record)}${more} from ${fromOf(record)} where ${idOf(record)} = $1::bigint for update of ${record.root.table}`,
    [id],
  );
  if (!row) throw notFound(record, id);
  return row;
}

/** Whether a column would change; amounts are the same whatever their trailing zeros. Protected numbers are not compared. */
export function differs(column: Column, current: unknown, sent: unknown): boolean {
  if (column.read === null || column.field.kind === 'ssn') return false;
  const canonical = (value: unknown): string => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return column.field.kind === 'money' || column.field.kind === 'decimal'
      ? parseDecimal(text, column.name, 18)
      : text;
  };
  const [before, after] = [current ?? null, sent ?? null];
  return before === null || after === null ? before !== after : canonical(before) !== canonical(after);
}

/** The refusal of a change to an older version than the record's, with the fields in which it would differ. */
export function versionConflict(
  record: RecordType,
  current: Row,
  values: ReadonlyMap<string, unknown>,
  version: number | undefined,
): PlatformError {
  const shown = new Map(record.shown.map((c) => [`${c.table}.${c.column}`, c]));
  const differing = [...values].flatMap(([name, value]) => {
    const stored = record.columns.get(name);
    const column = stored && shown.get(`${stored.table}.${stored.column}`);
    return column && differs(column, current[column.name], value) ? [column.name] : [];
  });
  return new PlatformError('VERSION_CONFLICT', {
    field: 'Version',
    message: `${record.name} ${String(current[record.idField])} is at version ${String(current['Version'])}, not ${version}. Read it again and repeat the change.`,
    details: { Version: current['Version'], Fields: differing },
  });
}

function deriveLabel(record: RecordType, values: Map<string, unknown>, before: Row): void {
  const { label, root } = record;
  if (!label) return;
  const row: Record<string, unknown> = {};
  for (const name of label.from)
    row[name] = values.has(name.toLowerCase()) ? values.get(name.toLowerCase()) : before[name];
  const made = label.by(row);
  values.set(root.table, made === null ? null : [...made].slice(0, 255).join(''));
}

/** Deletes one row and answers it as it was, with the columns of `record`; its history keeps it whole. */
export async function deleteRow(ctx: Context, record: RecordType, id: number, version?: number): Promise<Row> {
  const concrete = await concreteTypeOf(ctx, record, id);
  const row = await lockRecord(ctx, concrete, id);
  if (version !== undefined && row['Version'] !== version) throw versionConflict(record, row, new Map(), version);
  if (await ctx.businessRules.applies(concrete, 'Delete'))
    await ctx.businessRules.enforce(ctx, { operation: 'Delete', of: concrete, before: row, after: row });
  if (await ctx.recordEvents.hasSubscribers(ctx, concrete, 'delete'))
    await ctx.recordEvents.publish(ctx, concrete, 'delete', [{ row, changed: [] }]);
  for (let at: RecordType | undefined = concrete; at; at = at.base)
    await trackWrite({ record: concrete, ids: [id] }, () =>
      ctx.db.query(`delete from ${at.table} where ${at.table}id = $1::bigint`, [id]),
    );
  if (isConfiguration(concrete)) ctx.configurationChanged();
  await deleteExternalIdsAndLinks(ctx, concrete, [id]);
  await reactToChange(ctx, concrete, row, 'delete');
  return rowAs(row, concrete, record);
}

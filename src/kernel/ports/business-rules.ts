import { shapeOf, type Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import { PlatformError } from '../door/errors.ts';
import type { Field } from '../declare/field-types.ts';
import { ownParameter } from '../declare/named-parameters.ts';
import type { Operation } from '../declare/operation.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Column, RecordType } from '../declare/record.ts';
import { concreteClass, readRecord } from '../records/search/read.ts';
import { hasRecordClass } from '../database/sql.ts';
import type { Registry } from '../declare/registry.ts';
import type { Values } from '../declare/values.ts';
import { rowXml } from '../render/xml.ts';
import { today } from '../time/today.ts';
import { escapeAttribute, escapeText, parseXml } from '../xml/element.ts';

/** What is about to happen: a change of a record, or a call of another operation. */
export interface RuleEvent {
  /** `Insert`, `Update` or `Delete` of a record, else the operation's name. */
  readonly operation: string;
  /** The concrete record type; the module's name if the operation works on none. */
  readonly of: RecordType | string;
  /** The record before the change; undefined for an insert. */
  readonly before?: Row;
  /** The record after the change; for other calls, the record as it is. */
  readonly after?: Row;
}

/** Alert code of a rule's warning. */
export const RULE_WARNING = 'RULE_WARNING';

/** The port to business rules, which an installation configures and the platform evaluates before any change. */
export interface BusinessRules {
  /** Whether any rule applies. Reads only the cache if there is none. */
  applies(of: RecordType | string, operation: string): Promise<boolean>;
  /**
   * Evaluates all rules that apply; warnings become alerts.
   * @throws RULE_EXCEPTION with all objections, RULE_FAILED if a rule cannot be run, UNAVAILABLE if none can be run at
   * the moment
   */
  enforce(ctx: Context, event: RuleEvent): Promise<void>;
}

/** Record changes, whose rules are enforced where records are stored, whatever operation stores them. */
const stored = new Set(['save', 'insert', 'update', 'delete']);
/** Most records that one call with business rules may name; the rules are evaluated for each. */
const CALL_RECORDS_MAX = 100;

/**
 * Enforces the business rules of a call other than a save: a named operation, a saved statement, a service.
 * @throws RULE_EXCEPTION, RULE_FAILED, UNAVAILABLE, or BAD_PARAMETER if it names too many records
 */
export async function enforceCallRules(
  ctx: Context,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (operation.record && stored.has(operation.name.toLowerCase())) return;
  const of = operation.record ?? operation.module;
  if (!(await ctx.businessRules.applies(of, operation.name))) return;
  const parameter = ownParameter(operation);
  const named = parameter === undefined ? undefined : params[parameter];
  const ids = (Array.isArray(named) ? named : [named]).filter((id) => typeof id === 'number');
  if (ids.length > CALL_RECORDS_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: parameter ?? 'ID',
      message:
        `${parameter}: business rules look at each record of ${operation.permissionName}; send at ` +
        `most ${CALL_RECORDS_MAX} at once.`,
    });
  if (!operation.record || ids.length === 0) return ctx.businessRules.enforce(ctx, { operation: operation.name, of });
  for (const id of ids)
    await ctx.businessRules.enforce(ctx, {
      operation: operation.name,
      ...(readByDoor(ctx, parameter, id) ?? (await currentRecord(ctx, operation.record, id))),
    });
}

/** Returns a record as the door has read it; undefined if it has not, or if the concrete type is not known then. */
function readByDoor(
  ctx: Pick<Context, 'named'>,
  parameter: string | undefined,
  id: number,
): Pick<RuleEvent, 'of' | 'after'> | undefined {
  const read = parameter === undefined ? undefined : ctx.named.get(parameter);
  if (!read || (read.record.base === undefined && hasRecordClass(read.record))) return undefined;
  const row = read.rows.find((each) => each[read.record.idField] === id);
  return row && { of: read.record, after: row };
}

/** Returns a record as it is. If it does not exist or is not reached, the operation reports that. */
async function currentRecord(ctx: Context, record: RecordType, id: number): Promise<Pick<RuleEvent, 'of' | 'after'>> {
  try {
    const concrete = hasRecordClass(record.root) ? await concreteClass(ctx, ctx.db, record.root, id) : record;
    return { of: concrete, after: await readRecord(ctx.db, concrete, id) };
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return { of: record };
    throw error;
  }
}

/** Returns a record as it would be with these values, with defaults and label applied as in a save. */
export function rowAfter<R extends RecordType>(record: R, before: Row | undefined, values: Readonly<Values<R>>): Row {
  const row: Record<string, unknown> = { ...before };
  const shown = shownColumns(record);
  const put = (column: Column | undefined, value: unknown): void => {
    if (!column) return;
    const last = column.field.kind === 'ssn' && typeof value === 'string' ? value.slice(-4) : null;
    for (const { name } of shown.get(physicalColumn(column)) ?? [])
      row[name] = last === null ? value : `XXX-XX-${last}`;
    if (column.field.kind === 'ssn') put(record.valueColumns.get(String(column.field.last)), last);
  };
  if (!before)
    for (const column of record.valueColumns.values())
      if (column.field.default !== undefined) put(column, column.field.default);
  for (const name in values) put(record.valueColumns.get(name), values[name]);
  if (record.label && (!before || record.label.from.some((name) => values[name] !== undefined)))
    put(record.valueColumns.get(record.root.name), record.label.by(row));
  return row;
}

const shownByRecord = new WeakMap<RecordType, ReadonlyMap<string, readonly Column[]>>();

/** Returns the shown columns by physical column, which may be shown under several names. */
function shownColumns(record: RecordType): ReadonlyMap<string, readonly Column[]> {
  let shown = shownByRecord.get(record);
  if (!shown) shownByRecord.set(record, (shown = Map.groupBy(record.shown, physicalColumn)));
  return shown;
}

/** Returns the physical column, which is the same under all names. */
function physicalColumn({ table, column }: Column): string {
  return `${table}.${column}`;
}

/**
 * Returns the document that rules get: `<LoanBusinessRuleItem>` with the record after the change (`<LoanItem>`), its
 * old values (`<Before UPBAmount="…"/>`, as attributes, so that `//UPBAmount` finds the new one only) and the call's
 * parameters. `table`: the rules' record type, which may be a base of the record's type and names the elements.
 */
export function ruleDocument(
  ctx: Context,
  event: RuleEvent,
  table: RecordType | string,
  parameters: Parameters = ctx.rawParameters,
): string {
  const { of, before, after, operation } = event;
  const name = typeof table === 'string' ? table : table.name;
  const { personId, organizationId, roles } = ctx.user;
  const attributes: readonly (readonly [name: string, value: string | number | null])[] = [
    ['Operation', operation],
    ['Class', typeof of === 'string' ? of : of.name],
    ['Today', today(ctx)],
    ['PersonID', personId],
    ['OrganizationID', organizationId],
    ['Roles', roles.join(', ')],
  ];
  const attributesXml = attributes
    .flatMap(([key, value]) => (value === null || value === '' ? [] : ` ${key}="${escapeAttribute(String(value))}"`))
    .join('');
  const record =
    typeof of === 'string' || typeof table === 'string' || after === undefined
      ? ''
      : `<${name}Item>${recordXml(of, table, after)}</${name}Item>`;
  const old =
    typeof of === 'string' || typeof table === 'string' || before === undefined
      ? ''
      : `<Before${oldAttributes(of, table, before)}/>`;
  const element = `${name}BusinessRuleItem`;
  return `<${element}${attributesXml}>${record}${old}${parametersXml(ctx, parameters)}</${element}>`;
}

interface NamedColumn {
  /** The column's name in the rules' table, or its own if that table does not have it. */
  readonly name: string;
  readonly own: string;
  readonly field: Field;
}

/**
 * Returns the columns of a record under the names of one of its bases: for a Foreclosure as a Process, ProcessID
 * instead of ForeclosureID.
 */
function namedColumns(record: RecordType, table: RecordType): readonly NamedColumn[] {
  const own = new Set(record.shown.map(({ name }) => name));
  const others = table.shown.filter(({ name }) => !own.has(name));
  const known = new Set(table.shown.map(({ name }) => name));
  return record.shown.map((column) => ({
    name:
      (known.has(column.name)
        ? undefined
        : others.find((other) => physicalColumn(other) === physicalColumn(column))?.name) ?? column.name,
    own: column.name,
    field: column.field,
  }));
}

function recordXml(record: RecordType, table: RecordType, row: Row): string {
  if (record === table && !record.shown.some(({ field }) => field.kind === 'xml')) return rowXml(shapeOf(record), row);
  let xml = '';
  for (const { name, own, field } of namedColumns(record, table)) {
    const value = row[own];
    if (field.kind === 'xml' && typeof value === 'string') xml += `<${name}>${embeddedXml(value)}</${name}>`;
    else xml += rowXml([{ name, field }], { [name]: value });
  }
  return xml;
}

/** Returns a column's XML document as part of this one, so that expressions can search it; as text if it is not XML. */
function embeddedXml(document: string): string {
  try {
    parseXml(document);
    return document.replace(/^\ufeff?\s*<\?xml[^>]*\?>/, '');
  } catch (error) {
    if (error instanceof PlatformError) return escapeText(document);
    throw error;
  }
}

function oldAttributes(record: RecordType, table: RecordType, row: Row): string {
  return namedColumns(record, table)
    .map(({ name, own }) => {
      const value = row[own];
      return value === null || value === undefined ? '' : ` ${name}="${escapeAttribute(textOf(value))}"`;
    })
    .join('');
}

/**
 * Longest parameter that rules see, in characters; of a longer one, such as a file's content, they see the beginning.
 */
const PARAMETER_CHARACTERS_MAX = 10_000;
/** Most parameters of a call that rules see. */
const PARAMETERS_MAX = 2_000;

/** Returns the call's parameters as they were sent, without secrets. */
function parametersXml(ctx: Context, parameters: Parameters): string {
  const { secret, masked } = hiddenNames(ctx.registry);
  const parts: string[] = [];
  for (const [name, value] of Object.entries(parameters).slice(0, PARAMETERS_MAX)) {
    const last = name.slice(name.lastIndexOf('_') + 1).toLowerCase();
    const declared = Object.entries(ctx.operation.params).find(
      ([key]) => key.toLowerCase() === name.toLowerCase(),
    )?.[1];
    if (secret.has(last) || declared?.classification === 'secret' || value === null) continue;
    for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      const text = textOf(one);
      const shown = masked.has(last)
        ? `XXX-XX-${text.replace(/\D/g, '').slice(-4)}`
        : text.slice(0, PARAMETER_CHARACTERS_MAX).toWellFormed();
      parts.push(`<Parameter Name="${escapeAttribute(name)}">${escapeText(shown)}</Parameter>`);
    }
  }
  return parts.length === 0 ? '' : `<Parameters>${parts.join('')}</Parameters>`;
}

/** Returns a column's or parameter's value as text; all but text as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface HiddenNames {
  readonly secret: ReadonlySet<string>;
  readonly masked: ReadonlySet<string>;
}

const hidden = new WeakMap<Registry, HiddenNames>();

/**
 * Returns the names that no record type shows, by the last part of a parameter's name: `Contacts_0_USSSN` is a number
 * at any depth.
 */
function hiddenNames(registry: Registry): HiddenNames {
  let known = hidden.get(registry);
  if (!known) {
    const columns = registry
      .records()
      .flatMap((record) => [...record.columns].filter(([, { field }]) => field.classification === 'secret'));
    const declared = registry.operations().flatMap(({ params }) =>
      Object.entries(params)
        .filter(([, field]) => field.classification === 'secret')
        .map(([name]) => name.toLowerCase()),
    );
    const isNumber = ([, column]: [string, Column]): boolean => column.field.kind === 'ssn';
    known = {
      secret: new Set([...columns.filter((entry) => !isNumber(entry)).map(([name]) => name), ...declared]),
      masked: new Set(columns.filter(isNumber).map(([name]) => name)),
    };
    hidden.set(registry, known);
  }
  return known;
}

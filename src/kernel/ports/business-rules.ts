import { shapeOf, type Row } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import { PlatformError } from '../door/errors.ts';
import type { Field } from '../declare/field-types.ts';
import type { Operation } from '../declare/operation.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { Column, RecordType } from '../declare/record.ts';
import { concreteClass, readRecord } from '../records/search/read.ts';
import { hasRecordClass } from '../database/sql.ts';
import type { Registry } from '../declare/registry.ts';
import { rowXml } from '../render/xml.ts';
import { today } from '../time/today.ts';
import { escapeAttribute, escapeText, parseXml } from '../xml/element.ts';

/** What is about to happen: to a record, or by a call of an operation that is more than a save. */
export interface RuleEvent {
  /** `Insert`, `Update` or `Delete` of a record, else the operation's name. */
  readonly operation: string;
  /** The concrete record type; the module's name of an operation that works on none. */
  readonly of: RecordType | string;
  /** The record as it stands; nothing of a new one. */
  readonly before?: Row;
  /** The record as it would be. Of a call that is no save, as it stands. */
  readonly after?: Row;
}

/** The code of the alert that a rule's warning becomes. */
export const RULE_WARNING = 'RULE_WARNING';

/** The port to business rules: what an installation lays down about its records, asked before anything is changed. */
export interface BusinessRules {
  /** Whether any rule looks at this. Where there is none it costs a look into what the process remembers. */
  applies(of: RecordType | string, operation: string): Promise<boolean>;
  /**
   * Asks all rules that look at this; warnings become alerts.
   * @throws RULE_EXCEPTION with all that they say against it, RULE_FAILED where one cannot be run, UNAVAILABLE where none can at the moment
   */
  enforce(ctx: Context, event: RuleEvent): Promise<void>;
}

/** Changes of records are asked about where they are stored, however they come there. */
const stored = new Set(['save', 'insert', 'update', 'delete']);
/** How many records one call may name that rules look at: each is asked about by itself. */
const CALL_RECORDS_MAX = 100;

/** Asks the rules about a call that is more than a save: a named operation, a saved statement, a service. */
export async function enforceCallRules(
  ctx: Context,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (operation.record && stored.has(operation.name.toLowerCase())) return;
  const of = operation.record ?? operation.module;
  if (!(await ctx.businessRules.applies(of, operation.name))) return;
  const named = operation.names === undefined ? undefined : params[operation.names];
  const ids = (Array.isArray(named) ? named : [named]).filter((id) => typeof id === 'number');
  if (ids.length > CALL_RECORDS_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: operation.names ?? 'ID',
      message: `${operation.names}: business rules look at each record of ${operation.permissionName}; send at most ${CALL_RECORDS_MAX} at once.`,
    });
  if (!operation.record || ids.length === 0) return ctx.businessRules.enforce(ctx, { operation: operation.name, of });
  for (const id of ids)
    await ctx.businessRules.enforce(ctx, {
      operation: operation.name,
      ...(await currentRecord(ctx, operation.record, id)),
    });
}

/** A record as it stands; one that is not there or not reached is left to the operation to tell of. */
async function currentRecord(ctx: Context, record: RecordType, id: number): Promise<Pick<RuleEvent, 'of' | 'after'>> {
  try {
    const concrete = hasRecordClass(record.root) ? await concreteClass(ctx, ctx.db, record.root, id) : record;
    return { of: concrete, after: await readRecord(ctx.db, concrete, id) };
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return { of: record };
    throw error;
  }
}

/** A record as it would be with these values (by lower-cased name): its defaults and label are made as a save makes them. */
export function rowAfter(record: RecordType, before: Row | undefined, values: ReadonlyMap<string, unknown>): Row {
  const row: Record<string, unknown> = { ...before };
  // A column may be shown under several names.
  const shown = Map.groupBy(record.shown, physicalColumn);
  const put = (column: Column | undefined, value: unknown): void => {
    if (!column) return;
    const last = column.field.kind === 'ssn' && typeof value === 'string' ? value.slice(-4) : null;
    for (const { name } of shown.get(physicalColumn(column)) ?? [])
      row[name] = last === null ? value : `XXX-XX-${last}`;
    if (column.field.kind === 'ssn') put(record.columns.get(String(column.field.last).toLowerCase()), last);
  };
  if (!before)
    for (const column of record.columns.values())
      if (column.field.default !== undefined) put(column, column.field.default);
  for (const [name, value] of values) put(record.columns.get(name), value);
  if (record.label && (!before || record.label.from.some((name) => values.has(name.toLowerCase()))))
    put(record.columns.get(record.root.table), record.label.by(row));
  return row;
}

/** The physical column, which is one whatever it is called. */
function physicalColumn({ table, column }: Column): string {
  return `${table}.${column}`;
}

/**
 * The document that rules of a table are given about an event: `<LoanBusinessRuleItem>` with the record as it would be
 * (`<LoanItem>`), what it was (`<Before UPBAmount="…"/>`, as attributes, so that `//UPBAmount` means the new one alone) and the
 * call's parameters. `table`: of the rules, which may be a base of the record's type and gives the elements their names.
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
  const attributes: [string, unknown][] = [
    ['Operation', operation],
    ['Class', typeof of === 'string' ? of : of.name],
    ['Today', today(ctx)],
    ['PersonID', personId],
    ['OrganizationID', organizationId],
    ['Roles', roles.join(', ')],
  ];
  const said = attributes
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
  return `<${name}BusinessRuleItem${said}>${record}${old}${parametersXml(ctx, parameters)}</${name}BusinessRuleItem>`;
}

interface NamedColumn {
  /** The name that a rule's table has for the column, which is its own where the table does not have it. */
  readonly name: string;
  readonly own: string;
  readonly field: Field;
}

/** The columns of a record under the names that a base of it has for them: of a Foreclosure as a Process, ProcessID in place of ForeclosureID. */
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

/** A column's document as a part of this one, so that expressions find what stands in it; as text where it is none. */
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
      return value === null || value === undefined
        ? ''
        : ` ${name}="${escapeAttribute(typeof value === 'object' ? JSON.stringify(value) : String(value))}"`;
    })
    .join('');
}

/** Of a longer parameter, such as a file's content, rules see the beginning. */
const PARAMETER_CHARACTERS_MAX = 10_000;
/** As many parameters of a call are shown to rules. */
const PARAMETERS_MAX = 2_000;

/** The call's parameters as they were sent, without what is secret. */
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
      const text = typeof one === 'object' ? JSON.stringify(one) : String(one);
      const shown = masked.has(last)
        ? `XXX-XX-${text.replace(/\D/g, '').slice(-4)}`
        : text.slice(0, PARAMETER_CHARACTERS_MAX).toWellFormed();
      parts.push(`<Parameter Name="${escapeAttribute(name)}">${escapeText(shown)}</Parameter>`);
    }
  }
  return parts.length === 0 ? '' : `<Parameters>${parts.join('')}</Parameters>`;
}

interface HiddenNames {
  readonly secret: ReadonlySet<string>;
  readonly masked: ReadonlySet<string>;
}

const hidden = new WeakMap<Registry, HiddenNames>();

/** What no record type shows, by the last part of a parameter's name: `Contacts_0_USSSN` is a number wherever it stands. */
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

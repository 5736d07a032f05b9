import type { Row, Shape } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { answersIn } from '../../../../../lib/answers/answer-document.ts';
import type { RuleSet } from './find-rule-set.ts';

/** An output of the best row: its text, and the record that an Object output references. */
export interface RuleOutput {
  readonly name: string;
  readonly text: string;
  readonly reference?: { readonly object: string; readonly id: number };
}

/** The best row of a rule set for one record. */
export interface BestRow {
  /** Undefined: the rule set has no rows. */
  readonly mismatches: number | undefined;
  /** Its ranking columns, as a lookup returns them. */
  readonly rank: Row;
  /** The outputs that are not empty; a row that is not eligible has none. */
  readonly outputs: readonly RuleOutput[];
}

/** A record as a rule set sees it. */
export interface Subject {
  readonly record: RecordType;
  readonly id: number;
  readonly row: Row;
}

/**
 * Returns the inputs from the record and the call, by lower-cased name. Submitted values win; protected numbers are
 * never included.
 */
export function availableInputs({ record, row }: Subject, sent: Parameters): ReadonlyMap<string, RawValue> {
  const values = new Map<string, RawValue>();
  if (record.answers !== undefined)
    for (const [name, text] of answersIn(record, (row[record.answers] ?? null) as string | null))
      values.set(name.toLowerCase(), text);
  const shown = new Map(record.shown.map((column) => [`${column.table}.${column.column}`, column]));
  for (const [name, column] of record.columns) {
    const own = shown.get(`${column.table}.${column.column}`);
    if (own && own.field.kind !== 'ssn' && (row[own.name] ?? null) !== null) values.set(name, textOf(row[own.name]));
  }
  if (!record.columns.has('id')) values.set('id', String(row[record.idField]));
  for (const [name, value] of Object.entries(sent)) values.set(name.toLowerCase(), value);
  return values;
}

/** Returns a value as text, in its wire form. */
export function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/**
 * Returns the lookup's parameters for a record: the inputs of the rule set, none of which has the name of a lookup
 * parameter.
 */
function lookupParameters(ruleSet: RuleSet, subject: Subject, sent: Parameters): Record<string, RawValue> {
  const values = availableInputs(subject, sent);
  const inputs: Record<string, RawValue> = {};
  for (const name of ruleSet.inputs) {
    const value = values.get(name.toLowerCase());
    if (value !== undefined) inputs[name] = value;
  }
  return { ...inputs, ID: ruleSet.id, DisplaySize: 1 };
}

/** Looks up the best row by the record's own fields and the submitted inputs. */
export async function bestByFields(
  ctx: Context,
  ruleSet: RuleSet,
  subject: Subject,
  sent: Parameters,
): Promise<BestRow> {
  return toBestRow(await ctx.call('matrix/lookup', lookupParameters(ruleSet, subject, sent)));
}

/** Returns the number of the best row, for messages; a ranking does not contain it. */
export async function rowNumber(
  ctx: Context,
  ruleSet: RuleSet,
  subject: Subject,
  sent: Parameters,
): Promise<number | undefined> {
  const { root } = await ctx.call('matrix/explain', lookupParameters(ruleSet, subject, sent));
  const number = root.children?.[0]?.children?.[0]?.attributes?.['Number'];
  return typeof number === 'number' ? number : undefined;
}

/** Looks up the best row by the record's summary. */
export async function bestBySummary(ctx: Context, ruleSet: RuleSet, { record, id }: Subject): Promise<BestRow> {
  return toBestRow(
    await ctx.call('matrix/lookupbyobject', { ID: ruleSet.id, Object: record.name, ObjectID: id, DisplaySize: 1 }),
  );
}

/** Returns the first row of a ranking. An output is a column with its id and type. */
function toBestRow({ shape, rows }: { readonly shape: Shape; readonly rows: readonly object[] }): BestRow {
  const row = rows[0] as Row | undefined;
  const { Weight, MatchCount, MisMatchCount } = row ?? {};
  const rank = { Weight, MatchCount, MisMatchCount };
  const mismatches = row === undefined ? undefined : Number(MisMatchCount);
  if (row === undefined || mismatches !== 0) return { mismatches, rank, outputs: [] };
  const outputs = shape
    .filter(({ name }) => shape.some((other) => other.name === `${name}ID` && other.field.to === 'MatrixMeasure'))
    .flatMap(({ name }): RuleOutput[] => {
      const [value, object, id] = [row[name] ?? null, row[`${name}Object`], row[`${name}ObjectID`]];
      const reference = typeof object === 'string' && typeof id === 'number' ? { reference: { object, id } } : {};
      return value === null && !('reference' in reference)
        ? []
        : [{ name, text: value === null ? '' : textOf(value), ...reference }];
    });
  return { mismatches, rank, outputs };
}

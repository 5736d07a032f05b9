/** The calculation of one line, as pure functions. */
import { f } from '../../../kernel/declare/field.ts';
import type { Values } from '../../../kernel/declare/values.ts';
import { parseValue, type RawValue } from '../../../kernel/parameters/parse-value.ts';
import type { ledgerItem } from '../ledgeritem/ledgeritem.record.ts';
import { rateAmount } from './money.ts';

const doc = 'A calculated value of a line.';

/** The columns of a line that a calculation may set, with the types of their values. */
export const projectedFields = {
  LedgerItem: f.text({ doc, max: 255 }),
  LedgerItemType: f.text({ doc, max: 100 }),
  Sequence: f.integer({ doc }),
  AmountMoney: f.money({ doc }),
  AmountDecimal: f.decimal({ doc }),
  Units: f.text({ doc, max: 100 }),
  UnitCount: f.decimal({ doc }),
  Rate: f.decimal({ doc }),
  IsDebit: f.boolean({ doc }),
  IsTotaled: f.boolean({ doc }),
  EffectiveDate: f.date({ doc }),
  Description: f.text({ doc, max: 4000 }),
};

export type ProjectedName = keyof typeof projectedFields;

/** The values of a line that a calculation may set. */
export type ProjectedValues = Readonly<Pick<Values<typeof ledgerItem>, ProjectedName>>;

export const projectedNames = Object.keys(projectedFields) as ProjectedName[];

/** Defaults that a template line gives its lines; empty values are no defaults. */
export type LineDefaults = Pick<
  ProjectedValues,
  'LedgerItem' | 'Sequence' | 'AmountMoney' | 'Units' | 'UnitCount' | 'Rate'
>;

/** What a line is calculated from, besides its own values. */
export interface LineSources {
  /** The adjusted balance of the ledger below; undefined if there is none. */
  readonly below: string | null | undefined;
  /** The outputs of the template line's matrix, by property name. */
  readonly measures: Readonly<Record<string, unknown>>;
  readonly defaults: LineDefaults;
  /** The ledger's currency. */
  readonly currency: string | null;
  /** Days from the line's first day to the one to which it is calculated, both counted. */
  readonly days: number;
}

/**
 * Calculates a line: the adjusted balance of the ledger below it, then the outputs of its matrix, then the defaults of
 * its template line. With a rate and a count, and no ledger below or amount of the matrix, the amount is their product.
 * The count of a line per day is the number of days, unless the matrix or the template line has one.
 */
export function projectLine(
  line: ProjectedValues,
  { below, measures, defaults, days, currency }: LineSources,
): ProjectedValues {
  const measured = measuredValues(measures);
  const values = withDefaults({ ...line, ...measured }, defaults);
  if (isPerDiem(values) && isEmpty(measured.UnitCount) && isEmpty(defaults.UnitCount)) values.UnitCount = String(days);
  if (below !== undefined) values.AmountMoney = below;
  else if (isEmpty(measured.AmountMoney) && !isEmpty(values.Rate) && !isEmpty(values.UnitCount))
    values.AmountMoney = rateAmount(values.Rate, values.UnitCount, currency);
  else if (isEmpty(values.AmountMoney) && !isEmpty(defaults.AmountMoney)) values.AmountMoney = defaults.AmountMoney;
  return values;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Fills what is empty. The amount comes last: a rate and a count go before it. */
function withDefaults(values: ProjectedValues, defaults: LineDefaults): Mutable<ProjectedValues> {
  const { AmountMoney: _amount, ...others } = defaults;
  const filled = Object.entries(others).filter(
    ([name, value]) => !isEmpty(value) && isEmpty(values[name as ProjectedName]),
  );
  return { ...values, ...(Object.fromEntries(filled) as ProjectedValues) };
}

/** Returns the outputs that name a property of a line. */
function measuredValues(measures: Readonly<Record<string, unknown>>): ProjectedValues {
  return parseProjected(measures, 'MatrixID');
}

const zone = { timeZone: 'UTC' };

/**
 * Returns those values of a row that name a property of a line and are not empty, in the form of its columns.
 *
 * @throws BAD_PARAMETER naming the source and the property
 */
export function parseProjected(row: Readonly<Record<string, unknown>>, source: string): ProjectedValues {
  const byName = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
  const parsed = projectedNames.flatMap((name) => {
    const value = byName.get(name.toLowerCase());
    return isEmpty(value) || value === ''
      ? []
      : [[name, parseValue(projectedFields[name], value as RawValue, `${source}: ${name}`, zone)] as const];
  });
  return Object.fromEntries(parsed);
}

/** Whether a line counts days. */
function isPerDiem({ Units, Rate }: ProjectedValues): boolean {
  return !isEmpty(Rate) && /^(days?|per[ -]?diem)$/i.test((Units ?? '').trim());
}

const DAY_MILLISECONDS = 86_400_000;

/** Returns the number of days from one date to another, both counted; 0 if the first is later. */
export function daysThrough(from: string, through: string): number {
  return Math.max(0, Math.round((Date.parse(through) - Date.parse(from)) / DAY_MILLISECONDS) + 1);
}

function isEmpty(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

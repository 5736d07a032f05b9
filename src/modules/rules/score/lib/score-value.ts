import { valueTypes, type ValueType } from '../../../../contracts/score-engine.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import { bad, parseValue, type RawValue } from '../../../../kernel/parameters/parse-value.ts';

import type { ItemDefinition } from './score-definition.ts';

/** The stored value of a score or item: numbers and days as text in canonical form; null is no value. */
export type ScoreValue = string | number | boolean | null;

/** The value columns; each value type has one of them. */
export const valueColumns = ['ScoreMoney', 'ScoreInt', 'ScoreFloat', 'ScoreBoolean', 'ScoreChar', 'ScoreDate'] as const;

/** A value column. */
export type ValueColumn = (typeof valueColumns)[number];

/** The column of each value type. */
export const columnOf: Readonly<Record<ValueType, ValueColumn>> = {
  Money: 'ScoreMoney',
  Int: 'ScoreInt',
  Float: 'ScoreFloat',
  Boolean: 'ScoreBoolean',
  String: 'ScoreChar',
  Date: 'ScoreDate',
  Enumerated: 'ScoreChar',
};

const TEXT_CHARACTERS_MAX = 4_000;

/** The field that parses and returns each value type. */
export const valueFields: Readonly<Record<ValueType, Field>> = {
  Money: { kind: 'money', classification: 'public', doc: 'An amount.' },
  Int: { kind: 'integer', classification: 'public', doc: 'A whole number.' },
  Float: { kind: 'decimal', classification: 'public', doc: 'A number.' },
  Boolean: { kind: 'boolean', classification: 'public', doc: 'True or false.' },
  String: { kind: 'text', classification: 'public', doc: 'A text.', max: TEXT_CHARACTERS_MAX },
  Date: { kind: 'date', classification: 'public', doc: 'A day.' },
  Enumerated: { kind: 'text', classification: 'public', doc: 'One of the allowed values.', max: TEXT_CHARACTERS_MAX },
};

/** Parses a ValueType: its name, in any case, or its code. @throws BAD_PARAMETER that lists both */
export function parseValueType(text: string): ValueType {
  const trimmed = text.trim();
  const type = valueTypes.find(
    (name, code) => name.toLowerCase() === trimmed.toLowerCase() || String(code) === trimmed,
  );
  if (type === undefined)
    throw bad('ValueType', `one of ${valueTypes.map((name, code) => `${name} (${code})`).join(', ')}`);
  return type;
}

/** Returns the values that an Enumeration allows: one per line, or separated by | or commas. */
export function parseEnumeration(text: string | null): readonly string[] {
  const separator = ['\n', '|'].find((sign) => text?.includes(sign)) ?? ',';
  return (text ?? '')
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

/**
 * Parses a value by its type. `name` is the item's safe name or the score's template. @throws BAD_PARAMETER that names
 * it and what was expected; the value is not repeated
 */
export function parseScoreValue(
  { valueType, enumeration, safeName }: Pick<ItemDefinition, 'valueType' | 'enumeration' | 'safeName'>,
  raw: RawValue,
  timeZone: string,
): ScoreValue {
  const value = parseValue(valueFields[valueType], raw, safeName, { timeZone }) as ScoreValue;
  if (valueType !== 'Enumerated' || value === null || enumeration.length === 0) return value;
  const allowed = enumeration.find((one) => one.toLowerCase() === String(value).toLowerCase());
  if (allowed === undefined) throw bad(safeName, `one of ${enumeration.join(', ')}`);
  return allowed;
}

const confidenceField: Field = { kind: 'decimal', classification: 'public', doc: 'The confidence in the value.' };

/** Parses a confidence, decimal text from 0 to 1. @throws BAD_PARAMETER that names it */
export function parseConfidence(raw: RawValue, name: string): string | null {
  const value = parseValue(confidenceField, raw, name, { timeZone: 'UTC' }) as string | null;
  if (value !== null && value !== '1' && !/^0(?:\.|$)/.test(value)) throw bad(name, 'a number from 0 to 1');
  return value;
}

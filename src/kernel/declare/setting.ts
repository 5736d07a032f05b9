import type { Field } from './field-types.ts';

/**
 * A declared setting of the installation: how it behaves, as opposed to where it runs (environment) and what it stores
 * (records).
 */
export interface SettingDefinition<T = unknown> {
  readonly name: string;
  readonly doc: string;
  readonly field: Field<T>;
  readonly default: T;
  readonly limits: SettingLimits;
}

/** The values that a setting may have, beyond those of its type. */
export interface SettingLimits {
  /** Of a number: the least and the greatest value. A stored one beyond them counts as the nearest of them. */
  readonly range?: readonly [min: number, max: number];
  /** Of a text: a stored one that does not fit counts as the default. */
  readonly format?: SettingFormat;
}

/** The form of a text. */
export interface SettingFormat {
  /** What is expected, for the error. */
  readonly expected: string;
  readonly fits: (text: string) => boolean;
}

/**
 * Declares a setting. Its value is stored in a Setting record of the same name and takes effect everywhere within half
 * a second. Its documentation names its range.
 */
export function defineSetting<T>(
  name: string,
  field: Field<T>,
  defaultValue: T,
  limits: SettingLimits = {},
): SettingDefinition<T> {
  const doc = limits.range ? `${field.doc} From ${limits.range[0]} to ${limits.range[1]}.` : field.doc;
  return { name, doc, field, default: defaultValue, limits };
}

/** Returns what is expected of a setting whose value is beyond its limits; undefined if it is within them. */
export function expectedOf({ limits: { range, format } }: SettingDefinition, value: unknown): string | undefined {
  if (range && typeof value === 'number' && (value < range[0] || value > range[1]))
    return `a whole number from ${range[0]} to ${range[1]}`;
  return format && typeof value === 'string' && value !== '' && !format.fits(value) ? format.expected : undefined;
}

/** The current settings. */
export interface Settings {
  get<T>(definition: SettingDefinition<T>): T;
}

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
}

/**
 * Declares a setting. Its value is stored in a Setting record of the same name and takes effect everywhere within half
 * a second.
 */
export function defineSetting<T>(name: string, field: Field<T>, defaultValue: T): SettingDefinition<T> {
  return { name, doc: field.doc, field, default: defaultValue };
}

/** The current settings. */
export interface Settings {
  get<T>(definition: SettingDefinition<T>): T;
}

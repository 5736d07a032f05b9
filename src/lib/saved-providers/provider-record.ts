import {
  assertOptions,
  optionValues,
  storedOptions,
  type OptionValues,
  type ProviderType,
  type StoredOptions,
} from '../../contracts/provider-options.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { requireColumn, type ValueName, type Values } from '../../kernel/declare/values.ts';
import { bad } from '../../kernel/parameters/parse-value.ts';
import type { Cipher } from '../../kernel/security/cipher.ts';
import { openText, sealText } from '../../kernel/security/sealed-text.ts';

/** A record type whose records are providers that administrators save, such as mail servers. */
export interface ProviderRecord<R extends RecordType = RecordType> {
  readonly record: R;
  /** What users call one, such as `mail server`. */
  readonly noun: string;
  /**
   * Columns that hold one option each. A type of provider may use any of them; its other options are in the columns
   * Options and Secrets.
   */
  readonly options: readonly ValueName<R>[];
  /** The encrypted columns, each with the most bytes that a plain value can have to fit once encrypted. */
  readonly secretBytesMax: Readonly<Partial<Record<ValueName<R>, number>>>;
  /** Columns that decide where secrets are sent: whoever changes one must send the secrets again. */
  readonly destination: readonly ValueName<R>[];
  /** The same for columns whose first value does not matter, since no secret was ever sent without one. */
  readonly pins: readonly ValueName<R>[];
  /** The secrets that are sent there. */
  readonly sentSecrets: readonly ValueName<R>[];
  /** Options that are a number from 1 to a limit. */
  readonly limits: Readonly<Partial<Record<ValueName<R>, number>>>;
}

/** A saved provider as stored, by declared name; secrets encrypted. */
export type StoredProvider = Readonly<Record<string, unknown>>;

/** Returns the select list of a {@link StoredProvider}. */
export function providerColumns({ record, options }: ProviderRecord): string {
  const names = [record.idField, record.name, `${record.name}Type`, 'Options', 'Secrets', ...options];
  return names.map((name) => `${requireColumn(record, name).column} as "${name}"`).join(', ');
}

/** Returns the options of a stored provider, secrets in clear text. */
export function openOptions(of: ProviderRecord, cipher: Cipher, stored: StoredProvider): StoredOptions {
  return storedOptions(of.options, (name) => openColumn(of, cipher, name, stored[name]));
}

function openColumn({ record, secretBytesMax }: ProviderRecord, cipher: Cipher, name: string, value: unknown): unknown {
  return name in secretBytesMax && typeof value === 'string' && value !== ''
    ? openText(cipher, record.table, requireColumn(record, name).column, value)
    : value;
}

/** A provider that is about to be saved. */
export interface ProviderSave {
  readonly id: number;
  readonly name: string;
  readonly type: { readonly name: string; readonly kind: ProviderType<unknown> };
  /** The columns to be written. */
  readonly values: Values;
  /** The stored provider; undefined for a new one. */
  readonly before: StoredProvider | undefined;
}

/**
 * Checks the options that a provider will have, and encrypts the secrets among the values. Secrets do not follow a
 * provider's name to another address: those that are not sent again are cleared.
 *
 * @throws BAD_PARAMETER, MISSING_PARAMETER
 */
export function checkProvider(of: ProviderRecord, cipher: Cipher, save: ProviderSave): void {
  const { id, name, type, values, before } = save;
  if (before && isElsewhere(of, values, before)) dropSecrets(of, values);
  const stored = storedOptions(of.options, (column) =>
    column in values ? values[column] : openColumn(of, cipher, column, before?.[column]),
  );
  assertOptions({ type: type.name, noun: of.noun, declared: type.kind.options }, stored);
  const options = optionValues(type.kind.options, stored);
  assertLimits(of, options);
  type.kind.validate({ id, name, options });
  sealSecrets(of, cipher, values);
}

/** Whether secrets would be sent to another address: anyone who could redirect them could read them. */
function isElsewhere({ destination, pins }: ProviderRecord, values: Values, before: StoredProvider): boolean {
  const isChanged = (name: string): boolean => name in values && (values[name] ?? '') !== (before[name] ?? '');
  return destination.some(isChanged) || pins.some((name) => isChanged(name) && (before[name] ?? '') !== '');
}

function dropSecrets({ sentSecrets }: ProviderRecord, values: Values): void {
  for (const name of sentSecrets) if (!(name in values)) values[name] = null;
}

function assertLimits({ limits }: ProviderRecord, options: OptionValues): void {
  for (const [name, max] of Object.entries(limits)) {
    const value = Number(options[name] ?? 1);
    if (max !== undefined && (value < 1 || value > max)) throw bad(name, `between 1 and ${max}`);
  }
}

function sealSecrets({ record, secretBytesMax }: ProviderRecord, cipher: Cipher, values: Values): void {
  for (const [name, bytesMax = 0] of Object.entries(secretBytesMax)) {
    const value = values[name];
    if (typeof value !== 'string' || value === '') continue;
    if (Buffer.byteLength(value) > bytesMax) throw bad(name, `at most ${bytesMax} bytes`);
    values[name] = sealText(cipher, record.table, requireColumn(record, name).column, value);
  }
}

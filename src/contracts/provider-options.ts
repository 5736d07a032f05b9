import type { Field, ParameterFields, Parsed } from '../kernel/declare/field-types.ts';
import { inlineHint, PlatformError } from '../kernel/door/errors.ts';
import { bad, parseValue } from '../kernel/parameters/parse-value.ts';

/** Values of options. Required ones are present; others are absent where they are empty, never null. */
export type OptionValues<O extends ParameterFields = ParameterFields> = {
  readonly [N in keyof Parsed<O>]: NonNullable<Parsed<O>[N]>;
};

/** A provider that an administrator has saved, its secrets in clear text. */
export interface SavedProvider<O extends ParameterFields = ParameterFields> {
  readonly id: number;
  readonly name: string;
  readonly options: OptionValues<O>;
}

/**
 * A type of saved provider, such as SMTP for mail servers. It declares its options itself, as fields: `required`, and
 * `f.secret` for what is stored sealed and never shown. An option is stored in the record's column of its name if there
 * is one, else in the record's Options or Secrets; so a new type needs no migration.
 */
export interface ProviderType<P, O extends ParameterFields = ParameterFields> {
  readonly options: O;
  /**
   * Checks a provider before it is saved, without connecting. Its options are complete, and each has a value of its
   * field.
   * @throws BAD_PARAMETER naming the option
   */
  validate(saved: SavedProvider<O>): void;
  /** Returns the provider. It connects only when it is used. */
  open(saved: SavedProvider<O>): P;
}

/** The options of a saved provider as its record has them, secrets in clear text. */
export interface StoredOptions {
  /** Options that have a column, by name. */
  readonly columns: ReadonlyMap<string, unknown>;
  /** The others, as query strings. */
  readonly options: string;
  readonly secrets: string;
}

/** Returns the options of a record; `plainColumn` returns the clear value of a column. */
export function storedOptions<N extends string>(
  names: readonly N[],
  plainColumn: (name: N | 'Options' | 'Secrets') => unknown,
): StoredOptions {
  const text = (column: 'Options' | 'Secrets'): string => {
    const value = plainColumn(column);
    return typeof value === 'string' ? value : '';
  };
  return {
    columns: new Map(names.map((name) => [name, plainColumn(name)])),
    options: text('Options'),
    secrets: text('Secrets'),
  };
}

/** Returns the options of a record that has them in one column, as a query string, and no secrets. */
export function plainOptions(options: string): StoredOptions {
  return { columns: new Map(), options, secrets: '' };
}

/** Which type's options are checked, and what its providers are called in messages. */
export interface OptionsOwner {
  readonly type: string;
  /** Such as `mail server`. */
  readonly noun: string;
  readonly declared: ParameterFields;
}

/** Returns the values of a type's options. Ignores stored options that it does not have. */
export function optionValues(declared: ParameterFields, { columns, options, secrets }: StoredOptions): OptionValues {
  const [plain, secret] = [pairsOf(options), pairsOf(secrets)];
  const values = Object.entries(declared).map(([name, field]) => {
    const value = columns.has(name) ? columns.get(name) : parsedOption(name, field, isSecret(field) ? secret : plain);
    return [name, value === '' ? field.default : (value ?? field.default)] as const;
  });
  // Each value is of its field's type: a column's, or a parsed one.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null)) as OptionValues;
}

/**
 * Checks that required options are present and that there are no others than the declared ones.
 * @throws MISSING_PARAMETER, BAD_PARAMETER naming the option, or Options or Secrets for a name that is unknown there
 */
export function assertOptions(owner: OptionsOwner, stored: StoredOptions): void {
  const { type, noun, declared } = owner;
  const values = optionValues(declared, stored);
  for (const [name, field] of Object.entries(declared))
    if (field.required && !Object.hasOwn(values, name))
      throw new PlatformError('MISSING_PARAMETER', {
        field: name,
        message: `${name} is required for a ${noun} of the kind ${type}${placeOf(name, field, stored)}.`,
      });
  for (const [name, value] of stored.columns)
    if (value !== undefined && value !== null && value !== '' && value !== false && !Object.hasOwn(declared, name))
      throw bad(
        name,
        `no value: a ${noun} of the kind ${type} has ${Object.keys(declared).join(', ') || 'no options'}`,
      );
  assertNames('Options', stored.options, ownOptions(declared, stored, false), owner);
  assertNames('Secrets', stored.secrets, ownOptions(declared, stored, true), owner);
}

/** Whether an option is stored sealed and never shown. */
function isSecret(field: Field): boolean {
  return field.classification === 'secret';
}

/** Returns the names of a type's options without a column. */
function ownOptions(declared: ParameterFields, { columns }: StoredOptions, secret: boolean): readonly string[] {
  return Object.entries(declared)
    .filter(([name, field]) => !columns.has(name) && isSecret(field) === secret)
    .map(([name]) => name);
}

function placeOf(name: string, field: Field, { columns }: StoredOptions): string {
  if (!isSecret(field)) return columns.has(name) ? '' : '; send it in Options';
  const place = columns.has(name) ? '' : '; send it in Secrets';
  return `${place}, also when the address that it is sent to changes`;
}

function assertNames(
  column: 'Options' | 'Secrets',
  text: string,
  known: readonly string[],
  { type, noun }: OptionsOwner,
): void {
  const seen = new Set<string>();
  for (const [sent] of new URLSearchParams(text)) {
    const name = known.find((each) => each.toLowerCase() === sent.toLowerCase());
    if (name === undefined) {
      throw bad(
        column,
        `only options of a ${noun} of the kind ${type}: ` +
          (known.length === 0 ? 'it has none here' : known.join(', ')) +
          inlineHint(sent, known),
      );
    }
    if (seen.has(name)) throw bad(column, `${name} once`);
    seen.add(name);
  }
}

/** Returns the pairs of a query string by lower-cased name. */
function pairsOf(text: string): ReadonlyMap<string, string> {
  return new Map([...new URLSearchParams(text)].map(([name, value]) => [name.toLowerCase(), value]));
}

function parsedOption(name: string, field: Field, pairs: ReadonlyMap<string, string>): unknown {
  return parseValue(field, pairs.get(name.toLowerCase()) ?? null, name, { timeZone: 'UTC' });
}

/** The check that keeps card numbers out of everything that callers store: only payment gateways store them. */
import { refuseCardNumbers } from '../declare/core-settings.ts';
import type { Field } from '../declare/field-types.ts';
import type { Operation } from '../declare/operation.ts';
import type { Registry } from '../declare/registry.ts';
import type { Settings } from '../declare/setting.ts';
import type { Parameters } from '../parameters/parameters.ts';
import { bad, type RawValue } from '../parameters/parse-value.ts';
import { containsCardNumber } from '../security/card-number.ts';

/** The parts of an installation that the check reads. */
interface Installation {
  readonly settings: Settings;
  readonly registry: Registry;
}

/** Text of base64 characters without whitespace is a file if it is at least this long. */
const FILE_CHARACTERS = 1_000;
const BASE64 = /^[\w+/-]+={0,2}$/;
/** Characters of the longest text that is read as a query string as well. Calls of rules and steps are shorter. */
const QUERY_CHARACTERS_MAX = 100_000;
/**
 * A loan or docket number: digits in a row, with letters and one separator before them at most, as in `LN-4111111111`.
 * Digits in groups are not one, and neither is a word and a blank, as in "Card 4111111111".
 */
const IDENTIFIER = /^\s*(?:\p{L}{1,12}[-_/.:#]?)?\d+\s*$/u;

/**
 * Throws BAD_PARAMETER, without the value, if parameters that a caller sent contain a card number: in any text, at any
 * depth, under any name, so that notes, rules, templates, custom fields, file names, and configured or queued calls
 * can't store one. The content of files is not read. Fields that identify something accept {@link IDENTIFIER}.
 */
export function assertNoCardNumbers(
  { settings, registry }: Installation,
  { params, record }: Pick<Operation, 'params' | 'record'>,
  parameters: Parameters,
): void {
  if (!settings.get(refuseCardNumbers)) return;
  for (const name in parameters) {
    const last = name.slice(name.lastIndexOf('_') + 1);
    const field = params[name] ?? record?.columns.get(last.toLowerCase())?.field;
    const value = parameters[name] ?? null;
    if (holdsCardNumber(field?.kind === 'idList' ? idsIn(value) : value, isIdentifier(registry, last, field)))
      throw bad(
        name,
        'text without a card number: only payment gateways store card numbers. If it is another number, an ' +
          'administrator can turn off the setting RefuseCardNumbers',
      );
  }
}

/** Returns the IDs of a list separately: four IDs of four digits in a row may look like a card number in groups. */
function idsIn(value: RawValue): RawValue {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  return typeof value === 'string' ? value.split(',') : value;
}

/** Whether a parameter is an identifier in another system. External IDs are parameters of every save. */
function isIdentifier(registry: Registry, name: string, field: Field | undefined): boolean {
  if (field) return field.identifies === true;
  return /SubscriberID$/i.test(name) || identifiersOf(registry).has(name.toLowerCase());
}

const identifiers = new WeakMap<Registry, ReadonlySet<string>>();

/** Returns the lower-case names of columns of any record type that identify something in another system. */
function identifiersOf(registry: Registry): ReadonlySet<string> {
  let known = identifiers.get(registry);
  if (!known) {
    const columns = registry.records().flatMap((record) => [...record.columns]);
    known = new Set(columns.flatMap(([name, { field }]) => (field.identifies === true ? [name] : [])));
    identifiers.set(registry, known);
  }
  return known;
}

function holdsCardNumber(value: RawValue, identifies: boolean): boolean {
  if (value === null || typeof value === 'boolean') return false;
  if (typeof value === 'object')
    return Object.entries(value).some(
      ([key, each]) => (!Array.isArray(value) && containsCardNumber(key)) || holdsCardNumber(each, identifies),
    );
  const text = String(value);
  if (identifies && IDENTIFIER.test(text)) return false;
  if (text.length >= FILE_CHARACTERS && BASE64.test(text)) return false;
  if (containsCardNumber(text)) return true;
  return text.length <= QUERY_CHARACTERS_MAX && text.includes('%') && containsCardNumber(decoded(text));
}

/** Returns a text with the escapes of a query string decoded, as in the calls of rules and steps. */
function decoded(text: string): string {
  return text.replaceAll(/%([\dA-F]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

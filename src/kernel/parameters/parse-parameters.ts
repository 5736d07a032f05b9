import { didYouMean, PlatformError } from '../door/errors.ts';
import type { Field } from '../declare/field-types.ts';
import type { OperationDeclaration } from '../declare/operation.ts';
import { contradiction, typeAndBases } from './identification.ts';
import { parameter, type Parameters } from './parameters.ts';
import { parseValue, type ParseOptions, type RawValue } from './parse-value.ts';
import type { RecordType } from '../declare/record.ts';

/**
 * Parsed parameters: the declared ones under their declared names, the others that were sent, and ids that were sent as
 * external ids.
 */
export interface ParsedCall {
  readonly params: Record<string, unknown>;
  readonly rest: Parameters;
  readonly externalIds: readonly SentExternalId[];
  /** The names under which declared parameters were sent: a synonym, or another case. */
  readonly sentAs: ReadonlyMap<string, string>;
}

/** An id parameter that was sent as an external id. */
export interface SentExternalId {
  readonly param: string;
  /** The name under which it was sent: `SubscriberID`. */
  readonly name: string;
  readonly record: string;
  readonly subscriberId: string;
  readonly list: boolean;
}

type ParameterDeclaration = OperationDeclaration & { readonly record: RecordType | undefined };

interface NamedField {
  readonly name: string;
  readonly field: Field;
}

const tables = new WeakMap<ParameterDeclaration, ReadonlyMap<string, NamedField>>();

/**
 * Returns the declared parameters of an operation by lower-cased name, with the synonym that every operation has:
 * `{Table}ID` for `ID`.
 */
function knownNames(operation: ParameterDeclaration): ReadonlyMap<string, NamedField> {
  let known = tables.get(operation);
  if (!known) {
    const made = new Map<string, NamedField>();
    for (const [name, field] of Object.entries(operation.params)) {
      made.set(name.toLowerCase(), { name, field });
      if (name === 'ID' && operation.record && operation.free !== 'filters')
        for (const of of typeAndBases(operation.record)) made.set(of.idField.toLowerCase(), { name, field });
    }
    tables.set(operation, (known = made));
  }
  return known;
}

/**
 * Parses a call's parameters by the operation's declaration. Names ignore case.
 * @throws UNKNOWN_PARAMETER listing the known names, unless the operation is `free`; MISSING_PARAMETER, BAD_PARAMETER,
 *   also for two names of one parameter with different values
 */
export function parseParameters(
  operation: ParameterDeclaration,
  parameters: Parameters,
  options: ParseOptions,
): ParsedCall {
  const known = knownNames(operation);
  const params: Record<string, unknown> = {};
  const sentAs = new Map<string, string>();
  // Without a prototype, since callers choose the names.
  const rest = Object.create(null) as Record<string, RawValue>;
  const externalIds: SentExternalId[] = [];
  for (const name in parameters) {
    const raw = parameters[name] ?? null;
    const declared = known.get(name.toLowerCase());
    if (declared) {
      const value = parseValue(declared.field, raw, name, options);
      setDeclared({ params, sentAs }, declared.name, { name, value });
    } else {
      const externalId = externalIdOf(operation, name, raw, (of) => parameter(parameters, of));
      if (externalId) externalIds.push(externalId);
      else rest[name] = raw;
    }
  }
  if (operation.free === undefined) {
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) throw unknownParameter(operation, unknown);
  }
  for (const [name, field] of Object.entries(operation.params)) {
    if ((params[name] ?? null) === null && field.default !== undefined) params[name] = field.default;
    if (field.required && (params[name] ?? null) === null && !externalIds.some((s) => s.param === name)) {
      throw new PlatformError('MISSING_PARAMETER', { field: name, message: `${name} is required. ${field.doc}` });
    }
  }
  return { params, rest, externalIds, sentAs };
}

/** Sets a declared parameter. Throws BAD_PARAMETER where it was sent before under another name, with another value. */
function setDeclared(
  { params, sentAs }: { readonly params: Record<string, unknown>; readonly sentAs: Map<string, string> },
  declared: string,
  sent: { readonly name: string; readonly value: unknown },
): void {
  const first = sentAs.get(declared);
  const known = params[declared] ?? null;
  if (first === undefined || known === null) {
    params[declared] = sent.value;
    sentAs.set(declared, sent.name);
  } else if (sent.value !== null && !isSameValue(known, sent.value)) throw contradiction(first, sent.name);
}

/** Whether two values of an id or a list of ids are the same; the order of a list does not matter. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  const ids = new Set<unknown>(a);
  return a.length === b.length && b.every((id) => ids.has(id));
}

/** Returns the declared field of a parameter in any of its spellings; undefined if the operation declares none. */
export function declaredParameter(operation: ParameterDeclaration, name: string): Field | undefined {
  const known = knownNames(operation);
  const externalId = externalIdOf(operation, name, 'x', () => 'x');
  return known.get(name.toLowerCase())?.field ?? (externalId && subscriberField);
}

const subscriberField: Field<string> = {
  kind: 'text',
  classification: 'public',
  doc: 'An outside identifier.',
  max: 255,
  exact: true,
};

/** Returns the external id that a parameter gives: `{X}SubscriberID` for `{X}ID`, `SubscriberID` for `ID`. */
function externalIdOf(
  operation: ParameterDeclaration,
  name: string,
  raw: RawValue,
  sent: (name: string) => RawValue | undefined,
): SentExternalId | undefined {
  if (operation.free === 'fields' || operation.free === 'filters') return undefined;
  if (!name.toLowerCase().endsWith('subscriberid') || typeof raw !== 'string' || raw === '') return undefined;
  const target = knownNames(operation).get(`${name.toLowerCase().slice(0, -'subscriberid'.length)}id`);
  const record = target && referencedRecord(operation, target, sent);
  if (!target || record === undefined) return undefined;
  return { param: target.name, name, record, subscriberId: raw, list: target.field.kind === 'idList' };
}

/** Returns the name of the record type that an id parameter refers to. */
function referencedRecord(
  operation: ParameterDeclaration,
  { name, field }: NamedField,
  sent: (name: string) => RawValue | undefined,
): string | undefined {
  if (name === 'ID') return operation.record?.name;
  if (field.to !== undefined) return field.to;
  // ObjectID refers to the record type in Object.
  const className = name.endsWith('ObjectID') ? sent(name.slice(0, -2)) : undefined;
  return typeof className === 'string' ? className : undefined;
}

function unknownParameter(operation: ParameterDeclaration, name: string): PlatformError {
  const names = Object.keys(operation.params);
  return new PlatformError('UNKNOWN_PARAMETER', {
    field: name,
    message:
      `${name}: the operation takes no such parameter.${didYouMean(name, names)} ` +
      `Known: ${names.join(', ') || 'none'}.`,
  });
}

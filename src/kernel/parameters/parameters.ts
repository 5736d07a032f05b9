import { PlatformError } from '../door/errors.ts';
import type { RawValue } from './parse-value.ts';

/**
 * Parameters in their normalized form: flat names (`Contacts_0_FirstName`) to raw values, whatever format they were
 * sent in.
 */
export type Parameters = Readonly<Record<string, RawValue>>;

/** Deepest nesting of parameters. */
export const PARAMETER_DEPTH_MAX = 12;
/** Most parameters of one call, counting nested ones one by one. */
const PARAMETERS_MAX = 20_000;
/** Most nodes of a body that are visited: parameters, their containers, and empty places between them. */
const VISITS_MAX = 2 * PARAMETERS_MAX;

function listOf(value: RawValue): RawValue[] {
  return Array.isArray(value) ? [...(value as readonly RawValue[])] : [value];
}

/** Collects parameters; a name that is sent twice becomes a list. */
export class ParameterCollector {
  private readonly values: Record<string, RawValue> = Object.create(null) as Record<string, RawValue>;
  private readonly spelling = new Map<string, string>();
  private lists: Map<string, RawValue[]> | undefined;
  private count = 0;
  private visits = 0;

  /** Counts a visited node, even an empty one: an empty object costs its reading. */
  visit(): void {
    if (++this.visits > VISITS_MAX)
      throw new PlatformError('TOO_LARGE', { message: `A call takes at most ${PARAMETERS_MAX} parameters.` });
  }

  add(name: string, value: RawValue): void {
    if (++this.count > PARAMETERS_MAX)
      throw new PlatformError('TOO_LARGE', { message: `A call takes at most ${PARAMETERS_MAX} parameters.` });
    const lowerName = name.toLowerCase();
    const known = this.spelling.get(lowerName);
    if (known === undefined) {
      this.spelling.set(lowerName, name);
      this.values[name] = value;
      return;
    }
    this.lists ??= new Map();
    const list = this.lists.get(known) ?? listOf(this.values[known] ?? null);
    list.push(...listOf(value));
    this.lists.set(known, list);
    this.values[known] = list;
  }

  has(name: string): boolean {
    return this.spelling.has(name.toLowerCase());
  }

  all(): Parameters {
    return this.values;
  }
}

/** Merges parameters by name, ignoring case; later sources override earlier ones: path over query, query over body. */
export function mergeParameters(...all: readonly Parameters[]): Parameters {
  const sources = all.filter(hasNames);
  if (sources.length <= 1) return sources[0] ?? {};
  const byLowerName = new Map<string, readonly [name: string, value: RawValue]>();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source)) {
      byLowerName.delete(name.toLowerCase());
      byLowerName.set(name.toLowerCase(), [name, value]);
    }
  }
  const merged = Object.create(null) as Record<string, RawValue>;
  for (const [name, value] of byLowerName.values()) merged[name] = value;
  return merged;
}

function hasNames(parameters: Parameters): boolean {
  for (const _name in parameters) return true;
  return false;
}

/** Returns the parameters of a query string or form body. A comparison may replace `=`: `UPBAmount>=1000`. */
export function parametersFromQuery(text: string): Parameters {
  if (text === '') return {};
  const collector = new ParameterCollector();
  // Not split at once: of a text of millions of characters no more is read than a call may send.
  for (let start = 0; start <= text.length;) {
    const next = text.indexOf('&', start);
    const end = next < 0 ? text.length : next;
    const pair = text.slice(start, end);
    start = end + 1;
    collector.visit();
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + 1));
    addComparison(collector, name, value, at >= 0);
  }
  return collector.all();
}

/** Adds one pair. `X>` with a value is X with `>=value`; `X>5` without one is X with `>5`. */
function addComparison(collector: ParameterCollector, name: string, value: string, hasValue: boolean): void {
  const comparison = /[!<>]/.test(name) ? /^([A-Za-z_][\w.]*)\s*(<>|!|<|>)(.*)$/s.exec(name) : null;
  if (!comparison) return collector.add(name, value);
  const [, plain = '', sign = '', rest = ''] = comparison;
  if (hasValue && rest === '') return collector.add(plain, `${sign === '!' ? '<>' : `${sign}=`}${value}`);
  collector.add(plain, `${sign}${rest}${hasValue ? `=${value}` : ''}`);
}

function decode(text: string): string {
  if (!/[+%]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new PlatformError('BAD_PARAMETER', {
      message: 'The query string or form body contains an invalid percent escape.',
    });
  }
}

/** Returns the parameters of a JSON object; nested objects and arrays become prefixed names. */
export function parametersFromJson(value: unknown): Parameters {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PlatformError('BAD_JSON', { message: 'The JSON body must be an object of parameters.' });
  }
  const collector = new ParameterCollector();
  for (const [name, member] of Object.entries(value)) flatten(collector, name, member, 1);
  return collector.all();
}

/**
 * Converts what code passes to `ctx.call` into parameters; nested objects and arrays of objects become prefixed names.
 */
export function parametersFromCode(values: Readonly<Record<string, unknown>>): Parameters {
  for (const name in values) {
    if (typeof values[name] === 'object' && values[name] !== null) return parametersFromJson(values);
  }
  return values as Parameters;
}

function flatten(collector: ParameterCollector, name: string, value: unknown, depth: number): void {
  if (depth > PARAMETER_DEPTH_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: name,
      message: `Parameters can be nested at most ${PARAMETER_DEPTH_MAX} deep.`,
    });
  collector.visit();
  if (value === undefined) return;
  if (Array.isArray(value)) {
    const scalars = value.every((v) => typeof v !== 'object' || v === null);
    if (scalars) return collector.add(name, value as RawValue[]);
    value.forEach((member, index) => flatten(collector, `${name}_${index}`, member, depth + 1));
    return;
  }
  if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) flatten(collector, `${name}_${key}`, member, depth + 1);
    return;
  }
  collector.add(name, value as RawValue);
}

/** Returns one value by name, ignoring case. */
export function parameter(parameters: Parameters, name: string): RawValue | undefined {
  const exact = parameters[name];
  if (exact !== undefined) return exact;
  const lowerName = name.toLowerCase();
  for (const key in parameters)
    if (key.length === lowerName.length && key.toLowerCase() === lowerName) return parameters[key];
  return undefined;
}

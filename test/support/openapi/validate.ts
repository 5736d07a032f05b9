import type { OpenApiDocument } from '../../../src/surfaces/openapi/openapi.ts';

type Node = Readonly<Record<string, unknown>>;

/** What a JSON pointer of the document leads to; throws where it leads nowhere. */
export function resolve(document: OpenApiDocument, pointer: string): Node {
  if (!pointer.startsWith('#/')) throw new Error(`${pointer} leads out of the document`);
  let at: unknown = document;
  for (const part of pointer.slice(2).split('/'))
    at = (at as Node | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  if (typeof at !== 'object' || at === null) throw new Error(`${pointer} leads nowhere`);
  return at as Node;
}

/** A node itself, or what its reference leads to. */
export function follow(document: OpenApiDocument, node: unknown): Node {
  const reference = (node as Node)['$ref'];
  return typeof reference === 'string' ? resolve(document, reference) : (node as Node);
}

/** Keywords that say nothing about validity. */
const annotationKeywords = new Set(['description', 'examples', 'default', 'xml', 'writeOnly', 'contentMediaType']);

/**
 * What is wrong with a value by a schema of the document, empty where nothing is. Stricter than JSON Schema in two ways that
 * a test wants: a member that the schema does not declare is wrong, and so is a keyword that this validator does not know.
 */
export function validate(document: OpenApiDocument, schema: unknown, value: unknown, at = '$'): string[] {
  const problems: string[] = [];
  const declared = new Set<string>();
  const open = check(document, schema as Node, value, at, problems, declared);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !open) {
    for (const name of Object.keys(value)) if (!declared.has(name)) problems.push(`${at}.${name} is not declared`);
  }
  return problems;
}

/** Answers whether the schema takes members that it does not name. */
function check(
  document: OpenApiDocument,
  schema: Node,
  value: unknown,
  at: string,
  problems: string[],
  declared: Set<string>,
): boolean {
  let open = Object.keys(schema).every((key) => annotationKeywords.has(key)) || schema['additionalProperties'] === true;
  for (const [keyword, of] of Object.entries(schema)) {
    if (annotationKeywords.has(keyword)) continue;
    if (keyword === '$ref')
      open = check(document, resolve(document, of as string), value, at, problems, declared) || open;
    else if (keyword === 'allOf')
      for (const part of of as Node[]) open = check(document, part, value, at, problems, declared) || open;
    else if (keyword === 'properties') checkProperties(document, of as Node, value, at, problems, declared);
    else if (keyword === 'patternProperties')
      checkProperties(document, byPattern(of as Node, value), value, at, problems, declared);
    else if (keyword === 'items') {
      if (Array.isArray(value))
        value.forEach((each, i) => problems.push(...validate(document, of, each, `${at}[${i}]`)));
    } else if (keyword !== 'additionalProperties' && !passes(keyword, of, value))
      problems.push(`${at} is ${JSON.stringify(value)}, against ${keyword} ${JSON.stringify(of)}`);
  }
  return open;
}

/** The members of a value whose names match a pattern, each with the pattern's schema. */
function byPattern(patterns: Node, value: unknown): Node {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return Object.fromEntries(
    Object.entries(patterns).flatMap(([pattern, schema]) =>
      names.filter((name) => new RegExp(pattern, 'u').test(name)).map((name) => [name, schema]),
    ),
  );
}

function checkProperties(
  document: OpenApiDocument,
  properties: Node,
  value: unknown,
  at: string,
  problems: string[],
  declared: Set<string>,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, schema] of Object.entries(properties)) {
    declared.add(name);
    if (name in value) problems.push(...validate(document, schema, (value as Node)[name], `${at}.${name}`));
  }
}

function passes(keyword: string, of: unknown, value: unknown): boolean {
  switch (keyword) {
    case 'type':
      return (Array.isArray(of) ? (of as string[]) : [of as string]).some((type) => isType(type, value));
    case 'enum':
      return (of as unknown[]).includes(value);
    case 'required':
      return typeof value !== 'object' || value === null || (of as string[]).every((name) => name in value);
    case 'pattern':
      return typeof value !== 'string' || new RegExp(of as string, 'u').test(value);
    case 'format':
      return typeof value !== 'string' || hasFormat(of as string, value);
    case 'minimum':
      return typeof value !== 'number' || value >= (of as number);
    case 'maximum':
      return typeof value !== 'number' || value <= (of as number);
    case 'minLength':
      return typeof value !== 'string' || [...value].length >= (of as number);
    case 'maxLength':
      return typeof value !== 'string' || [...value].length <= (of as number);
    case 'minItems':
      return !Array.isArray(value) || value.length >= (of as number);
    case 'maxItems':
      return !Array.isArray(value) || value.length <= (of as number);
    default:
      throw new Error(`this validator does not know the keyword ${keyword}`);
  }
}

function isType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      throw new Error(`there is no type ${type}`);
  }
}

function hasFormat(format: string, value: string): boolean {
  if (format === 'date') return /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  if (format === 'date-time')
    return (
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(value) && !Number.isNaN(Date.parse(value))
    );
  if (format === 'decimal') return /^-?\d+(\.\d+)?$/.test(value);
  return true;
}

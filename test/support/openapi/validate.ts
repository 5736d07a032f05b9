import type { OpenApiDocument } from '../../../src/surfaces/openapi/openapi.ts';

type Node = Readonly<Record<string, unknown>>;

/** Returns the target of a JSON pointer of the document; throws if there is none. */
export function resolve(document: OpenApiDocument, pointer: string): Node {
  if (!pointer.startsWith('#/')) throw new Error(`${pointer} leads out of the document`);
  let at: unknown = document;
  for (const part of pointer.slice(2).split('/'))
    at = (at as Node | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  if (typeof at !== 'object' || at === null) throw new Error(`${pointer} leads nowhere`);
  return at as Node;
}

/** Returns a node itself, or the target of its reference. */
export function follow(document: OpenApiDocument, node: unknown): Node {
  const reference = (node as Node)['$ref'];
  return typeof reference === 'string' ? resolve(document, reference) : (node as Node);
}

/** Keywords without effect on validity. */
const annotationKeywords = new Set(['description', 'examples', 'default', 'xml', 'writeOnly', 'contentMediaType']);

/**
 * Returns the problems of a value under a schema of the document; empty if it is valid. Stricter than JSON Schema in
 * two ways: a member that the schema does not declare is a problem, and so is a keyword unknown to this validator.
 */
export function validate(document: OpenApiDocument, schema: unknown, value: unknown, at = '$'): string[] {
  const problems: string[] = [];
  const declared = new Set<string>();
  const open = check(document, schema as Node, value, { at, problems, declared });
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !open) {
    for (const name of Object.keys(value)) if (!declared.has(name)) problems.push(`${at}.${name} is not declared`);
  }
  return problems;
}

/** Returns whether the schema allows members that it does not name. */
function check(
  document: OpenApiDocument,
  schema: Node,
  value: unknown,
  { at, problems, declared }: { readonly at: string; readonly problems: string[]; readonly declared: Set<string> },
): boolean {
  let open = Object.keys(schema).every((key) => annotationKeywords.has(key)) || schema['additionalProperties'] === true;
  for (const [keyword, of] of Object.entries(schema)) {
    if (annotationKeywords.has(keyword)) continue;
    if (keyword === '$ref')
      open = check(document, resolve(document, of as string), value, { at, problems, declared }) || open;
    else if (keyword === 'allOf')
      for (const part of of as Node[]) open = check(document, part, value, { at, problems, declared }) || open;
    else if (keyword === 'properties') checkProperties(document, of as Node, value, { at, problems, declared });
    else if (keyword === 'patternProperties')
      checkProperties(document, byPattern(of as Node, value), value, { at, problems, declared });
    else if (keyword === 'items') {
      if (Array.isArray(value))
        value.forEach((each, i) => problems.push(...validate(document, of, each, `${at}[${i}]`)));
    } else if (keyword !== 'additionalProperties' && !passes(keyword, of, value))
      problems.push(`${at} is ${JSON.stringify(value)}, against ${keyword} ${JSON.stringify(of)}`);
  }
  return open;
}

/** Returns the members of a value whose names match a pattern, each with the pattern's schema. */
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
  { at, problems, declared }: { readonly at: string; readonly problems: string[]; readonly declared: Set<string> },
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, schema] of Object.entries(properties)) {
    declared.add(name);
    if (name in value) problems.push(...validate(document, schema, (value as Node)[name], `${at}.${name}`));
  }
}

/** A JSON Schema keyword: whether a value passes it. Keywords of other types than the value's pass. */
type Keyword = (of: unknown, value: unknown) => boolean;

const ofText =
  (test: (of: unknown, text: string) => boolean): Keyword =>
  (of, value) =>
    typeof value !== 'string' || test(of, value);
const ofNumber =
  (test: (limit: number, value: number) => boolean): Keyword =>
  (of, value) =>
    typeof value !== 'number' || test(of as number, value);
const ofList =
  (test: (limit: number, length: number) => boolean): Keyword =>
  (of, value) =>
    !Array.isArray(value) || test(of as number, value.length);

const keywords: Readonly<Record<string, Keyword>> = {
  type: (of, value) => (Array.isArray(of) ? (of as string[]) : [of as string]).some((type) => isType(type, value)),
  enum: (of, value) => (of as unknown[]).includes(value),
  required: (of, value) =>
    typeof value !== 'object' || value === null || (of as string[]).every((name) => name in value),
  pattern: ofText((of, text) => new RegExp(of as string, 'u').test(text)),
  format: ofText((of, text) => hasFormat(of as string, text)),
  minimum: ofNumber((limit, value) => value >= limit),
  maximum: ofNumber((limit, value) => value <= limit),
  minLength: ofText((of, text) => Array.from(text).length >= (of as number)),
  maxLength: ofText((of, text) => Array.from(text).length <= (of as number)),
  minItems: ofList((limit, length) => length >= limit),
  maxItems: ofList((limit, length) => length <= limit),
};

function passes(keyword: string, of: unknown, value: unknown): boolean {
  const test = keywords[keyword];
  if (!test) throw new Error(`this validator does not know the keyword ${keyword}`);
  return test(of, value);
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

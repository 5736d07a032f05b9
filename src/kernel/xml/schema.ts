import { createHash } from 'node:crypto';
import { XmlLibError, type XsdValidator } from 'libxml2-wasm';
import { PlatformError } from '../door/errors.ts';
import { elementAt, parseXml, type XmlElement } from './element.ts';
import type { SchemaIssue } from './schema-issue.ts';
import { compileXsd, validateBytes, type LibxmlIssue } from './libxml.ts';
import { toUtf8 } from './prolog.ts';
import { schemaMessage } from './schema-messages.ts';

/**
 * A schema as its files: `name` is the one to begin with, the others are what it includes, by the name that
 * `schemaLocation` says.
 */
export interface SchemaSource {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

/** How far a validation goes. */
export interface ValidateOptions {
  /** Bounds the document; default {@link SCHEMA_BYTES_MAX}. */
  readonly bytesMax?: number;
  /**
   * Lets a single text be longer than libxml2's 10 MB. Give `bytesMax` with it: the memory that one document took stays
   * with the process.
   */
  readonly huge?: boolean;
  /** Default {@link SCHEMA_ISSUES_MAX}. */
  readonly issuesMax?: number;
}

/** A compiled schema. */
export interface CompiledSchema {
  readonly name: string;
  /**
   * All faults of a document, in the order of the document, up to a limit; none: it is valid.
   *
   * @throws BAD_XML when it is malformed, has a DOCTYPE or another encoding than prolog.ts accepts; TOO_LARGE beyond
   * `bytesMax`
   */
  validate(bytes: Uint8Array, options?: ValidateOptions): SchemaIssue[];
}

/** What is validated at once. Memory of libxml2 never shrinks, and a document takes about five times its size. */
const SCHEMA_BYTES_MAX = 16 * 1024 * 1024;
/** Beyond these a sender reads no further; a file of another shape altogether would give one for each element. */
const SCHEMA_ISSUES_MAX = 200;
/** Nine operations in the seven latest spellings of a setting: compiled schemas that are kept. */
const COMPILED_MAX = 64;

const compiled = new Map<string, CompiledSchema>();

/**
 * Compiles a schema, once for each content: the same files are answered from memory.
 *
 * @throws Error when the schema itself is wrong, with the file and line
 */
export function compileSchema(source: SchemaSource): CompiledSchema {
  const key = contentHash(source);
  const known = compiled.get(key);
  if (known) return known;
  const validator = compileXsd(source.name, source.files);
  const expectations = readExpectations(source.files);
  const schema: CompiledSchema = {
    name: source.name,
    validate: (bytes, options = {}) => validate(validator, expectations, bytes, options),
  };
  // The oldest goes first. It is not disposed, since somebody may hold it; the library frees it when nobody does.
  if (compiled.size >= COMPILED_MAX) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(key, schema);
  return schema;
}

/**
 * What the schema says in words of its types: by name of a simple type, and by the pattern of one. The documentation
 * completes "expected …".
 */
export interface Expectations {
  readonly byType: ReadonlyMap<string, string>;
  readonly byPattern: ReadonlyMap<string, string>;
  /** The elements that a document may begin with. */
  readonly roots: readonly string[];
}

function validate(
  validator: XsdValidator,
  expectations: Expectations,
  bytes: Uint8Array,
  options: ValidateOptions,
): SchemaIssue[] {
  const bytesMax = options.bytesMax ?? SCHEMA_BYTES_MAX;
  if (bytes.length > bytesMax)
    throw new PlatformError('TOO_LARGE', {
      message: `The document is larger than the ${bytesMax} bytes that are validated at once.`,
    });
  const utf8 = toUtf8(bytes);
  let raw: LibxmlIssue[];
  try {
    raw = validateBytes(validator, utf8, options.issuesMax ?? SCHEMA_ISSUES_MAX, options.huge ?? false);
  } catch (cause) {
    throw cause instanceof XmlLibError ? notWellFormed(cause) : cause;
  }
  if (raw.length === 0) return [];
  // Only a faulty document is read a second time, for the values that libxml2 leaves out of its messages and for the
  // line where a tag begins.
  const tree = parseLeniently(utf8, bytesMax);
  return dedupeIssues(
    raw.map((issue) => {
      const at = tree && issue.path !== '' ? elementAt(tree, issue.path) : undefined;
      return { ...schemaMessage(issue, at, expectations), line: at?.line ?? issue.line, path: issue.path };
    }),
  );
}

/**
 * libxml2 complains of an empty text for each facet that it breaks; the first says enough. An unknown attribute is a
 * fault of its own.
 */
function dedupeIssues(issues: readonly (SchemaIssue & { readonly attribute: string })[]): SchemaIssue[] {
  const seen = new Set<string>();
  return issues.flatMap(({ attribute, ...issue }) => {
    const key = `${issue.path} ${issue.line} ${attribute === '' ? '' : `@${attribute}`}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [attribute === '' ? issue : { ...issue, path: `${issue.path}/@${attribute}` }];
  });
}

function parseLeniently(utf8: Uint8Array, bytesMax: number): XmlElement | undefined {
  try {
    return parseXml(utf8, { bytesMax });
  } catch {
    return undefined; // Beyond the tree's limits the messages stand without values and with libxml2's lines.
  }
}

function notWellFormed(error: XmlLibError): PlatformError {
  const first = error.details[0];
  const line = first?.line ?? 0;
  const column = first?.col ?? 0;
  const words = (first?.message ?? error.message)
    .trim()
    .replace(/\.$/, '')
    .slice(0, 200)
    .replace(/^Excessive depth in document: (\d+).*/s, 'its elements are nested more than $1 levels deep');
  return new PlatformError('BAD_XML', {
    message: `Line ${line}, column ${column}: The document is not well-formed: ${words}.`,
    details: { line, column },
  });
}

function contentHash(source: SchemaSource): string {
  const hash = createHash('sha256').update(
    JSON.stringify([source.name, Object.entries(source.files).sort(([a], [b]) => (a < b ? -1 : 1))]),
  );
  return hash.digest('base64');
}

function readExpectations(files: Readonly<Record<string, string>>): Expectations {
  const byType = new Map<string, string>();
  const byPattern = new Map<string, string>();
  const shared = new Set<string>();
  const roots: string[] = [];
  for (const text of Object.values(files)) {
    for (const type of parseXml(text).children) {
      if (local(type.name) === 'element') roots.push(type.attributes['name'] ?? '');
      const words = local(type.name) === 'simpleType' ? documentationOf(type) : undefined;
      if (words === undefined) continue;
      byType.set(type.attributes['name'] ?? '', words);
      for (const pattern of type.children
        .flatMap((child) => child.children)
        .filter((facet) => local(facet.name) === 'pattern')) {
        // A pattern that two types share says nothing of the one that was broken.
        const value = pattern.attributes['value'] ?? '';
        if (byPattern.has(value)) shared.add(value);
        byPattern.set(value, words);
      }
    }
  }
  for (const value of shared) byPattern.delete(value);
  return { byType, byPattern, roots };
}

/** The text of `annotation/documentation` of a schema component on one line, or undefined. */
export function documentationOf(component: XmlElement): string | undefined {
  const annotation = component.children.find((child) => local(child.name) === 'annotation');
  const documentation = annotation?.children.find((child) => local(child.name) === 'documentation');
  return documentation?.text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

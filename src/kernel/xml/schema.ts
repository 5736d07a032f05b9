import { createHash } from 'node:crypto';
import { XmlLibError, type XsdValidator } from 'libxml2-wasm';
import { PlatformError } from '../door/errors.ts';
import { Cache } from '../time/cache.ts';
import { elementAt, parseXml, type XmlElement } from './element.ts';
import type { SchemaIssue } from './schema-issue.ts';
import { compileXsd, validateBytes, type LibxmlIssue } from './libxml.ts';
import { toUtf8 } from './prolog.ts';
import { schemaMessage } from './schema-messages.ts';

/**
 * A schema as files: `name` is the main one; the others are its includes, by the name in `schemaLocation`.
 */
export interface SchemaSource {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Limits of a validation. */
export interface ValidateOptions {
  /** Largest document, in bytes; default {@link SCHEMA_BYTES_MAX}. */
  readonly bytesMax?: number;
  /**
   * Allows a text longer than libxml2's 10 MB. Set `bytesMax` too: the process never releases the memory that a
   * document took.
   */
  readonly huge?: boolean;
  /** Most issues returned; default {@link SCHEMA_ISSUES_MAX}. */
  readonly issuesMax?: number;
}

/** A compiled schema. */
export interface CompiledSchema {
  readonly name: string;
  /**
   * Returns the issues of a document, in document order, up to the limit; empty if it is valid.
   *
   * @throws BAD_XML if it is malformed, has a DOCTYPE or an encoding that prolog.ts does not accept; TOO_LARGE beyond
   * `bytesMax`
   */
  validate(bytes: Uint8Array, options?: ValidateOptions): SchemaIssue[];
}

/**
 * Largest document that is validated. libxml2's memory never shrinks, and a document takes about five times its size.
 */
const SCHEMA_BYTES_MAX = 16 * 1024 * 1024;
/** Most issues: senders do not read more, and a file of another format would have one per element. */
const SCHEMA_ISSUES_MAX = 200;
/** Most cached schemas: nine operations with the seven latest spellings of a setting. */
const COMPILED_MAX = 64;

/** Dropped schemas are not disposed of, because a caller may still use one; the library frees them afterwards. */
const compiled = new Cache<string, CompiledSchema>({ max: COMPILED_MAX });

/**
 * Compiles a schema. Caches by content: the same files return the same compiled schema.
 *
 * @throws Error if the schema is invalid, with the file and line
 */
export function compileSchema(source: SchemaSource): CompiledSchema {
  return compiled.getOrLoad(contentHash(source), () => {
    const validator = compileXsd(source.name, source.files);
    const expectations = readExpectations(source.files);
    return {
      name: source.name,
      validate: (bytes, options = {}) => validate(validator, expectations, bytes, options),
    };
  });
}

/**
 * What the schema's documentation expects of values: by name of a simple type, and by a type's pattern. The texts
 * complete "expected …".
 */
export interface Expectations {
  readonly byType: ReadonlyMap<string, string>;
  readonly byPattern: ReadonlyMap<string, string>;
  /** Allowed root elements. */
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
  // Parse again only if there are issues, for what libxml2 omits: the values, and the line where a tag begins.
  const tree = parseLeniently(utf8, bytesMax);
  return dedupeIssues(
    raw.map((issue) => {
      const at = tree && issue.path !== '' ? elementAt(tree, issue.path) : undefined;
      return { ...schemaMessage(issue, at, expectations), line: at?.line ?? issue.line, path: issue.path };
    }),
  );
}

/**
 * Removes redundant issues: libxml2 reports an empty text once for each facet that it violates, and the first is
 * enough. Unknown attributes are separate issues.
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
    return undefined; // Beyond the tree's limits the messages have no values and libxml2's lines.
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
        // A pattern shared by two types does not identify the violated one.
        const value = pattern.attributes['value'] ?? '';
        if (byPattern.has(value)) shared.add(value);
        byPattern.set(value, words);
      }
    }
  }
  for (const value of shared) byPattern.delete(value);
  return { byType, byPattern, roots };
}

/** Returns the text of a component's `annotation/documentation` on one line, or undefined. */
export function documentationOf(component: XmlElement): string | undefined {
  const annotation = component.children.find((child) => local(child.name) === 'annotation');
  const documentation = annotation?.children.find((child) => local(child.name) === 'documentation');
  return documentation?.text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

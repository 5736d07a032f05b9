import { SaxesParser } from 'saxes';
import { PlatformError } from '../door/errors.ts';
import { PROLOG_BYTES_MAX, readProlog, refuseDoctype, toUtf8 } from './prolog.ts';

/** A parsed element. Names include prefixes, as written; comments and processing instructions are dropped. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Character data directly inside, including CDATA, unchanged. White space between child elements is dropped. */
  readonly text: string;
  /** Line of the start tag, from 1; 0 for an element built by code. */
  readonly line: number;
}

/** Limits of {@link parseXml}; each defaults to the constant of the same name. */
export interface XmlLimits {
  readonly bytesMax?: number;
  readonly depthMax?: number;
  readonly elementsMax?: number;
}

/**
 * A document tree takes about eight times the document's size, so this keeps one parse below 300 MB. Attachments are
 * extracted before (see lift.ts).
 */
const XML_BYTES_MAX = 32 * 1024 * 1024;
/**
 * The deepest document of the interfaces has 12 levels. Deep nesting only occurs in attacks on the stack of code that
 * walks the tree.
 */
const XML_DEPTH_MAX = 100;
/** Enough for ten thousand referrals of fifty elements each. */
const XML_ELEMENTS_MAX = 500_000;

/**
 * Parses a whole document strictly into a tree: XML 1.0 only, no DOCTYPE, only the five predefined entities.
 *
 * @param source bytes in any encoding that prolog.ts accepts, or text, whose declared encoding is ignored
 * @throws BAD_XML with `details.line` and `details.column`; TOO_LARGE beyond `bytesMax` or `elementsMax`
 */
export function parseXml(source: Uint8Array | string, limits: XmlLimits = {}): XmlElement {
  const bytesMax = limits.bytesMax ?? XML_BYTES_MAX;
  if (source.length > bytesMax)
    throw tooLarge(`The document is larger than the ${bytesMax} bytes that are read at once.`);
  return parseText(
    typeof source === 'string'
      ? checkedText(source)
      : new TextDecoder('utf-8', { ignoreBOM: true }).decode(toUtf8(source)),
    limits,
  );
}

/** Returns an element to write; `content` is its text or its children. */
export function xmlElement(
  name: string,
  content: string | readonly XmlElement[] = '',
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  const isText = typeof content === 'string';
  return { name, attributes, children: isText ? [] : content, text: isText ? content : '', line: 0 };
}

/** Returns the first child with a name, or undefined. */
export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name);
}

/**
 * Returns the trimmed text of the first child with a name; undefined without such a child.
 */
export function childText(element: XmlElement, name: string): string | undefined {
  return childOf(element, name)?.text.trim();
}

/**
 * Visits an element and its descendants, each with its path from the root. The path includes a position where siblings
 * share a name, as in `/ImportCollection/ForeclosureItem[2]/Loan`. If `visit` returns false, the descendants are
 * skipped.
 */
export function walkXml(
  root: XmlElement,
  visit: (element: XmlElement, path: string, parent: XmlElement | undefined) => unknown,
): void {
  const walk = (element: XmlElement, path: string, parent: XmlElement | undefined): void => {
    if (visit(element, path, parent) === false) return;
    const total = new Map<string, number>();
    for (const child of element.children) total.set(child.name, (total.get(child.name) ?? 0) + 1);
    const seen = new Map<string, number>();
    for (const child of element.children) {
      const position = (seen.get(child.name) ?? 0) + 1;
      seen.set(child.name, position);
      walk(child, `${path}/${child.name}${(total.get(child.name) ?? 0) > 1 ? `[${position}]` : ''}`, element);
    }
  };
  walk(root, `/${root.name}`, undefined);
}

/** Returns the element at a path of the form used by {@link walkXml}, or undefined. */
export function elementAt(root: XmlElement, path: string): XmlElement | undefined {
  const steps = path.split('/').slice(1);
  if (steps[0]?.replace(/\[1\]$/, '') !== root.name) return undefined;
  let element: XmlElement | undefined = root;
  for (const step of steps.slice(1)) {
    const parts: RegExpExecArray | null = /^(.*?)(?:\[(\d+)\])?$/.exec(step);
    let position = Number(parts?.[2] ?? 1);
    element = element.children.find((child) => child.name === parts?.[1] && --position === 0);
    if (!element) return undefined;
  }
  return element;
}

/**
 * Writes an element and its descendants, without a declaration and without added white space. Parsing the result gives
 * the same tree, except that characters which XML 1.0 cannot carry have become U+FFFD.
 *
 * @throws TypeError for an invalid name: names come from code, and a wrong one would change the structure
 */
export function writeXml(element: XmlElement): string {
  let tag = checkedName(element.name);
  for (const name in element.attributes)
    tag += ` ${checkedName(name)}="${escapeAttribute(element.attributes[name] ?? '')}"`;
  if (element.children.length === 0 && element.text === '') return `<${tag}/>`;
  let inner = escapeText(element.text);
  for (const child of element.children) inner += writeXml(child);
  return `<${tag}>${inner}</${element.name}>`;
}

/**
 * Escapes text for element content. A carriage return becomes a character reference, because a parser turns a plain one
 * into a line feed.
 */
export function escapeText(text: string): string {
  return TEXT_SPECIAL.test(text) ? text.replace(TEXT_SPECIALS, escapeCharacter) : text;
}

/**
 * Escapes text for an attribute in double or single quotes. Tabs and line ends become character references, because a
 * parser turns plain ones into spaces.
 */
export function escapeAttribute(text: string): string {
  return ATTRIBUTE_SPECIAL.test(text) ? text.replace(ATTRIBUTE_SPECIALS, escapeCharacter) : text;
}

// Characters that XML 1.0 cannot carry even as a reference: control characters, lone surrogates, U+FFFE and U+FFFF.
// The pattern completes an open character class.
const ILLEGAL =
  '\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]' +
  '|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff';
const TEXT_SPECIAL = new RegExp(`[&<>\\r${ILLEGAL}]`);
const TEXT_SPECIALS = new RegExp(TEXT_SPECIAL.source, 'g');
const ATTRIBUTE_SPECIAL = new RegExp(`[&<>"'\\t\\n\\r${ILLEGAL}]`);
const ATTRIBUTE_SPECIALS = new RegExp(ATTRIBUTE_SPECIAL.source, 'g');
const NAME_START =
  'A-Za-z_:\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d' +
  '\\u2070-\\u218f\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd';
const NAME = new RegExp(`^[${NAME_START}][-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040${NAME_START}]*$`);

function escapeCharacter(character: string): string {
  switch (character) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    case '"':
      return '&quot;';
    case "'":
      return '&#39;';
    case '\t':
      return '&#9;';
    case '\n':
      return '&#10;';
    case '\r':
      return '&#13;';
    default:
      return '\ufffd';
  }
}

function checkedName(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`"${name.slice(0, 60)}" is not an XML name.`);
  return name;
}

function checkedText(source: string): string {
  // After a lone surrogate the parser skips the next character, which could hide a "<" from it.
  if (!source.isWellFormed()) throw badXml('The document contains half of a surrogate pair.', 0, 0);
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const bytes = Buffer.from(text);
  // The declared version still counts; the encoding was applied when the bytes became text.
  readProlog(
    Buffer.from(
      text
        .slice(0, PROLOG_BYTES_MAX)
        .replace(/^(<\?xml[^>]*?)[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[^"]*"|'[^']*')/, '$1'),
    ),
  );
  refuseDoctype(bytes);
  return text;
}

const LINE_END = /[\r\n]/;

interface OpenElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  text: string;
  line: number;
}

function parseText(text: string, limits: XmlLimits): XmlElement {
  const depthMax = limits.depthMax ?? XML_DEPTH_MAX;
  const elementsMax = limits.elementsMax ?? XML_ELEMENTS_MAX;
  const parser = new SaxesParser({ position: true, xmlns: false, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  const open: OpenElement[] = [];
  let root: OpenElement | undefined;
  let elements = 0;
  let startLine = 1;
  parser.on('error', (error) => {
    throw badXml(parserMessage(error.message), parser.line, parser.column);
  });
  // The parser reports the tag after the character that follows the name, which may already be a line end.
  parser.on('opentagstart', () => {
    startLine = parser.line - (LINE_END.test(text.charAt(parser.position - 1)) ? 1 : 0);
  });
  parser.on('opentag', (tag) => {
    if (++elements > elementsMax) throw tooLarge(`The document has more than ${elementsMax} elements.`);
    if (open.length >= depthMax)
      throw badXml(`Elements are nested deeper than ${depthMax} levels.`, startLine, parser.column);
    const frame: OpenElement = { name: tag.name, attributes: tag.attributes, children: [], text: '', line: startLine };
    open.at(-1)?.children.push(frame);
    root ??= frame;
    open.push(frame);
  });
  parser.on('closetag', () => {
    const frame = open.pop();
    if (frame && frame.children.length > 0 && !/[^ \t\r\n]/.test(frame.text)) frame.text = '';
  });
  const addText = (piece: string): void => {
    const frame = open.at(-1);
    if (frame) frame.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text).close();
  if (!root) throw badXml('The document has no root element.', parser.line, parser.column);
  return root;
}

/** Returns the parser's message without its position, as a sentence. */
function parserMessage(message: string): string {
  const bare = message
    .replace(/^\d+:\d+: /, '')
    .replace(/\.$/, '')
    .slice(0, 200);
  return `The document is not well-formed: ${bare}.`;
}

function badXml(message: string, line: number, column: number): PlatformError {
  return new PlatformError('BAD_XML', {
    message: line > 0 ? `Line ${line}, column ${column}: ${message}` : message,
    details: { line, column },
  });
}

function tooLarge(message: string): PlatformError {
  return new PlatformError('TOO_LARGE', { message });
}

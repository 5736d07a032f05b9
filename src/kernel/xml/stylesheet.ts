import { PlatformError } from '../door/errors.ts';
import { parseXml, type XmlElement } from './element.ts';

/** The longest stylesheet, in characters. */
export const STYLESHEET_CHARACTERS_MAX = 256 * 1024;

const XSLT = 'http://www.w3.org/1999/XSL/Transform';
/** Namespaces of extensions that can write files or run code in some processor. */
const EXTENSION_NAMESPACES = new RegExp(
  [
    String.raw`^(?:http:\/\/(?:exslt\.org\/|icl\.com\/saxon|xml\.apache\.org\/(?:xalan|xslt)`,
    String.raw`www\.jclark\.com\/xt|saxon\.sf\.net\/)`,
    String.raw`org\.apache\.xalan\.|xalan:\/\/|urn:schemas-microsoft-com:xslt)`,
  ].join('|'),
);

/** The elements of XSLT 1.0. A 1.0 processor may silently ignore unknown ones. */
const instructions = new Set(
  `apply-imports apply-templates attribute attribute-set call-template choose comment copy copy-of decimal-format
  element fallback for-each if key message namespace-alias number otherwise output param preserve-space
  processing-instruction sort strip-space stylesheet template text transform value-of variable when
  with-param`.split(/\s+/),
);

/** Elements of later XSLT versions or unsupported ones, each with the reason. */
const unsupportedElements: Readonly<Record<string, string>> = {
  import: 'a stylesheet must be one document; copy the imported one into it',
  include: 'a stylesheet must be one document; copy the included one into it',
  document: 'a stylesheet can only write its result, no files',
  script: 'scripts are not supported',
  function: 'it belongs to XSLT 2.0; only XSLT 1.0 is supported',
  'for-each-group': 'it belongs to XSLT 2.0; only XSLT 1.0 is supported',
  'result-document': 'a stylesheet can only write its result, no files',
};

/** Attributes of XSLT elements in which only the text in braces is an expression. */
const templateAttributes = new Set([
  'name',
  'namespace',
  'lang',
  'data-type',
  'order',
  'case-order',
  'format',
  'letter-value',
  'grouping-separator',
  'grouping-size',
]);

type Namespaces = ReadonlyMap<string, string>;

/**
 * Throws unless a stylesheet is one self-contained, well-formed document of XSLT 1.x: no DOCTYPE, only elements of 1.0,
 * no `document()`, import, include or extension elements. Runs before a sandbox compiles it, to report problems to the
 * author at once and with their line. Safety does not depend on this check but on the sandbox, which has neither files
 * nor network.
 *
 * @throws BAD_STYLESHEET with the line in `details`
 */
export function checkStylesheet(text: string): void {
  if (text.length > STYLESHEET_CHARACTERS_MAX)
    throw badStylesheet(`it is longer than ${STYLESHEET_CHARACTERS_MAX} characters`);
  const root = parseStylesheet(text);
  const namespaces = withDeclaredNamespaces(new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]), root);
  const name = qualifiedName(root, namespaces);
  if (name.namespace !== XSLT || (name.local !== 'stylesheet' && name.local !== 'transform'))
    throw badStylesheet(`expected xsl:stylesheet in the namespace ${XSLT} as its root`, root);
  const { version } = root.attributes;
  if (version === undefined || !/^1\.[01]$/.test(version)) {
    const found = version === undefined ? 'the version is missing' : `"${version.slice(0, 20)}" is not supported`;
    throw badStylesheet(`expected version="1.0"; ${found}`, root);
  }
  checkElement(root, namespaces);
}

function parseStylesheet(text: string): XmlElement {
  try {
    return parseXml(text);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const line = error.details?.['line'];
    throw new PlatformError('BAD_STYLESHEET', {
      field: 'Stylesheet',
      message: `Stylesheet: ${error.message}`,
      details: typeof line === 'number' ? { line } : {},
      cause: error,
    });
  }
}

/** Checks an element and its descendants. The parser limits the depth, which bounds the recursion. */
function checkElement(element: XmlElement, namespaces: Namespaces): void {
  const { namespace, local } = qualifiedName(element, namespaces);
  if (namespace === XSLT) checkInstruction(element, local);
  else if (EXTENSION_NAMESPACES.test(namespace))
    throw badStylesheet(
      `<${element.name}> is an extension element, which is not supported; use the elements of XSLT 1.0`,
      element,
    );
  for (const [name, value] of Object.entries(element.attributes)) {
    if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
    checkAttribute(element, { name, value, isInstruction: namespace === XSLT }, namespaces);
  }
  for (const child of element.children) checkElement(child, withDeclaredNamespaces(namespaces, child));
}

function checkInstruction(element: XmlElement, local: string): void {
  const why = Object.hasOwn(unsupportedElements, local) ? unsupportedElements[local] : undefined;
  if (why !== undefined) throw badStylesheet(`<${element.name}> is not accepted: ${why}`, element);
  if (!instructions.has(local)) throw badStylesheet(`<${element.name}> is not an element of XSLT 1.0`, element);
  if (local !== 'output') return;
  const { method, encoding } = element.attributes;
  if (method !== undefined && !['html', 'xml', 'text'].includes(method))
    throw badStylesheet('the method of xsl:output is expected to be html, xml or text', element);
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
    throw badStylesheet('the encoding of xsl:output is expected to be utf-8, in which every answer is sent', element);
}

function checkAttribute(
  element: XmlElement,
  { name, value, isInstruction }: { readonly name: string; readonly value: string; readonly isInstruction: boolean },
  namespaces: Namespaces,
): void {
  const at = name.indexOf(':');
  const local = at < 0 ? name : name.slice(at + 1);
  const ofXslt = at < 0 ? isInstruction : namespaces.get(name.slice(0, at)) === XSLT;
  if (ofXslt && local === 'extension-element-prefixes' && value.trim() !== '')
    throw badStylesheet(
      'extension-element-prefixes is not accepted; functions such as exsl:node-set need only their namespace',
      element,
    );
  if (ofXslt && local === 'version' && !isInstruction && !/^1\.[01]$/.test(value))
    throw badStylesheet(`expected ${name}="1.0"`, element);
  const expressions = isInstruction && !templateAttributes.has(local) ? [value] : templateExpressions(value);
  if (expressions.some(callsDocument))
    throw badStylesheet('document() is not accepted: a stylesheet reads only the answer that it renders', element);
}

/** Returns the expressions in braces of an attribute value template; a doubled brace is a literal one. */
function templateExpressions(value: string): string[] {
  return [...value.replaceAll('{{', '').matchAll(/\{((?:"[^"]*"|'[^']*'|[^{}"'])*)/g)].map((match) => match[1] ?? '');
}

function callsDocument(expression: string): boolean {
  return /(?<![\w.-])document\s*\(/.test(expression.replace(/"[^"]*"|'[^']*'/g, "''"));
}

function withDeclaredNamespaces(outer: Namespaces, element: XmlElement): Namespaces {
  const own = Object.entries(element.attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  return own.length === 0
    ? outer
    : new Map([...outer, ...own.map(([name, value]): [string, string] => [name.slice(6), value])]);
}

function qualifiedName(
  element: XmlElement,
  namespaces: Namespaces,
): { readonly namespace: string; readonly local: string } {
  const at = element.name.indexOf(':');
  return {
    namespace: namespaces.get(at < 0 ? '' : element.name.slice(0, at)) ?? '',
    local: at < 0 ? element.name : element.name.slice(at + 1),
  };
}

function badStylesheet(what: string, element?: XmlElement): PlatformError {
  const line = element?.line ?? 0;
  return new PlatformError('BAD_STYLESHEET', {
    field: 'Stylesheet',
    message: `Stylesheet: ${line > 0 ? `line ${line}: ` : ''}${what}.`,
    details: line > 0 ? { line } : {},
  });
}

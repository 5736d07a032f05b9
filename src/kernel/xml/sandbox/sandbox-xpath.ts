import { PlatformError } from '../../door/errors.ts';

/** Most expressions evaluated over one document at once. */
export const EXPRESSIONS_MAX = 1_000;
/** The longest expression, in characters. */
export const EXPRESSION_CHARACTERS_MAX = 4_000;
/** Most characters of an expression quoted in an error. */
const QUOTED_CHARACTERS_MAX = 200;

/** The functions and node tests of XPath 1.0. */
const functions = new Set(
  `last position count id local-name namespace-uri name string concat starts-with contains substring-before
  substring-after substring string-length normalize-space translate boolean not true false lang number sum floor ceiling
  round node text comment processing-instruction`.split(/\s+/),
);

/** The tokens that need a look: texts are skipped whole, a name may be the prefix of another or be called. */
const tokens = /"[^"]*"|'[^']*'|["']|\$|([\p{L}_][\p{L}\p{N}_.-]*)(\s*:(?!:)\s*[\p{L}_*][\p{L}\p{N}_.-]*)?(\s*\()?/gu;

/**
 * Refuses what is no XPath 1.0 over a document without namespaces, before the sandbox compiles it: variables, prefixes,
 * and the functions that only stylesheets have. What is left is compiled there, so that a syntax error is found as
 * well.
 *
 * @throws BAD_XPATH with the place in the list in `details.index`, counted from 0
 */
export function checkExpression(expression: string, index: number, count: number): void {
  const refuse = (what: string): PlatformError => badXPath(what, index, count, expression);
  if (expression.trim() === '') throw refuse('the expression is empty');
  if (expression.length > EXPRESSION_CHARACTERS_MAX)
    throw refuse(`it is longer than ${EXPRESSION_CHARACTERS_MAX} characters`);
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(expression))
    throw refuse('it has characters that XML does not allow');
  for (const token of expression.matchAll(tokens)) {
    const fault = tokenFault(token);
    if (fault !== undefined) throw refuse(fault);
  }
  if (!isBalanced(expression)) throw refuse('a bracket is not closed or has no opening bracket');
}

/** Returns what is wrong with one token, or undefined. */
function tokenFault([token, name, prefixed, called]: RegExpExecArray): string | undefined {
  if (token === '"' || token === "'") return 'a text in it has no closing quote';
  if (token === '$') return 'there are no variables';
  if (name === undefined) return undefined;
  if (prefixed !== undefined && name !== 'xml')
    return `the prefix ${name} is not known; the names of a document stand without prefixes`;
  const isOperator = ['and', 'or', 'div', 'mod'].includes(name);
  const isUnknown = called !== undefined && prefixed === undefined && !isOperator && !functions.has(name);
  return isUnknown ? `${name}() is not a function of XPath 1.0` : undefined;
}

/** Whether all brackets are closed; the library accepts an expression without the last one. */
function isBalanced(expression: string): boolean {
  const open: string[] = [];
  for (const [bracket] of expression.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/[()[\]]/g)) {
    if (bracket === '(' || bracket === '[') open.push(bracket === '(' ? ')' : ']');
    else if (open.pop() !== bracket) return false;
  }
  return open.length === 0;
}

/** Returns BAD_XPATH for the expression at `index` (from 0), or for all expressions if `index` is undefined. */
export function badXPath(what: string, index?: number, count = 1, expression = ''): PlatformError {
  const which = index === undefined || count === 1 ? '' : `expression ${index + 1} of ${count}: `;
  const quoted = expression.trim() === '' ? '' : `: ${expression.slice(0, QUOTED_CHARACTERS_MAX)}`;
  return new PlatformError('BAD_XPATH', {
    field: 'XPath',
    message: `XPath: ${which}${what}${quoted}`,
    details: index === undefined ? {} : { index },
  });
}

/**
 * Whether a document begins with a DOCTYPE. A regular expression over what may stand before it would try it in
 * endlessly many ways.
 */
export function hasDoctype(xml: string): boolean {
  const space = /\s*/y;
  let at = 0;
  for (;;) {
    space.lastIndex = at;
    at += space.exec(xml)?.[0].length ?? 0;
    const end = endMarkAt(xml, at);
    if (end === undefined) return xml.startsWith('<!DOCTYPE', at);
    const found = xml.indexOf(end, at + end.length);
    if (found < 0) return false;
    at = found + end.length;
  }
}

/** Returns what ends the comment or processing instruction that starts here, or undefined. */
function endMarkAt(xml: string, at: number): string | undefined {
  if (xml.startsWith('<?', at)) return '?>';
  return xml.startsWith('<!--', at) ? '-->' : undefined;
}

/** The line of {@link expressionSheet} on which the first expression stands; each has a line of its own. */
const FIRST_LINE = 3;

/** The expression that stands on a line of the sheet. */
export function expressionAt(line: number | undefined): number | undefined {
  return line === undefined || line < FIRST_LINE ? undefined : line - FIRST_LINE;
}

/**
 * Returns a stylesheet that writes the result of each expression: `-` for nothing, else the length of the text in code
 * points, a colon and the text. Each expression has a separate template, so that none sees another's value.
 *
 * The sandbox's library evaluates XPath only inside stylesheets.
 */
export function expressionSheet(expressions: readonly string[]): string {
  const calls = expressions.map((_, i) => `<xsl:call-template name="e${i}"/>`).join('');
  return [
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"' +
      ' xmlns:exsl="http://exslt.org/common"><xsl:output method="text"/>',
    '<xsl:template name="w"><xsl:param name="v"/><xsl:choose>' +
      '<xsl:when test="exsl:object-type($v) = \'node-set\' and not($v)">-</xsl:when>' +
      '<xsl:otherwise><xsl:value-of select="string-length($v)"/>:<xsl:value-of select="$v"/></xsl:otherwise>' +
      '</xsl:choose></xsl:template>',
    ...expressions.map(
      (expression, i) =>
        `<xsl:template name="e${i}"><xsl:variable name="v" select="${attributeText(expression)}"/>` +
        '<xsl:call-template name="w"><xsl:with-param name="v" select="$v"/></xsl:call-template></xsl:template>',
    ),
    `<xsl:template match="/">${calls}</xsl:template></xsl:stylesheet>`,
  ].join('\n');
}

function attributeText(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Reads what {@link expressionSheet} wrote. */
export function expressionValues(output: string, count: number): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  let at = 0;
  while (values.length < count) {
    if (output[at] === '-') {
      values.push(undefined);
      at++;
      continue;
    }
    const colon = output.indexOf(':', at);
    const codePoints = Number(output.slice(at, colon));
    if (colon < 0 || !Number.isSafeInteger(codePoints))
      throw new Error('the sandbox answered expressions in another form');
    const end = offsetAfter(output, colon + 1, codePoints);
    values.push(output.slice(colon + 1, end));
    at = end;
  }
  return values;
}

/** The place that lies so many code points further on. */
function offsetAfter(text: string, from: number, codePoints: number): number {
  const plain = text.slice(from, from + codePoints);
  if (!/[\ud800-\udbff]/.test(plain)) return from + codePoints;
  let at = from;
  for (let left = codePoints; left > 0; left--) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

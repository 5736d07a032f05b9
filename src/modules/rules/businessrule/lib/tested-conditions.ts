import { parseXml, type XmlElement } from '../../../../kernel/xml/element.ts';

/** A condition of a stylesheet. */
export interface RuleCondition {
  /** As it is written. */
  readonly test: string;
  /** What the rule says where it holds, such as the text of an exception; empty if that is computed. */
  readonly says: string;
  readonly line: number;
  /** The XPath that decides whether it holds for the document; undefined if only running the rule can. */
  readonly xpath: string | undefined;
  /** The XPaths of the values that it compares, by how they are written. */
  readonly values: readonly { readonly name: string; readonly xpath: string }[];
}

/** Most conditions that are returned. */
const CONDITIONS_MAX = 50;
/** Most values of one condition. */
const VALUES_MAX = 4;

/** What an expression of a condition may not contain to be evaluated outside of its stylesheet. */
const NEEDS_STYLESHEET = /\$|\b(?:current|position|last|key|document|generate-id)\s*\(|[\w-]+:[\w-]+/;

/** Returns the conditions of an XSLT stylesheet in order: tests of `if` and `when`. None if it cannot be parsed. */
export function testedConditions(stylesheet: string): readonly RuleCondition[] {
  let root: XmlElement;
  try {
    root = parseXml(stylesheet);
  } catch {
    return [];
  }
  const found: RuleCondition[] = [];
  for (const template of root.children) {
    if (localName(template) !== 'template') continue;
    for (const child of template.children) visit(child, contextOf(template.attributes['match']), found);
  }
  return found.slice(0, CONDITIONS_MAX);
}

function visit(element: XmlElement, context: string | undefined, found: RuleCondition[]): void {
  const name = localName(element);
  const { test, select } = element.attributes;
  if ((name === 'if' || name === 'when') && test !== undefined) found.push(conditionOf(element, test, context));
  const inner = name === 'for-each' ? selected(context, select) : context;
  for (const child of element.children) visit(child, inner, found);
}

function conditionOf(element: XmlElement, test: string, context: string | undefined): RuleCondition {
  const says = element.children.find((child) => /^(?:exception|warning)$/i.test(localName(child)));
  const isPlain = context !== undefined && !NEEDS_STYLESHEET.test(withoutTexts(test));
  return {
    test,
    says: says?.children.length === 0 ? says.text.trim() : '',
    line: element.line,
    xpath: isPlain ? holds(context, test) : undefined,
    values: isPlain ? comparedValues(context, test) : [],
  };
}

/** The document itself is the context '', below which relative paths begin at the root. */
const holds = (context: string, test: string): string =>
  context === '' ? `boolean(${test})` : `boolean(${context}[${test}])`;

/** Returns the path of the nodes that a template matches; undefined if it has none or several patterns. */
function contextOf(match: string | undefined): string | undefined {
  if (match === undefined || match.includes('|') || NEEDS_STYLESHEET.test(match)) return undefined;
  if (match === '/') return '';
  return match.startsWith('/') ? match : `//${match}`;
}

function selected(context: string | undefined, select: string | undefined): string | undefined {
  if (context === undefined || select === undefined || NEEDS_STYLESHEET.test(select) || select.includes('|'))
    return undefined;
  if (select.startsWith('/')) return select;
  return context === '' ? `/${select}` : `${context}/${select}`;
}

const TEXTS = /'[^']*'|"[^"]*"/g;
const withoutTexts = (expression: string): string => expression.replace(TEXTS, "''");

/** Steps of a path, and words that are operators between values. */
const PATHS = /(?<![\w-])(?:\.\.?\/|\/\/?)?@?[A-Za-z_][\w.-]*(?:\/@?[\w.-]+)*(?!\s*[\w-]*\()/g;
const OPERATORS: ReadonlySet<string> = new Set(['and', 'or', 'div', 'mod', 'not']);

function comparedValues(context: string, test: string): RuleCondition['values'] {
  // A predicate changes the context of the names in it.
  if (test.includes('[')) return [];
  const names = [...withoutTexts(test).matchAll(PATHS)].map(([path]) => path);
  const paths = [...new Set(names)].filter((name) => !OPERATORS.has(name)).slice(0, VALUES_MAX);
  return paths.map((name) => ({ name, xpath: name.startsWith('/') ? name : `${context}/${name}` }));
}

function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

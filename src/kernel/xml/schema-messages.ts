import type { XmlElement } from './element.ts';
import { quoteValue } from './schema-issue.ts';
import type { LibxmlIssue } from './libxml.ts';
import type { Expectations } from './schema.ts';

/** A message for people; `attribute` is empty unless it is about one. */
export interface SchemaMessage {
  readonly message: string;
  readonly element: string;
  readonly attribute: string;
}

/**
 * Rewrites libxml2's message about a fault: the element, its value, and what was expected. An unknown message is passed
 * on with quoted values masked, so that a new library version costs clarity but no fault is lost.
 *
 * @param at the element that the complaint is about, where the document could be parsed into a tree
 */
export function schemaMessage(
  issue: LibxmlIssue,
  at: XmlElement | undefined,
  expectations: Expectations,
): SchemaMessage {
  const parts = /^Element '([^']*)'(?:, attribute '([^']*)')?: (.*)$/s.exec(issue.message);
  if (!parts) return { message: maskQuoted(issue.message, ''), element: lastStep(issue.path), attribute: '' };
  const [, element = '', attribute = '', complaint = ''] = parts;
  const subject = attribute === '' ? element : `The attribute ${attribute} of ${element}`;
  const value = attribute === '' ? at?.text : at?.attributes[attribute];
  const quoted = (fallback: string): string => quoteValue(value ?? fallback, attribute === '' ? element : attribute);
  const message =
    structureMessage(element, at, complaint, expectations) ??
    valueMessage(subject, complaint, quoted, expectations) ??
    `${subject}: ${maskQuoted(complaint, element)}`;
  const named = /^The attribute '([^']*)' is (?:not allowed|required)/.exec(complaint)?.[1];
  return { message, element, attribute: attribute === '' ? (named ?? '') : attribute };
}

/**
 * Returns the message for elements and attributes that are missing, out of order or unknown; undefined for any other
 * complaint.
 */
function structureMessage(
  element: string,
  at: XmlElement | undefined,
  complaint: string,
  { roots }: Expectations,
): string | undefined {
  if (complaint.startsWith('This element is not expected.')) {
    const expected = expectedNames(complaint);
    return expected === undefined
      ? `${element} does not belong here: nothing more is expected in the element around it.`
      : `${element} does not belong here: expected ${expected}. Elements come in the order of the schema.`;
  }
  if (complaint.startsWith('Missing child element(s).')) {
    const last = at?.children.at(-1)?.name;
    const state = last === undefined ? 'is empty' : `ends after ${last}`;
    return `${element} ${state}: expected ${expectedNames(complaint) ?? 'more elements'}.`;
  }
  if (complaint.startsWith('No matching global declaration')) {
    const expected = roots.join(' or ') || 'the root element of its schema';
    return `The root element ${element} is not of this operation: expected ${expected}, without a namespace.`;
  }
  return contentMessage(element, at, complaint) ?? attributeMessage(element, complaint);
}

function contentMessage(element: string, at: XmlElement | undefined, complaint: string): string | undefined {
  if (complaint.includes("the content type is 'element-only'")) {
    const content = at === undefined ? 'text' : `the text ${quoteValue(at.text, element)}`;
    return `${element} contains ${content}: expected elements only.`;
  }
  if (complaint.startsWith('Element content is not allowed'))
    return `${element} holds the element ${at?.children[0]?.name ?? 'of another name'}: expected text only.`;
  return complaint.startsWith('Character content is not allowed')
    ? `${element} holds text or elements: expected an empty element.`
    : undefined;
}

function attributeMessage(element: string, complaint: string): string | undefined {
  const missing = /^The attribute '([^']*)' is required but missing/.exec(complaint);
  if (missing) return `${element} lacks the attribute ${missing[1]}, which is required.`;
  const unknown = /^The attribute '([^']*)' is not allowed/.exec(complaint);
  return unknown ? `${element} has the attribute ${unknown[1]}, which it does not take.` : undefined;
}

/** Returns the message for a value that is not of its type; undefined for any other complaint. */
function valueMessage(
  subject: string,
  complaint: string,
  quoted: (fallback: string) => string,
  expectations: Expectations,
): string | undefined {
  const typed = /^'(.*)' is not a valid value of the (?:local )?(?:atomic|union|list) type(?: '([^']*)')?/s.exec(
    complaint,
  );
  if (typed)
    return `${subject} is ${quoted(typed[1] ?? '')}; expected ${typeDescription(typed[2] ?? '', expectations)}.`;
  const [match, facet = '', value = ''] =
    /^\[facet '(\w+)'\] The value (?:'(.*)' )?(?:is|has|does)\b/s.exec(complaint) ?? [];
  if (match === undefined) return undefined;
  const statement = `${subject} is ${quoted(value)}`;
  const bound = boundDescription(facet, complaint);
  if (bound !== undefined) return `${statement}; expected ${bound}.`;
  switch (facet) {
    case 'enumeration':
      return `${statement}; expected ${oneOf(allowedValues(complaint))}.`;
    case 'pattern':
      return `${statement}; expected ${patternDescription(complaint, statement, expectations)}.`;
    case 'maxLength':
    case 'minLength':
    case 'length':
      return lengthMessage(facet, complaint, { subject, statement });
    default:
      return undefined;
  }
}

/** Returns what a facet with one limit expects. */
function boundDescription(facet: string, complaint: string): string | undefined {
  const limit = /\('([^']*)'\)\.?$/.exec(complaint)?.[1] ?? '';
  switch (facet) {
    case 'maxInclusive':
      return `at most ${limit}`;
    case 'minInclusive':
      return `at least ${limit}`;
    case 'maxExclusive':
      return `less than ${limit}`;
    case 'minExclusive':
      return `more than ${limit}`;
    case 'fractionDigits':
      return `at most ${limit} digits after the decimal point`;
    case 'totalDigits':
      return `at most ${limit} digits`;
    default:
      return undefined;
  }
}

function lengthMessage(
  facet: string,
  complaint: string,
  { subject, statement }: { readonly subject: string; readonly statement: string },
): string {
  const [, actual, allowed] = /length of '(\d+)'.*length of '(\d+)'/s.exec(complaint) ?? [];
  if (facet === 'maxLength')
    return `${statement} of ${actual ?? 'more'} characters; expected at most ${allowed ?? 'fewer'}.`;
  if (actual === '0') return `${subject} is empty; expected a value.`;
  return `${statement}; expected at least ${allowed ?? 'more'} characters.`;
}

function patternDescription(complaint: string, statement: string, { byPattern }: Expectations): string {
  const pattern = /by the pattern '(.*)'\.?$/s.exec(complaint)?.[1] ?? '';
  return byPattern.get(pattern) ?? (statement.endsWith('is empty') ? 'a value' : `a value of the form ${pattern}`);
}

const BUILT_IN: Readonly<Record<string, string>> = {
  'xs:date': 'a calendar date such as 2024-03-01',
  'xs:dateTime': 'a date and time such as 2024-03-01T09:30:00',
  'xs:decimal': 'a decimal number such as 1250.00',
  'xs:int': 'a whole number',
  'xs:integer': 'a whole number',
  'xs:boolean': 'true or false',
  'xs:base64Binary': 'base64',
};

function typeDescription(type: string, expectations: Expectations): string {
  return (
    expectations.byType.get(type) ??
    BUILT_IN[type] ??
    (type === '' ? 'a value of another form' : `a value of the type ${type}`)
  );
}

/** Most expected elements that libxml2 names. */
const EXPECTED_NAMED = 10;

/** The names in `Expected is one of ( A, B ).`; a wildcard is written as `*`. */
function expectedNames(complaint: string): string | undefined {
  const list = /Expected is (?:one of )?\( (.*) \)\.?$/s.exec(complaint)?.[1];
  if (list === undefined) return undefined;
  const names = list.split(', ').map((name) => (name.startsWith('*') || name.includes('}*') ? 'any element' : name));
  return oneOf(names.length < EXPECTED_NAMED ? names : [...names, 'a later one']);
}

function allowedValues(complaint: string): string[] {
  const set = /of the set \{(.*)\}\.?$/s.exec(complaint)?.[1] ?? '';
  return set.split(', ').map((value) => value.replace(/^'(.*)'$/s, '"$1"'));
}

function oneOf(values: readonly string[]): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\[\d+\]$/, '');
}

/** A quote that libxml2 cut off, at 64,000 characters, ends with the text. */
function maskQuoted(text: string, element: string): string {
  return text.replace(/'([^']*)(?:'|$)/g, (_, value: string) => quoteValue(value, element));
}

import type { XmlElement } from './element.ts';
import { quoteValue } from './schema-issue.ts';
import type { LibxmlIssue } from './libxml.ts';
import type { Expectations } from './schema.ts';

/** A complaint in plain words; `attribute` is empty unless it is about one. */
export interface SchemaMessage {
  readonly message: string;
  readonly element: string;
  readonly attribute: string;
}

/**
 * Turns libxml2's words about a fault into ours: the element, what stood there, what was expected.
 * An unknown message is passed on with its quoted values masked, so that a new version of the library costs clarity, never the fault itself.
 *
 * @param at the element that the complaint is about, when the document could be read as a tree
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
  const stood = (fallback: string): string => quoteValue(value ?? fallback, attribute === '' ? element : attribute);
  const message =
    structureMessage(element, at, complaint, expectations) ??
    valueMessage(subject, complaint, stood, expectations) ??
    `${subject}: ${maskQuoted(complaint, element)}`;
  const named = /^The attribute '([^']*)' is (?:not allowed|required)/.exec(complaint)?.[1];
  return { message, element, attribute: attribute === '' ? (named ?? '') : attribute };
}

/** Elements and attributes that are missing, out of order or unknown. */
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
    return `${element} ${last === undefined ? 'is empty' : `ends after ${last}`}: expected ${expectedNames(complaint) ?? 'more elements'}.`;
  }
  if (complaint.startsWith('No matching global declaration'))
    return `The root element ${element} is not of this operation: expected ${roots.join(' or ') || 'the root element of its schema'}, without a namespace.`;
  if (complaint.includes("the content type is 'element-only'")) {
    return `${element} holds ${at === undefined ? 'text' : `the text ${quoteValue(at.text, element)}`}: expected elements only.`;
  }
  if (complaint.startsWith('Element content is not allowed'))
    return `${element} holds the element ${at?.children[0]?.name ?? 'of another name'}: expected text only.`;
  if (complaint.startsWith('Character content is not allowed'))
    return `${element} holds text or elements: expected an empty element.`;
  const missing = /^The attribute '([^']*)' is required but missing/.exec(complaint);
  if (missing) return `${element} lacks the attribute ${missing[1]}, which is required.`;
  const unknown = /^The attribute '([^']*)' is not allowed/.exec(complaint);
  if (unknown) return `${element} has the attribute ${unknown[1]}, which it does not take.`;
  return undefined;
}

/** Values that are not of their type. */
function valueMessage(
  subject: string,
  complaint: string,
  stood: (fallback: string) => string,
  expectations: Expectations,
): string | undefined {
  const typed = /^'(.*)' is not a valid value of the (?:local )?(?:atomic|union|list) type(?: '([^']*)')?/s.exec(
    complaint,
  );
  if (typed)
    return `${subject} is ${stood(typed[1] ?? '')}; expected ${typeDescription(typed[2] ?? '', expectations)}.`;
  const facet = /^\[facet '(\w+)'\] The value (?:'(.*)' )?(?:is|has|does)\b/s.exec(complaint);
  if (!facet) return undefined;
  const limit = /\('([^']*)'\)\.?$/.exec(complaint)?.[1] ?? '';
  const is = `${subject} is ${stood(facet[2] ?? '')}`;
  switch (facet[1]) {
    case 'enumeration':
      return `${is}; expected ${oneOf(allowedValues(complaint))}.`;
    case 'maxLength': {
      const lengths = /length of '(\d+)'.*length of '(\d+)'/s.exec(complaint);
      return `${is} of ${lengths?.[1] ?? 'more'} characters; expected at most ${lengths?.[2] ?? 'fewer'}.`;
    }
    case 'minLength':
    case 'length': {
      const lengths = /length of '(\d+)'.*length of '(\d+)'/s.exec(complaint);
      return lengths?.[1] === '0'
        ? `${subject} is empty; expected a value.`
        : `${is}; expected at least ${lengths?.[2] ?? 'more'} characters.`;
    }
    case 'pattern': {
      const pattern = /by the pattern '(.*)'\.?$/s.exec(complaint)?.[1] ?? '';
      const words =
        expectations.byPattern.get(pattern) ?? (is.endsWith('is empty') ? 'a value' : `a value of the form ${pattern}`);
      return `${is}; expected ${words}.`;
    }
    case 'maxInclusive':
      return `${is}; expected at most ${limit}.`;
    case 'minInclusive':
      return `${is}; expected at least ${limit}.`;
    case 'maxExclusive':
      return `${is}; expected less than ${limit}.`;
    case 'minExclusive':
      return `${is}; expected more than ${limit}.`;
    case 'fractionDigits':
      return `${is}; expected at most ${limit} digits after the decimal point.`;
    case 'totalDigits':
      return `${is}; expected at most ${limit} digits.`;
    default:
      return undefined;
  }
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

/** libxml2 names at most so many elements that could have come. */
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

import { PlatformError } from '../../kernel/door/errors.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../../kernel/xml/element.ts';

/** Most answers stored with one record. */
const ANSWERS_MAX = 2_000;

/** The name of an answer: an XML name without a prefix, at most 100 characters. */
const ANSWER_NAME = /^[A-Za-z_][\w.-]{0,99}$/;

/** Whether a text is a valid name of an answer. */
export function isAnswerName(name: string): boolean {
  return ANSWER_NAME.test(name);
}

/** Returns the answers that are plain text by their stored names. Of several with one name, the first. */
export function answersIn(record: RecordType, xml: string | null): ReadonlyMap<string, string> {
  const answers = new Map<string, string>();
  for (const { name, children, text } of parseAnswers(record, xml).children)
    if (children.length === 0 && !answers.has(name)) answers.set(name, text);
  return answers;
}

/**
 * Returns the stored answers (`<ImportFormXml><Question>text</Question></ImportFormXml>`) with new ones merged in. An
 * answer replaces the stored one of its name, ignoring case; a new name is appended; answers that are not sent stay.
 *
 * @throws BAD_PARAMETER for an invalid name, TOO_LARGE beyond {@link ANSWERS_MAX}, BAD_XML where the stored text is not
 * XML
 */
export function mergeAnswers(record: RecordType, xml: string | null, answers: ReadonlyMap<string, string>): string {
  const root = parseAnswers(record, xml);
  const children = [...root.children];
  const places = new Map<string, number>();
  for (const [at, { name }] of children.entries())
    if (!places.has(name.toLowerCase())) places.set(name.toLowerCase(), at);
  for (const [name, text] of answers) {
    if (!isAnswerName(name))
      throw new PlatformError('BAD_PARAMETER', {
        field: name,
        message:
          `${name.slice(0, 100)}: expected the name of an answer: ` +
          'letters, digits and _ . -, starting with a letter.',
      });
    const at = places.get(name.toLowerCase());
    if (at === undefined) places.set(name.toLowerCase(), children.push(xmlElement(name, text)) - 1);
    else children[at] = xmlElement(children[at]?.name ?? name, text, children[at]?.attributes ?? {});
  }
  return writeAnswers(record, root, children);
}

/**
 * Merges a document of answers into the stored one. What it names replaces what is stored under that name, lists and
 * nested elements as a whole; the rest stays.
 */
export function mergeAnswerDocuments(record: RecordType, xml: string | null, sent: string): string {
  const [root, more] = [parseAnswers(record, xml), parseAnswers(record, sent)];
  const named = Map.groupBy(more.children, ({ name }) => name.toLowerCase());
  const replaced = new Set(named.keys());
  const children = root.children.flatMap((child) => {
    const name = child.name.toLowerCase();
    if (!named.has(name)) return replaced.has(name) ? [] : [child];
    const taken = named.get(name) ?? [];
    named.delete(name);
    return taken;
  });
  for (const rest of named.values()) children.push(...rest);
  return writeAnswers(record, { ...root, attributes: { ...root.attributes, ...more.attributes } }, children);
}

function writeAnswers(record: RecordType, root: XmlElement, children: readonly XmlElement[]): string {
  if (children.length > ANSWERS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: record.answers ?? record.name,
      message: `${record.answers}: a ${record.name} stores at most ${ANSWERS_MAX} answers.`,
    });
  return writeXml({ ...root, children, text: children.length === 0 ? root.text : '' });
}

function parseAnswers(record: RecordType, xml: string | null): XmlElement {
  if (xml === null || xml.trim() === '') return xmlElement(`${record.name}Xml`);
  try {
    return parseXml(xml);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, {
      field: record.answers ?? record.name,
      message: `${record.answers}: ${error.message}`,
      cause: error,
    });
  }
}

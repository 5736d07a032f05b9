import { PlatformError } from '../errors.ts';
import type { RecordType } from '../record.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../xml/element.ts';

/** The most answers that one record keeps. */
const ANSWERS_MAX = 2_000;

/** What an answer may be called: an XML name without a prefix, of at most a hundred characters. */
const ANSWER_NAME = /^[A-Za-z_][\w.-]{0,99}$/;

/** Whether text can be the name of an answer. */
export function isAnswerName(name: string): boolean {
  return ANSWER_NAME.test(name);
}

/** The answers of a record that are plain text, by their names as they are stored; the first of a name counts. */
export function answersIn(record: RecordType, xml: string | null): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, children, text } of rootOf(record, xml).children) if (children.length === 0 && !found.has(name)) found.set(name, text);
  return found;
}

/**
 * Puts answers into those that a record has, as `<ImportFormXml><Question>text</Question></ImportFormXml>`: one of a known name, in
 * whatever case, takes the place of the old one, others come behind; what is not named stays as it is.
 *
 * @throws BAD_PARAMETER for what cannot be a name, TOO_LARGE beyond {@link ANSWERS_MAX}, BAD_XML where what is stored is no document
 */
export function mergeAnswers(record: RecordType, xml: string | null, answers: ReadonlyMap<string, string>): string {
  const root = rootOf(record, xml);
  const children = [...root.children];
  for (const [name, text] of answers) {
    if (!isAnswerName(name)) throw new PlatformError('BAD_PARAMETER', { field: name, message: `${name.slice(0, 100)}: expected the name of an answer: letters, digits and _ . -, beginning with a letter.` });
    const at = children.findIndex((child) => child.name.toLowerCase() === name.toLowerCase());
    if (at < 0) children.push(xmlElement(name, text));
    else children[at] = xmlElement(children[at]?.name ?? name, text, children[at]?.attributes ?? {});
  }
  if (children.length > ANSWERS_MAX) throw new PlatformError('TOO_LARGE', { field: record.answers ?? record.name, message: `${record.answers}: a ${record.name} keeps at most ${ANSWERS_MAX} answers.` });
  return writeXml({ ...root, children, text: children.length === 0 ? root.text : '' });
}

function rootOf(record: RecordType, xml: string | null): XmlElement {
  if (xml === null || xml.trim() === '') return xmlElement(`${record.name}Xml`);
  try {
    return parseXml(xml);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, { field: record.answers ?? record.name, message: `${record.answers}: ${error.message}`, cause: error });
  }
}

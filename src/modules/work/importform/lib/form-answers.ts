import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad, type RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import type { SavePlan } from '../../../../kernel/records/save/plan.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../../../../kernel/xml/element.ts';
import { rowsFromXml, rowsToXml } from './answer-rows.ts';
import { answerFromColumn } from './normalize-answer.ts';
import type { Form, Question } from './form.ts';
import type { Task } from '../importform.record.ts';

/** The parent record of a task. */
export interface TaskParent {
  readonly record: RecordType;
  readonly id: number;
}

/** A task's answers by question name, including those without a question. */
export type FormAnswers = Map<string, string>;

/** Parses the answers document of a task. Throws with field XmlData if it is invalid. */
function rootOf(record: RecordType, xml: unknown): XmlElement {
  if (typeof xml !== 'string' || xml.trim() === '') return xmlElement(`${record.name}Xml`);
  try {
    return parseXml(xml);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, { field: 'XmlData', message: `XmlData: ${error.message}`, cause: error });
  }
}

function byName(form: Form, kind: Question['place']['kind']): ReadonlyMap<string, Question> {
  return new Map(
    form.questions
      .filter(({ place }) => place.kind === kind)
      .map((question) => [question.name.toLowerCase(), question]),
  );
}

/** Reads the answers of a document. An element inside an answer is not an answer. */
export function readAnswers(form: Form, record: RecordType, xml: unknown): FormAnswers {
  const questions = byName(form, 'answer');
  const answers: FormAnswers = new Map();
  for (const element of rootOf(record, xml).children) {
    const question = questions.get(element.name.toLowerCase());
    const name = question?.name ?? element.name;
    if ((question || element.children.length === 0) && !answers.has(name))
      answers.set(name, elementAnswer(question, element));
  }
  return answers;
}

/** Returns the answer of an element. */
function elementAnswer(question: Question | undefined, element: XmlElement): string {
  if (!question || element.children.length === 0) return element.text;
  // A question that had rows once reads them as text.
  if (question.type === 'Rows' || element.children.every(({ name }) => name === 'Row'))
    return rowsFromXml(question, element);
  throw bad(question.name, 'the text of an answer, without elements in it');
}

/** Returns the element of an answer. */
function answerElement({ name, type }: Question, text: string, attributes: XmlElement['attributes'] = {}): XmlElement {
  const rows = type === 'Rows' && text !== '' ? rowsToXml(text) : undefined;
  return xmlElement(name, rows ?? text, attributes);
}

/** Writes answers into a document, and keeps everything else in it. */
export function writeAnswers(
  form: Form,
  record: RecordType,
  xml: unknown,
  answers: ReadonlyMap<string, string>,
): string | null {
  const root = rootOf(record, xml);
  const questions = byName(form, 'answer');
  const written = new Set<string>();
  const children = root.children.flatMap((child) => {
    const question = questions.get(child.name.toLowerCase());
    if (!question) return [child];
    if (written.has(question.name)) return [];
    written.add(question.name);
    return [answerElement(question, answers.get(question.name) ?? '', child.attributes)];
  });
  for (const question of questions.values()) {
    const text = answers.get(question.name) ?? '';
    if (!written.has(question.name) && text !== '') children.push(answerElement(question, text));
  }
  if (children.length === 0 && typeof xml !== 'string') return null;
  return writeXml({ ...root, children, text: children.length === 0 ? root.text : '' });
}

/**
 * Adds the columns of the task and its parent to the answers, in answer form. A parent that the caller cannot access,
 * or of another type, has no answers.
 */
export async function addColumns(
  ctx: Context,
  form: Form,
  answers: FormAnswers,
  of: {
    readonly row: Row;
    readonly parent: TaskParent | undefined;
    readonly plan?: SavePlan | undefined;
    readonly isNew?: boolean;
  },
): Promise<void> {
  const zone = ctx.settings.get(timeZone);
  const questions = form.questions.filter(({ place }) => place.kind === 'parent');
  const above = of.parent && questions.length > 0 ? await readParent(ctx, of.parent) : undefined;
  for (const { name, type, place } of form.questions) {
    const own = place.kind === 'field' ? answerFromColumn(type, of.row[place.column.name], zone) : '';
    // A new task shows defaults, which are in no column yet.
    if (place.kind === 'field' && (own !== '' || of.isNew !== true)) answers.set(name, own);
    if (place.kind !== 'parent') continue;
    const sent = of.plan && submittedParentField(of.plan, name);
    const has = of.parent !== undefined && isA(of.parent.record, place.record);
    if (sent) answers.set(name, answerFromColumn(type, sent.raw, zone));
    else if (has && above) answers.set(name, answerFromColumn(type, above[place.column.name], zone));
  }
}

/** Returns what a save sends for a field of the parent: `Process_Status`. */
export function submittedParentField(
  plan: SavePlan,
  name: string,
): { readonly record: RecordType; readonly key: string; readonly raw: RawValue } | undefined {
  const at = name.indexOf('_');
  for (const [, { record, raw }] of plan.parent) {
    if (record.name.toLowerCase() !== name.slice(0, at).toLowerCase()) continue;
    const key = Object.keys(raw).find((one) => one.toLowerCase() === name.slice(at + 1).toLowerCase());
    if (key !== undefined) return { record, key, raw: raw[key] ?? null };
  }
  return undefined;
}

/** Reads the parent as the caller; undefined if the caller cannot access it. */
async function readParent(ctx: Context, { record, id }: TaskParent): Promise<Row | undefined> {
  try {
    return await readRecord(ctx.db, record, id);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Returns the parent of a task, if known. */
export function taskParent(ctx: Context, task: Pick<Partial<Task>, 'Object' | 'ObjectID'>): TaskParent | undefined {
  const record = typeof task.Object === 'string' ? ctx.registry.record(task.Object) : undefined;
  return record && typeof task.ObjectID === 'number' ? { record, id: task.ObjectID } : undefined;
}

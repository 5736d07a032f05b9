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
import { answerFromColumn } from './normalize-answer.ts';
import type { Form, Question } from './form.ts';

/** The record that a task hangs below. */
export interface TaskParent {
  readonly record: RecordType;
  readonly id: number;
}

/** A task's answers by the names of their questions; what no question asks for stands in it too, under the name that it has. */
export type FormAnswers = Map<string, string>;

/** The answers' document of a task; one that is none is refused by name. */
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

/** The answers that a document holds. An element within an answer is no answer to a question. */
export function readAnswers(form: Form, record: RecordType, xml: unknown): FormAnswers {
  const questions = byName(form, 'answer');
  const answers: FormAnswers = new Map();
  for (const { name, text, children } of rootOf(record, xml).children) {
    const question = questions.get(name.toLowerCase());
    if (question && children.length > 0) throw bad(question.name, 'the text of an answer, without elements in it');
    if (children.length === 0 && !answers.has(question?.name ?? name)) answers.set(question?.name ?? name, text);
  }
  return answers;
}

/** Writes answers to questions into a document; what else stands in it stays. */
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
    return [xmlElement(question.name, answers.get(question.name) ?? '', child.attributes)];
  });
  for (const { name } of questions.values())
    if (!written.has(name) && (answers.get(name) ?? '') !== '') children.push(xmlElement(name, answers.get(name)));
  if (children.length === 0 && typeof xml !== 'string') return null;
  return writeXml({ ...root, children, text: children.length === 0 ? root.text : '' });
}

/**
 * Puts what columns of the task and its parent say into the answers, in the form in which their questions are answered. Of a parent
 * that the caller does not reach, or that is of another kind, there is no answer at all.
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
    // A new task shows its default answers, which stand in no column yet.
    if (place.kind === 'field' && (own !== '' || of.isNew !== true)) answers.set(name, own);
    if (place.kind !== 'parent') continue;
    const sent = of.plan && submittedParentField(of.plan, name);
    const has = of.parent !== undefined && isA(of.parent.record, place.record);
    if (sent) answers.set(name, answerFromColumn(type, sent.raw, zone));
    else if (has && above) answers.set(name, answerFromColumn(type, above[place.column.name], zone));
  }
}

/** What a save sends for a field of the parent: `Process_Status`. */
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

/** The parent as the caller sees it; a task can be reached without it. */
async function readParent(ctx: Context, { record, id }: TaskParent): Promise<Row | undefined> {
  try {
    return await readRecord(ctx.db, record, id);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** What a task hangs below, where that is known here. */
export function taskParent(ctx: Context, row: Row): TaskParent | undefined {
  const record = typeof row['Object'] === 'string' ? ctx.registry.record(row['Object']) : undefined;
  return record && typeof row['ObjectID'] === 'number' ? { record, id: row['ObjectID'] } : undefined;
}

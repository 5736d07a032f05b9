import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad, parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import type { SavePlan } from '../../../../kernel/records/save/plan.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { versionConflict } from '../../../../kernel/records/save/version-conflict.ts';
import { answerFromColumn } from './normalize-answer.ts';
import { calculates, evaluateForm } from './evaluate-form.ts';
import { constrainsTasks, formOf, anyFormConstrainsTasks, type Form, type Question } from './form.ts';
import {
  addColumns,
  readAnswers,
  taskParent,
  submittedParentField,
  writeAnswers,
  type FormAnswers,
} from './form-answers.ts';
import { comparePatterns } from './answer-patterns.ts';
import { checkPersons } from './answer-persons.ts';
import { AnswerProblems } from './answer-problems.ts';
import { missingAnswers, missingIn, missingMessage } from './missing-answers.ts';
import { takeAnswer, type TakenAnswer } from './take-answer.ts';
import { submittedAnswers } from './submitted-answers.ts';
import { reportedCompletion } from './reported-completion.ts';
import { CHANGE_COMPLETED, enforceStatus } from './form-status.ts';
import type { importForm, Task } from '../importform.record.ts';
import { type Values, columnsAfter, valueAfter } from '../../../../kernel/declare/values.ts';
import type { CheckedSave } from '../../../../kernel/declare/reaction.ts';

/** Whether a saved task has a form to enforce. Costs nothing without forms, and one read of a stored task with them. */
export async function hasForm(
  ctx: Context,
  values: Values<typeof importForm>,
  id: number | undefined,
): Promise<boolean> {
  const named = await formOf(ctx, values.ImportFormTemplateID);
  if (id === undefined) return named !== undefined;
  if (constrainsTasks(named)) return true;
  if (!(await anyFormConstrainsTasks(ctx))) return false;
  const [row] = await ctx.db.query<{ at: number | null }>(
    'select importformtemplateid as at from importform where importformid = $1::bigint',
    [id],
  );
  // A missing task is reported where it would be changed.
  return constrainsTasks(await formOf(ctx, row?.at));
}

/** A save of a locked task. */
interface FormSave {
  readonly form: Form;
  readonly record: RecordType;
  readonly values: Values<typeof importForm>;
  readonly stored: Task | undefined;
  readonly plan: SavePlan | undefined;
  readonly wasComplete: boolean;
}

/**
 * Enforces a task's form: its team, status and answers. Locks the task, so that concurrent saves see each other's
 * results.
 */
export async function enforceForm(ctx: Context, { values, id, plan }: CheckedSave<typeof importForm>): Promise<void> {
  const record = ctx.registry.recordType('ImportForm');
  const stored = id === undefined ? undefined : await lockRecord(ctx, record, id);
  if (stored && plan?.version !== undefined && stored.Version !== plan.version)
    throw versionConflict(record, stored, plan.values, plan.version);
  const form = await formAfter(ctx, values, stored);
  if (!form) return;
  if (!stored && form.teamId !== null && values.AssignedCollectionID === undefined)
    values.AssignedCollectionID = form.teamId;
  const wasComplete = (stored?.ActualCompletion ?? null) !== null;
  const save: FormSave = { form, record, values, stored, plan, wasComplete };
  if (wasComplete) assertCanReopen(ctx, save);
  enforceStatus(ctx, form, values, stored);
  if (form.questions.some(({ type }) => type !== 'Label')) await saveAnswers(ctx, save);
}

/**
 * Returns the form of a task after the save. @throws BAD_PARAMETER if the task would leave a form that constrains it
 */
async function formAfter(
  ctx: Context,
  values: Values<typeof importForm>,
  stored: Task | undefined,
): Promise<Form | undefined> {
  const before = stored?.ImportFormTemplateID;
  const after = valueAfter(values, stored, 'ImportFormTemplateID');
  // Without its form a task could take any status.
  if (after !== before && constrainsTasks(await formOf(ctx, before)))
    throw bad('ImportFormTemplateID', "the task's current task type, on which its answers and status depend");
  return formOf(ctx, after);
}

/** A completed task of a form cannot be changed without the permission. */
function assertCanReopen(ctx: Context, { values, stored }: FormSave): void {
  const before = stored?.Status ?? null;
  const changes = values.ActualCompletion === null || (values.Status !== undefined && values.Status !== before);
  if (changes) assertCanChangeCompleted(ctx, values.ActualCompletion !== undefined ? 'ActualCompletion' : 'Status');
}

function assertCanChangeCompleted(ctx: Context, field: string): void {
  if (ctx.user.permissions.has(CHANGE_COMPLETED)) return;
  throw new PlatformError('STATE_REFUSES', {
    field,
    message: `${field}: the task is complete; changing it requires the permission ${CHANGE_COMPLETED}.`,
  });
}

async function saveAnswers(ctx: Context, save: FormSave): Promise<void> {
  const { form, record, values, stored, plan, wasComplete } = save;
  const xml = values.XmlData !== undefined ? values.XmlData : stored?.XmlData;
  const before = stored ? readAnswers(form, record, stored.XmlData) : new Map<string, string>();
  const answers = readAnswers(form, record, xml);
  const row = columnsAfter(values, stored);
  const completes = completesTask(save);
  if (!stored) applyDefaults(ctx, form, answers, values);
  const changed = await applySubmittedAnswers(ctx, save, answers, before);
  if (wasComplete && changed.length > 0) assertCanChangeCompleted(ctx, changed[0] ?? 'XmlData');
  if (mustEvaluate(save, completes, changed.length > 0)) await evaluateAnswers(ctx, save, { answers, row, completes });
  if (values.XmlData !== undefined || hasChangedAnswer(form, answers, before))
    values.XmlData = writeAnswers(form, record, xml, answers);
  warnUnknownAnswers(ctx, form, answers, plan);
}

function completesTask({ values, stored, wasComplete }: FormSave): boolean {
  return !wasComplete && (columnsAfter(values, stored).ActualCompletion ?? null) !== null;
}

/**
 * Returns the questions without an answer, and the cells, that are required whatever the other answers are. Reported
 * together with invalid answers, from which the form's expressions cannot be evaluated.
 */
function certainlyMissing(form: Form, answers: FormAnswers): readonly string[] {
  return form.questions
    .filter(({ place, shownWhen }) => shownWhen === null && place.kind === 'answer')
    .flatMap((question) => missingIn(question, answers.get(question.name) ?? '', question.isRequired === true));
}

/** Returns whether the expressions of a form decide anything about a save. */
function mustEvaluate({ form, wasComplete }: FormSave, completes: boolean, hasChanged: boolean): boolean {
  if (completes) return true;
  return calculates(form) ? hasChanged || !wasComplete : hasChanged && wasComplete;
}

/** Evaluates the form, stores calculated answers, and checks that a complete task has all required ones. */
async function evaluateAnswers(
  ctx: Context,
  save: FormSave,
  {
    answers,
    row,
    completes,
  }: { readonly answers: FormAnswers; readonly row: Partial<Task>; readonly completes: boolean },
): Promise<void> {
  const { form, record, values, stored, plan, wasComplete } = save;
  const parent = taskParent(ctx, row);
  const known: FormAnswers = new Map(answers);
  await addColumns(ctx, form, known, { row: columnsAfter(values, stored), parent, plan });
  const evaluated = await evaluateForm(ctx, form, { task: row, record, parent, answers: known });
  applyCalculatedAnswers(ctx, save, answers, evaluated.answers);
  const missing = completes || wasComplete ? missingAnswers(form, evaluated) : [];
  const report = reportedCompletion(ctx);
  if (!report) throwMissing(form, missing);
  else if (completes) for (const name of missing) report.missing.add(name);
}

function hasChangedAnswer(form: Form, answers: FormAnswers, before: ReadonlyMap<string, string>): boolean {
  return form.questions.some(
    ({ name, place }) => place.kind === 'answer' && (answers.get(name) ?? '') !== (before.get(name) ?? ''),
  );
}

/** Gives a new task the default answers that were not sent. */
function applyDefaults(ctx: Context, form: Form, answers: FormAnswers, values: Values<typeof importForm>): void {
  const fields: Values = values;
  for (const { name, default: answer, place } of form.questions) {
    if (answer === null) continue;
    if (place.kind === 'answer' && !answers.has(name)) answers.set(name, answer);
    if (place.kind === 'field' && fields[place.column.valueName] === undefined)
      fields[place.column.valueName] = columnValue(ctx, place.column, answer);
  }
}

/**
 * Parses submitted answers by question type and returns the names of those that changed. Reports all invalid answers
 * together. @throws BAD_PARAMETER
 */
async function applySubmittedAnswers(
  ctx: Context,
  save: FormSave,
  answers: FormAnswers,
  before: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const options = { timeZone: ctx.settings.get(timeZone) };
  const problems = new AnswerProblems();
  const changed: string[] = [];
  const parts: TakenAnswer['parts'][number][] = [];
  for (const question of save.form.questions) {
    const text = submittedText(save, question, answers, options.timeZone);
    const old = storedText(save, question, before, options.timeZone);
    if (text === undefined || text === old) continue;
    const { name, place } = question;
    if (question.calculation !== null) {
      // A calculated answer cannot be submitted: the stored one stays until it is calculated again.
      if (place.kind === 'answer') answers.set(name, old ?? '');
      continue;
    }
    const taken = await takeAnswer(ctx, question, text, { options, problems, stored: old });
    if (!taken) continue;
    if (place.kind === 'answer') answers.set(name, taken.text);
    if (taken.text === old) continue;
    changed.push(name);
    parts.push(...(taken.isInvalid ? [] : taken.parts));
    storeInColumn(save, question, taken.text);
  }
  await comparePatterns(ctx, parts, problems);
  await checkPersons(ctx, parts, problems);
  if (problems.found.length > 0 && completesTask(save) && !reportedCompletion(ctx))
    for (const name of certainlyMissing(save.form, answers)) problems.add(name, missingMessage(save.form, name));
  problems.throwIfAny();
  return changed;
}

/** Returns the answer that a save submits to a question; undefined if it submits none. */
function submittedText(
  { values, plan }: FormSave,
  { name, type, place }: Question,
  answers: FormAnswers,
  zone: string,
): string | undefined {
  if (place.kind === 'answer') return answers.get(name) ?? '';
  if (place.kind === 'field') {
    const fields: Values = values;
    const sent = fields[place.column.valueName];
    return sent === undefined ? undefined : answerFromColumn(type, sent, zone);
  }
  const sent = place.kind === 'parent' && plan ? submittedParentField(plan, name) : undefined;
  return sent && answerFromColumn(type, sent.raw, zone);
}

/** Returns the answer before the save; undefined for a field of the parent, which is not read. */
function storedText(
  { stored }: FormSave,
  { name, type, place }: Question,
  before: ReadonlyMap<string, string>,
  zone: string,
): string | undefined {
  if (place.kind === 'answer') return before.get(name) ?? '';
  const columns: Row | undefined = stored;
  return place.kind === 'field' ? answerFromColumn(type, columns?.[place.column.name], zone) : undefined;
}

/** Stores a normalized answer in the column of the task or of its parent. */
function storeInColumn({ values, plan }: FormSave, { name, type, place }: Question, text: string): void {
  const fields: Values = values;
  if (place.kind === 'field' && type === 'Choice') fields[place.column.valueName] = text === '' ? null : text;
  const sent = place.kind === 'parent' && plan ? submittedParentField(plan, name) : undefined;
  if (sent && plan)
    plan.parent.set(sent.record.name, {
      record: sent.record,
      raw: { ...plan.parent.get(sent.record.name)?.raw, [sent.key]: text },
    });
}

/** Returns an answer as stored in a column of the task: a date becomes an instant in the installation's time zone. */
function columnValue(ctx: Context, { name, field }: Column, text: string): unknown {
  return parseValue(field, text, name, { timeZone: ctx.settings.get(timeZone) });
}

/** Stores calculated answers. */
function applyCalculatedAnswers(
  ctx: Context,
  { form, values }: FormSave,
  answers: FormAnswers,
  evaluated: ReadonlyMap<string, string>,
): void {
  const fields: Values = values;
  for (const { name, calculation, place } of form.questions) {
    if (calculation === null) continue;
    const text = evaluated.get(name) ?? '';
    if (place.kind === 'answer') answers.set(name, text);
    if (place.kind === 'field') fields[place.column.valueName] = columnValue(ctx, place.column, text);
  }
}

function throwMissing(form: Form, missing: readonly string[]): void {
  const problems = new AnswerProblems();
  for (const name of missing) problems.add(name, missingMessage(form, name));
  problems.throwIfAny('MISSING_PARAMETER');
}

/** Warns about answers without a question, which are stored all the same: usually a mistake. */
function warnUnknownAnswers(ctx: Context, form: Form, answers: FormAnswers, plan: SavePlan | undefined): void {
  const questionNames = new Set(
    form.questions.filter(({ type }) => type !== 'Label').map(({ name }) => name.toLowerCase()),
  );
  for (const name of plan ? submittedAnswers(plan).keys() : []) {
    if (!questionNames.has(name.toLowerCase()) && answers.has(name))
      ctx.alert({
        code: 'ANSWER_NOT_ASKED',
        text: `${name.slice(0, 100)}: ${form.name} has no question of this name; the answer is stored anyway.`,
      });
  }
}

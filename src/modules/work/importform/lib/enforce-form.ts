import type { Row } from '../../../../kernel/door/answer.ts';
import { rowAfter } from '../../../../kernel/ports/business-rules.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { bad, parseValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import type { SavePlan } from '../../../../kernel/records/save/plan.ts';
import { lockRecord } from '../../../../kernel/records/save/lock-record.ts';
import { versionConflict } from '../../../../kernel/records/save/version-conflict.ts';
import { answerFromColumn, normalizeAnswer } from './normalize-answer.ts';
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
import { assertPatterns } from './answer-patterns.ts';
import { assertPersons } from './answer-persons.ts';
import { AnswerProblems } from './answer-problems.ts';
import { CHANGE_COMPLETED, enforceStatus } from './form-status.ts';

/** Whether a task that is saved has a form that has anything to say. What has none costs nothing; of a stored one, where there are forms at all, one read. */
export async function hasForm(
  ctx: Context,
  values: ReadonlyMap<string, unknown>,
  id: number | undefined,
): Promise<boolean> {
  const named = await formOf(ctx, values.get('importformtemplateid'));
  if (id === undefined) return named !== undefined;
  if (constrainsTasks(named)) return true;
  if (!(await anyFormConstrainsTasks(ctx))) return false;
  const [row] = await ctx.db.query<{ at: number | null }>(
    'select importformtemplateid as at from importform where importformid = $1::bigint',
    [id],
  );
  // That there is no such task is told where it would be changed.
  return constrainsTasks(await formOf(ctx, row?.at));
}

/** What a save is about, once the task is locked. */
interface FormSave {
  readonly form: Form;
  readonly record: RecordType;
  readonly values: Map<string, unknown>;
  readonly stored: Row | undefined;
  readonly plan: SavePlan | undefined;
  readonly wasComplete: boolean;
}

/**
 * Keeps a task to its form: its team, its status and its answers. The task is locked from here on, so that of two who save it at
 * once the second meets what the first left.
 */
export async function enforceForm(
  ctx: Context,
  record: RecordType,
  values: Map<string, unknown>,
  id: number | undefined,
  plan: SavePlan | undefined,
): Promise<void> {
  const stored = id === undefined ? undefined : await lockRecord(ctx, record, id);
  if (stored && plan?.version !== undefined && stored['Version'] !== plan.version)
    throw versionConflict(record, stored, values, plan.version);
  const before = stored?.['ImportFormTemplateID'];
  const after = values.has('importformtemplateid') ? values.get('importformtemplateid') : before;
  // Without its form a task could go anywhere.
  if (after !== before && constrainsTasks(await formOf(ctx, before)))
    throw bad('ImportFormTemplateID', 'the form that the task has; its answers and status were given by it');
  const form = await formOf(ctx, after);
  if (!form) return;
  if (!stored && form.teamId !== null && !values.has('assignedcollectionid'))
    values.set('assignedcollectionid', form.teamId);
  const saving: FormSave = {
    form,
    record,
    values,
    stored,
    plan,
    wasComplete: (stored?.['ActualCompletion'] ?? null) !== null,
  };
  if (saving.wasComplete) assertCanReopen(ctx, saving);
  enforceStatus(ctx, form, values, stored);
  if (form.questions.some(({ type }) => type !== 'Label')) await saveAnswers(ctx, saving);
}

/** A completed task of a form stays as it was completed, unless the caller may do more. */
function assertCanReopen(ctx: Context, { values, stored }: FormSave): void {
  const before = stored?.['Status'] ?? null;
  const changes =
    (values.has('actualcompletion') && values.get('actualcompletion') === null) ||
    (values.has('status') && values.get('status') !== before);
  if (changes) assertCanChangeCompleted(ctx, values.has('actualcompletion') ? 'ActualCompletion' : 'Status');
}

function assertCanChangeCompleted(ctx: Context, field: string): void {
  if (ctx.user.permissions.has(CHANGE_COMPLETED)) return;
  throw new PlatformError('STATE_REFUSES', {
    field,
    message: `${field}: the task is complete; changing it takes the permission ${CHANGE_COMPLETED}, which is not granted to you.`,
  });
}

async function saveAnswers(ctx: Context, saving: FormSave): Promise<void> {
  const { form, record, values, stored, plan, wasComplete } = saving;
  const xml = values.has('xmldata') ? values.get('xmldata') : stored?.['XmlData'];
  const before = stored ? readAnswers(form, record, stored['XmlData']) : new Map<string, string>();
  const answers = readAnswers(form, record, xml);
  const row = rowAfter(record, stored, values);
  const completes = !wasComplete && (row['ActualCompletion'] ?? null) !== null;
  if (!stored) applyDefaults(ctx, form, answers, values);
  const changed = await applySubmittedAnswers(ctx, saving, answers, before);
  if (wasComplete && changed.length > 0) assertCanChangeCompleted(ctx, changed[0] ?? 'XmlData');
  const judged = completes || changed.length > 0 || (calculates(form) && !wasComplete);
  if (judged && (completes || wasComplete || calculates(form))) {
    const parent = taskParent(ctx, row);
    const known: FormAnswers = new Map(answers);
    await addColumns(ctx, form, known, { row: rowAfter(record, stored, values), parent, plan });
    const evaluated = await evaluateForm(ctx, form, { task: row, record, parent, answers: known });
    applyCalculatedAnswers(ctx, form, answers, values, evaluated.answers);
    if (completes || wasComplete) assertComplete(form, evaluated);
  }
  if (
    form.questions.some(
      ({ name, place }) => place.kind === 'answer' && (answers.get(name) ?? '') !== (before.get(name) ?? ''),
    ) ||
    values.has('xmldata')
  )
    values.set('xmldata', writeAnswers(form, record, xml, answers));
  warnUnknownAnswers(ctx, form, answers, plan);
}

/** A new task holds the default answers, where others are not sent. */
function applyDefaults(ctx: Context, form: Form, answers: FormAnswers, values: Map<string, unknown>): void {
  for (const { name, default: answer, place } of form.questions) {
    if (answer === null) continue;
    if (place.kind === 'answer' && !answers.has(name)) answers.set(name, answer);
    if (place.kind === 'field' && !values.has(place.column.name.toLowerCase()))
      values.set(place.column.name.toLowerCase(), columnValue(ctx, place.column, answer));
  }
}

/** Reads what is sent as its questions ask for it; answers the names of those that change. All that is wrong is told at once. */
async function applySubmittedAnswers(
  ctx: Context,
  saving: FormSave,
  answers: FormAnswers,
  before: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const { form, values, stored, plan } = saving;
  const zone = ctx.settings.get(timeZone);
  const problems = new AnswerProblems();
  const changed: { readonly question: Question; readonly text: string }[] = [];
  for (const question of form.questions) {
    const { name, type, place, calculation } = question;
    const sent = place.kind === 'parent' && plan ? submittedParentField(plan, name) : undefined;
    const key = place.kind === 'field' ? place.column.name.toLowerCase() : '';
    const text =
      place.kind === 'answer'
        ? (answers.get(name) ?? '')
        : place.kind === 'field' && values.has(key)
          ? answerFromColumn(type, values.get(key), zone)
          : sent
            ? answerFromColumn(type, sent.raw, zone)
            : undefined;
    const old =
      place.kind === 'answer'
        ? (before.get(name) ?? '')
        : place.kind === 'field'
          ? answerFromColumn(type, stored?.[place.column.name], zone)
          : undefined;
    if (text === undefined || text === old) continue;
    if (calculation !== null) {
      // What is calculated is not told by who saves; the stored answer stands until it is calculated again.
      if (place.kind === 'answer') answers.set(name, old ?? '');
      continue;
    }
    const taken = await problems.attempt(name, () => normalizeAnswer(question, text, { timeZone: zone }));
    if (taken === undefined || taken === old) {
      if (taken !== undefined && place.kind === 'answer') answers.set(name, taken);
      continue;
    }
    changed.push({ question, text: taken });
    if (place.kind === 'answer') answers.set(name, taken);
    if (place.kind === 'field' && type === 'Choice') values.set(key, taken === '' ? null : taken);
    if (sent && plan)
      plan.parent.set(sent.record.name, {
        record: sent.record,
        raw: { ...plan.parent.get(sent.record.name)?.raw, [sent.key]: taken },
      });
  }
  problems.throwIfAny();
  await assertPatterns(ctx, changed);
  await assertPersons(ctx, changed);
  return changed.map(({ question }) => question.name);
}

/** An answer as a column of the task keeps it: a day is an instant there, in the installation's time zone. */
function columnValue(ctx: Context, { name, field }: Column, text: string): unknown {
  return parseValue(field, text, name, { timeZone: ctx.settings.get(timeZone) });
}

/** Puts what was calculated where it is kept. */
function applyCalculatedAnswers(
  ctx: Context,
  form: Form,
  answers: FormAnswers,
  values: Map<string, unknown>,
  evaluated: ReadonlyMap<string, string>,
): void {
  for (const { name, calculation, place } of form.questions) {
    if (calculation === null) continue;
    const text = evaluated.get(name) ?? '';
    if (place.kind === 'answer') answers.set(name, text);
    if (place.kind === 'field') values.set(place.column.name.toLowerCase(), columnValue(ctx, place.column, text));
  }
}

function assertComplete(
  form: Form,
  { answers, required }: { readonly answers: ReadonlyMap<string, string>; readonly required: ReadonlySet<string> },
): void {
  const problems = new AnswerProblems();
  // What the caller cannot see of the parent is not asked of it.
  for (const { name, place } of form.questions)
    if (required.has(name) && (answers.get(name) ?? '') === '' && (place.kind !== 'parent' || answers.has(name)))
      problems.add(name, `${name}: an answer is required before the task is complete.`);
  problems.throwIfAny('MISSING_PARAMETER');
}

/** A name that no question has is kept as it came; more often than not it is a mistake, which is told. */
function warnUnknownAnswers(ctx: Context, form: Form, answers: FormAnswers, plan: SavePlan | undefined): void {
  const asked = new Set(form.questions.filter(({ type }) => type !== 'Label').map(({ name }) => name.toLowerCase()));
  for (const name of plan?.answers.keys() ?? []) {
    if (!asked.has(name.toLowerCase()) && answers.has(name))
      ctx.alert({
        code: 'ANSWER_NOT_ASKED',
        text: `${name.slice(0, 100)}: no question of ${form.name} has this name; it is kept as an answer.`,
      });
  }
}

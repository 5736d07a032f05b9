import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { marks } from '../../../../kernel/door/scratch.ts';
import type { Column, RecordType } from '../../../../kernel/declare/record.ts';
import { planSave, type SavePlan } from '../../../../kernel/records/save/plan.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import type { Db } from '../../../../kernel/database/store.ts';
import { parseChoices, type Choice } from './choices.ts';
import { levelsOf } from './evaluation-levels.ts';
import { submittedAnswers } from './submitted-answers.ts';

/** The types of answers. */
export type QuestionType =
  | 'Text'
  | 'LongText'
  | 'Number'
  | 'Money'
  | 'Date'
  | 'Timestamp'
  | 'Boolean'
  | 'Choice'
  | 'MultipleChoice'
  | 'Person'
  | 'Rows'
  | 'Label';

/**
 * Where an answer is stored: in the answers document, in a column of the task, or of its parent; for a heading nowhere.
 */
export type AnswerPlace =
  | { readonly kind: 'answer' | 'none' }
  | { readonly kind: 'field'; readonly column: Column }
  | { readonly kind: 'parent'; readonly record: RecordType; readonly column: Column };

/** A stored question; unset properties are null. */
export interface StoredQuestion {
  readonly id: number;
  readonly name: string;
  readonly type: QuestionType;
  readonly prompt: string | null;
  readonly help: string | null;
  readonly section: string | null;
  readonly isRequired: boolean | null;
  readonly choices: string | null;
  readonly minimum: string | null;
  readonly maximum: string | null;
  readonly pattern: string | null;
  readonly default: string | null;
  readonly calculation: string | null;
  readonly shownWhen: string | null;
  readonly requiredWhen: string | null;
  /** The name of the question whose rows have it as a column; null for any other question. */
  readonly rowsOf: string | null;
}

/** A question of a form in use. */
export interface Question extends Omit<StoredQuestion, 'choices'> {
  readonly choices: readonly Choice[];
  readonly place: AnswerPlace;
  /** The columns of a question with rows. */
  readonly columns: readonly Question[];
}

/** A status of a form. */
export interface FormStatus {
  readonly name: string;
  readonly isFinal: boolean | null;
}

/** A move between two statuses; `from` is null if it is possible from any. */
export interface Transition {
  readonly id: number;
  readonly name: string;
  readonly from: string | null;
  readonly to: string;
  readonly roles: string | null;
}

/** A form as stored. */
export interface StoredForm {
  readonly templateId: number;
  readonly name: string;
  readonly appliesTo: string | null;
  readonly instructions: string | null;
  readonly teamId: number | null;
  readonly questions: readonly StoredQuestion[];
  readonly statuses: readonly FormStatus[];
  readonly transitions: readonly Transition[];
}

/** A form in use, with its questions resolved and in order. Columns are in the question that they belong to. */
export interface Form extends Omit<StoredForm, 'questions'> {
  readonly questions: readonly Question[];
  /** The questions by level: each level's expressions need only the answers of earlier ones. */
  readonly levels: readonly (readonly Question[])[];
}

/** Reads a form without inactive questions and their columns. Undefined if there is no such template. */
export async function readForm(db: Db, templateId: number): Promise<StoredForm | undefined> {
  const [row] = await db.query<StoredForm>(
    `select t.importformtemplateid as "templateId", coalesce(t.importformtemplate, '') as name,
       t.appliesto as "appliesTo", t.instructions, t.assignedcollectionid as "teamId",
       (
         select coalesce(
           jsonb_agg(
             jsonb_build_object(
               'id', q.importformquestionid, 'name', coalesce(q.importformquestion, ''), 'type',
               coalesce(q.questiontype, 'Text'), 'prompt', q.prompt, 'help', q.help, 'section', q.section,
               'isRequired', q.isrequired, 'choices', q.choices, 'minimum', q.minimum, 'maximum', q.maximum,
               'pattern', q.pattern, 'default', q.defaultanswer, 'calculation', q.calculation, 'shownWhen',
               q.shownwhen, 'requiredWhen', q.requiredwhen, 'rowsOf', q.rowsof
             )
             order by q.sequence nulls last, q.importformquestionid
           ),
           '[]'
         )
         from importformquestion q
         where q.importformtemplateid = t.importformtemplateid and coalesce(q.status, '') <> 'Inactive'
           and not exists (
             select from importformquestion r
             where r.importformtemplateid = q.importformtemplateid and r.importformquestion = q.rowsof
               and r.status = 'Inactive'
           )
       ) as questions,
       (
         select coalesce(
           jsonb_agg(
             jsonb_build_object('name', coalesce(s.importformstatus, ''), 'isFinal', s.isfinal)
             order by s.sequence nulls last, s.importformstatusid
           ),
           '[]'
         )
         from importformstatus s
         where s.importformtemplateid = t.importformtemplateid
       ) as statuses,
       (
         select coalesce(
           jsonb_agg(
             jsonb_build_object(
               'id', m.importformtransitionid, 'name', coalesce(m.importformtransition, m.tostatus), 'from',
               m.fromstatus, 'to', m.tostatus, 'roles', m.roles
             )
             order by m.importformtransitionid
           ),
           '[]'
         )
         from importformtransition m
         where m.importformtemplateid = t.importformtemplateid
       ) as transitions
     from importformtemplate t
     where t.importformtemplateid = $1::bigint`,
    [templateId],
  );
  return row;
}

/** Returns the form of a template with questions, statuses or a team; undefined if a task of it is just a task. */
export async function formOf(ctx: Context, templateId: number | null | undefined): Promise<Form | undefined> {
  if (typeof templateId !== 'number') return undefined;
  // A form created or changed in this transaction is not committed yet.
  if (ctx.reach.hasCreated({ name: 'ImportFormTemplate' }, templateId) || ctx.scratch(changedForms).has(templateId))
    return resolveForm(ctx, await readForm(ctx.db, templateId));
  return ctx.configuration.get(`form:${templateId}`, async () =>
    resolveForm(ctx, await readForm(ctx.configuration.db, templateId)),
  );
}

/** Templates whose form the transaction has changed; each is checked when it ends. */
export const changedForms = marks<number>('changed forms');

/** Whether a form constrains existing tasks. One that only has a team decides where new ones go. */
export function constrainsTasks(form: Form | undefined): form is Form {
  return form !== undefined && (form.questions.length > 0 || form.statuses.length > 0);
}

/** Whether any form of the installation {@link constrainsTasks}. */
export async function anyFormConstrainsTasks(ctx: Context): Promise<boolean> {
  if (!ctx.scratch(changedForms).isEmpty) return true;
  return ctx.configuration.get('forms', async () => {
    const [row] = await ctx.configuration.db.query<{ found: boolean }>(
      'select exists (select from importformquestion) or exists (select from importformstatus) as found',
    );
    return row?.found === true;
  });
}

function resolveForm(ctx: Context, stored: StoredForm | undefined): Form | undefined {
  if (!stored || (stored.questions.length === 0 && stored.statuses.length === 0 && stored.teamId === null))
    return undefined;
  const questions = stored.questions
    .filter(({ rowsOf }) => rowsOf === null)
    .map((question): Question => ({
      ...question,
      ...(question.type === 'Label' ? { calculation: null, requiredWhen: null } : {}),
      choices: parseChoices(question.choices),
      place: answerPlace(ctx.registry, question) ?? { kind: 'answer' },
      columns: columnsOf(stored, question),
    }));
  return { ...stored, questions, levels: levelsOf(questions) };
}

/** Returns the columns of a question with rows, in order. */
export function columnsOf({ questions }: StoredForm, { name, type }: StoredQuestion): readonly Question[] {
  if (type !== 'Rows') return [];
  return questions
    .filter(({ rowsOf }) => rowsOf !== null && fold(rowsOf) === fold(name))
    .map((column) => ({
      ...column,
      choices: parseChoices(column.choices),
      place: { kind: 'answer' },
      columns: [],
    }));
}

/**
 * Returns where a save would store a question's answer, by its name; undefined if the name has another meaning in a
 * save.
 */
export function answerPlace(
  registry: Registry,
  { name, type }: Pick<StoredQuestion, 'name' | 'type'>,
): AnswerPlace | undefined {
  if (type === 'Label') return { kind: 'none' };
  const record = registry.recordType('ImportForm');
  const plan = planOfName(registry, record, name);
  if (!plan) return undefined;
  if (submittedAnswers(plan).size > 0) return { kind: 'answer' };
  for (const own in plan.values) {
    const column = record.valueColumns.get(own);
    if (column) return { kind: 'field', column };
  }
  for (const [, { record: of, raw }] of plan.parent) {
    const column = of.columns.get(Object.keys(raw)[0]?.toLowerCase() ?? '');
    if (column) return { kind: 'parent', record: of, column };
  }
  return undefined;
}

/** Returns the plan of a save with this name alone; undefined if the name is rejected. */
function planOfName(registry: Registry, record: RecordType, name: string): SavePlan | undefined {
  try {
    return planSave(registry, record, { [name]: null }, { timeZone: 'UTC' });
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

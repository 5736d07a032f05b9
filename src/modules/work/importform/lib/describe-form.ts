import type { TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import { parseValue, type RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { concreteClass, readRecord } from '../../../../kernel/records/search/read.ts';
import { findTemplate } from '../../../../kernel/records/save/template.ts';
import { findChoice } from './choices.ts';
import { shownCondition } from './shown-condition.ts';
import { evaluateForm, type FormEvaluation } from './evaluate-form.ts';
import { formOf, type Form, type Question } from './form.ts';
import { flag, group, leaf, type FormNode, type HoldNode, type QuestionNode } from './form-nodes.ts';
import { addColumns, readAnswers, taskParent, type FormAnswers } from './form-answers.ts';
import { holdNodes, taskHolds } from './task-holds.ts';
import { collectRows } from './answer-rows.ts';
import { rowsGroups } from './rows-nodes.ts';
import { takeAnswer } from './take-answer.ts';
import { AnswerProblems } from './answer-problems.ts';
import { CHANGE_COMPLETED, endsTask, availableMoves } from './form-status.ts';
import type { Task } from '../importform.record.ts';

/** The form to describe: that of a task, or of a new one of a template below a record. */
export interface FormSelector {
  /** The row of the task. */
  readonly stored: Task | undefined;
  readonly template: string | null | undefined;
  readonly templateId: number | null | undefined;
  readonly object: string | null | undefined;
  readonly objectId: number | null | undefined;
}

/** The form of a task type without questions. */
const emptyForm: Omit<Form, 'templateId' | 'name'> = {
  appliesTo: null,
  instructions: null,
  teamId: null,
  questions: [],
  levels: [],
  statuses: [],
  transitions: [],
};

interface LocatedForm {
  readonly form: Form;
  readonly task: Partial<Task>;
  /** The stored task, if there is one. */
  readonly stored: Task | undefined;
}

/**
 * Renders the form definition for a user. `sent` has unsaved answers; their problems are reported with the questions.
 */
export async function describeForm(ctx: Context, selector: FormSelector, sent: Parameters = {}): Promise<FormNode> {
  const record = ctx.registry.recordType('ImportForm');
  const { form, task: found, stored } = await locateForm(ctx, selector);
  // Answers are put into the columns that the form names.
  const task: Partial<Task> & Record<string, unknown> = { ...found };
  const parent = taskParent(ctx, task);
  const answers = readAnswers(form, record, task['XmlData']);
  if (!stored)
    for (const { name, default: answer } of form.questions)
      if (answer !== null && !answers.has(name)) answers.set(name, answer);
  await addColumns(ctx, form, answers, { row: task, parent, isNew: !stored });
  const saved: FormAnswers = new Map(answers);
  const problems = new AnswerProblems();
  const trial = Object.fromEntries(collectRows(form, Object.entries(sent)));
  for (const question of form.questions) await applyTrialAnswer(ctx, question, trial, { answers, task, problems });
  const evaluated = await evaluateForm(ctx, form, { task, record, parent, answers });
  const held = await taskHolds(ctx, stored);
  return formNode(ctx, {
    form,
    task,
    stored,
    evaluated,
    saved,
    problems,
    isOnHold: held.length > 0,
    holds: await holdNodes(ctx, held),
  });
}

/** Applies an unsaved answer. An invalid one is shown as sent, with its problem. */
async function applyTrialAnswer(
  ctx: Context,
  question: Question,
  sent: Parameters,
  into: { readonly answers: FormAnswers; readonly task: Record<string, unknown>; readonly problems: AnswerProblems },
): Promise<void> {
  const { name, place, calculation } = question;
  const raw = parameter(sent, name);
  if (raw === undefined || place.kind === 'none' || calculation !== null) return;
  const text = (Array.isArray(raw) ? (raw as readonly RawValue[]) : [raw])
    .map((value) => (typeof value === 'object' ? '' : String(value)))
    .join('|');
  into.answers.set(name, text);
  const options = { timeZone: ctx.settings.get(timeZone) };
  const taken = await takeAnswer(ctx, question, text, { options, problems: into.problems });
  if (!taken) return;
  into.answers.set(name, taken.placed);
  if (place.kind === 'field') into.task[place.column.name] = parseValue(place.column.field, taken.text, name, options);
}

async function locateForm(ctx: Context, selector: FormSelector): Promise<LocatedForm> {
  return selector.stored ? storedForm(ctx, selector.stored) : newForm(ctx, selector);
}

/** Returns the form of a stored task. */
async function storedForm(ctx: Context, stored: Task): Promise<LocatedForm> {
  const form = (await formOf(ctx, stored.ImportFormTemplateID)) ?? {
    ...emptyForm,
    templateId: stored.ImportFormTemplateID ?? 0,
    name: stored.ImportForm ?? '',
  };
  return { stored, task: stored, form };
}

/** Returns the form of a new task of a template below a record. */
async function newForm(ctx: Context, selector: FormSelector): Promise<LocatedForm> {
  const { object, objectId } = selector;
  const parent =
    typeof object === 'string' && typeof objectId === 'number'
      ? await concreteClass(ctx, ctx.db, ctx.registry.requireRecord(object, 'Object'), objectId)
      : undefined;
  const of = ctx.registry.recordType('ImportFormTemplate');
  const templateId = await selectedTemplate(ctx, of, selector, parent);
  if (templateId === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID or Template is required: the task, or the task type of a new one.',
    });
  const row = await readRecord(ctx.db, of, templateId);
  const form = (await formOf(ctx, templateId)) ?? {
    ...emptyForm,
    templateId,
    name: row.ImportFormTemplate ?? '',
    instructions: row.Instructions,
  };
  const task: Partial<Task> = {
    ImportForm: form.name,
    ImportFormTemplateID: templateId,
    Status: form.statuses[0]?.name ?? null,
    ...(parent ? { Object: parent.name, ObjectID: objectId ?? null } : {}),
  };
  return { form, task, stored: undefined };
}

async function selectedTemplate(
  ctx: Context,
  of: RecordType,
  { template, templateId }: FormSelector,
  parent: RecordType | undefined,
): Promise<number | undefined> {
  if (typeof templateId === 'number') return templateId;
  if (typeof template !== 'string' || template === '') return undefined;
  return (await findTemplate(ctx, of, { name: template, parentClass: parent?.name, field: 'Template' })).id;
}

interface FormView {
  readonly form: Form;
  readonly task: Partial<Task>;
  readonly stored: Task | undefined;
  readonly evaluated: FormEvaluation;
  /** The answers before the unsaved ones. */
  readonly saved: ReadonlyMap<string, string>;
  readonly problems: AnswerProblems;
  /** Whether a workflow on hold waits for the task, and those of its holds that the caller may see. */
  readonly isOnHold: boolean;
  readonly holds: readonly HoldNode[];
}

function formNode(ctx: Context, view: FormView): FormNode {
  const { form, task, stored, isOnHold, holds } = view;
  const isComplete = (stored?.ActualCompletion ?? null) !== null;
  const moves = availableMoves(ctx, form, stored ?? task, isOnHold);
  return {
    name: 'Form',
    attributes: formAttributes(form, task, stored),
    children: [
      flag('HasStatuses', form.statuses.length > 0),
      flag('IsComplete', isComplete),
      flag('CanChange', !isComplete || ctx.user.permissions.has(CHANGE_COMPLETED)),
      flag('OnHold', isOnHold),
      ...(holds.length === 0 ? [] : [group('Holds', holds)]),
      ...(form.instructions === null ? [] : [leaf('Instructions', form.instructions)]),
      group(
        'Questions',
        form.questions.map((question) => questionNode(ctx, question, view)),
      ),
      group(
        'Transitions',
        moves.map((move) => ({
          name: 'Transition',
          attributes: { ImportFormTransitionID: move.id, Name: move.name, ToStatus: move.to },
          children: [flag('IsFinal', endsTask(form, move))],
        })),
      ),
    ],
  };
}

function formAttributes(form: Form, task: Partial<Task>, stored: Task | undefined): FormNode['attributes'] {
  return {
    ImportFormID: stored?.ImportFormID ?? null,
    ImportFormTemplateID: form.templateId === 0 ? null : form.templateId,
    Name: task.ImportForm ?? form.name,
    Version: stored?.Version ?? null,
    Status: stored?.Status ?? task.Status ?? null,
    Object: task.Object ?? null,
    ObjectID: task.ObjectID ?? null,
  };
}

function questionNode(ctx: Context, question: Question, view: FormView): QuestionNode {
  const { form, problems, saved } = view;
  const { answers, shown, required } = view.evaluated;
  const condition = shownCondition(form, question);
  const { name, type, place, prompt, help, section, minimum, maximum, pattern, calculation, choices } = question;
  const value = answers.get(name) ?? '';
  // A question for a field of the case can be answered by users who may change the case.
  const mayChange =
    place.kind !== 'parent' ||
    ['save', 'update'].some((of) =>
      ctx.user.permissions.has(ctx.registry.find(place.record.module, of)?.operation.permissionName ?? ''),
    );
  const isReadOnly = calculation !== null || !mayChange || (place.kind === 'parent' && !answers.has(name));
  const filled = <N extends string>(of: N, text: string | null) =>
    text === null || text === '' ? [] : [leaf(of, text)];
  return {
    name: 'Question',
    attributes: {
      Name: name,
      Type: type,
      Place: place.kind,
      Minimum: minimum,
      Maximum: maximum,
      Pattern: pattern,
      ShownBy: condition?.question ?? null,
      ShownFor: condition?.answer ?? null,
    },
    children: [
      flag('Shown', shown.has(name)),
      flag('Required', required.has(name)),
      flag('ReadOnly', isReadOnly),
      flag('Calculated', calculation !== null),
      ...filled('Prompt', prompt),
      ...filled('Help', help),
      ...filled('Section', section),
      ...filled('Value', value),
      ...savedLeaf(saved.get(name) ?? '', value, question),
      ...choicesGroup(choices, value),
      ...rowsGroups(question, value, problems),
      ...filled('Problem', problems.found.find((problem) => problem.name === name)?.message ?? null),
    ],
  };
}

/** Returns the saved answer, if an unsaved one is shown instead. */
function savedLeaf(saved: string, value: string, { calculation }: Question): QuestionNode['children'] {
  return calculation === null && saved !== value ? [leaf('Saved', saved)] : [];
}

function choicesGroup(choices: Question['choices'], value: string): QuestionNode['children'] {
  if (choices.length === 0) return [];
  const picked = new Set(value.split('|').map((part) => findChoice(choices, part)?.code));
  const nodes = choices.map(({ code, label }) => ({
    name: 'Choice' as const,
    attributes: { Code: code, Label: label },
    children: [flag('Chosen', picked.has(code))],
  }));
  return [group('Choices', nodes)];
}

/** An example for the reference. */
export const example: TreeNode = {
  name: 'Form',
  attributes: {
    ImportFormID: 1,
    ImportFormTemplateID: 5,
    Name: 'Title review',
    Version: 3,
    Status: 'Open',
    Object: 'Foreclosure',
    ObjectID: 2,
  },
  children: [
    flag('HasStatuses', true),
    flag('IsComplete', false),
    flag('CanChange', true),
    flag('OnHold', true),
    {
      name: 'Holds',
      list: true,
      children: [
        {
          name: 'Hold',
          attributes: {
            DecisionDelayID: 7,
            Name: 'Title hold',
            ActualStart: '2026-01-15T14:30:00Z',
            ProjectedCompletion: '2026-02-01T00:00:00Z',
          },
        },
      ],
    },
    { name: 'Instructions', value: 'Look at the report first.' },
    {
      name: 'Questions',
      list: true,
      children: [
        {
          name: 'Question',
          attributes: { Name: 'Outcome', Type: 'Choice', Place: 'answer' },
          children: [
            flag('Shown', true),
            flag('Required', true),
            flag('ReadOnly', false),
            flag('Calculated', false),
            { name: 'Prompt', value: 'What came of it?' },
            { name: 'Value', value: 'clear' },
            {
              name: 'Choices',
              list: true,
              children: [
                {
                  name: 'Choice',
                  attributes: { Code: 'clear', Label: 'Clear title' },
                  children: [flag('Chosen', true)],
                },
              ],
            },
          ],
        },
      ],
    },
    {
      name: 'Transitions',
      list: true,
      children: [
        {
          name: 'Transition',
          attributes: { ImportFormTransitionID: 4, Name: 'Send to review', ToStatus: 'Review' },
          children: [flag('IsFinal', false)],
        },
      ],
    },
  ],
};

import type { Context } from '../../../../kernel/door/context.ts';
import { readRoles } from '../../../access/public/roles.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { isAnswerName } from '../../../../lib/answers/answer-document.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { isA } from '../../../../kernel/declare/registry.ts';
import { normalizeBound, compareAnswers, LONGEST_ANSWER, normalizeAnswer } from './normalize-answer.ts';
import { checkColumn, checkRowsQuestion } from './check-rows.ts';
import { parseChoices } from './choices.ts';
import { expressionError } from './evaluate-form.ts';
import {
  changedForms,
  answerPlace,
  columnsOf,
  readForm,
  type AnswerPlace,
  type QuestionType,
  type StoredForm,
  type StoredQuestion,
} from './form.ts';
import { levelsOf } from './evaluation-levels.ts';
import { checkPattern } from './answer-patterns.ts';

/** Most questions of a form, and longest chain of calculations and ShownWhen among them. */
const QUESTIONS_MAX = 300;
/** See {@link QUESTIONS_MAX}. */
const LEVELS_MAX = 20;
/** Most choices of a question. */
const CHOICES_MAX = 1_000;
/** Most statuses of a form, and most moves between them. */
const STATUSES_MAX = 100;
/** See {@link STATUSES_MAX}. */
const TRANSITIONS_MAX = 1_000;

/** Parameters that every call has, whatever its operation. */
const reservedNames = new Set([
  'output',
  'transform',
  'callback',
  'queuename',
  'queueddate',
  'schedulename',
  'queuelabel',
  'template',
  'object',
  'objectid',
]);

/** Checks a changed form once, when the transaction ends: a move may be saved before the statuses it names. */
export function checkFormAtCommit(ctx: Context, templateId: number): void {
  ctx.once(changedForms, templateId, () =>
    ctx.beforeCommit(async () => {
      const form = await readForm(ctx.db, templateId);
      if (form) await checkForm(ctx, form);
    }),
  );
}

/** Rejects a form that could not be filled in, naming the invalid part. */
async function checkForm(ctx: Context, form: StoredForm): Promise<void> {
  if (form.questions.length > QUESTIONS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'Questions',
      message: `${form.name}: a form has at most ${QUESTIONS_MAX} questions.`,
    });
  for (const question of form.questions) await checkQuestion(ctx, form, question);
  await checkExpressions(ctx, form);
  const levels = levelsOf(form.questions);
  const placed = new Set(levels.flat());
  const circular = form.questions.filter((question) => !placed.has(question)).map(({ name }) => name);
  if (circular.length > 0)
    throw refuse(
      circular[0] ?? '',
      'Calculation',
      `a cycle of expressions that need each other: ${circular.slice(0, 10).join(', ')}`,
    );
  if (levels.length > LEVELS_MAX)
    throw refuse(
      levels.at(-1)?.[0]?.name ?? '',
      'Calculation',
      `calculations and ShownWhen may depend on each other at most ${LEVELS_MAX} levels deep`,
    );
  await checkStatuses(ctx, form);
}

function refuse(question: string, field: string, what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field, message: `${question}, ${field}: ${what}.` });
}

async function checkQuestion(ctx: Context, form: StoredForm, question: StoredQuestion): Promise<void> {
  const { name, type } = question;
  if (type === 'Label') {
    if (question.rowsOf !== null) checkColumn(ctx.registry, form, question, refuse);
    if (name.trim() === '') throw refuse('A question', 'ImportFormQuestion', 'expected a name');
    return;
  }
  if (question.rowsOf === null) checkAnswerPlace(ctx, form, question);
  else checkColumn(ctx.registry, form, question, refuse);
  if (type === 'Rows') checkRowsQuestion(form, question, refuse);
  await checkAnswer(ctx, form, question);
}

/** Checks what decides which answers are valid. */
async function checkAnswer(ctx: Context, form: StoredForm, question: StoredQuestion): Promise<void> {
  const { name, type } = question;
  const choices = parseChoices(question.choices);
  if ((type === 'Choice' || type === 'MultipleChoice') !== choices.length > 0)
    throw refuse(
      name,
      'Choices',
      choices.length > 0
        ? `expected no value: questions of the type ${type} have no choices`
        : 'expected the allowed answers, one per line',
    );
  if (choices.length > CHOICES_MAX) throw refuse(name, 'Choices', `expected at most ${CHOICES_MAX}`);
  const codes = new Set<string>();
  for (const { code } of choices) {
    if (code === '') throw refuse(name, 'Choices', 'expected a code before the label');
    if (codes.has(code.toLowerCase())) throw refuse(name, 'Choices', `${code.slice(0, 100)} appears twice`);
    codes.add(code.toLowerCase());
  }
  checkBounds(ctx, question);
  if (question.pattern !== null) {
    if (type !== 'Text') throw refuse(name, 'Pattern', 'expected no value: only a Text has a pattern');
    await checkPattern(ctx, name, question.pattern);
  }
  if (question.default === null) return;
  if (question.calculation !== null)
    throw refuse(name, 'DefaultAnswer', 'expected no value, since the answer is calculated');
  const columns = columnsOf(form, question);
  normalizeAnswer({ ...question, choices, columns }, question.default, { timeZone: ctx.settings.get(timeZone) });
}

/** The question types that can ask for a column. */
const askable: Readonly<Record<string, readonly QuestionType[]>> = {
  text: ['Text', 'LongText', 'Choice'],
  integer: ['Number'],
  decimal: ['Number'],
  money: ['Money', 'Number'],
  boolean: ['Boolean'],
  date: ['Date'],
  timestamp: ['Timestamp', 'Date'],
  id: ['Person'],
};

function checkAnswerPlace(ctx: Context, form: StoredForm, question: StoredQuestion): void {
  const { name, type } = question;
  const place = answerPlace(ctx.registry, question);
  if (!isAnswerName(name) && place === undefined)
    throw refuse(
      name.slice(0, 100),
      'ImportFormQuestion',
      'expected the name of an answer: letters, digits and _ . -, beginning with a letter',
    );
  if (place === undefined || reservedNames.has(name.toLowerCase()))
    throw refuse(name, 'ImportFormQuestion', 'expected another name: this one is a parameter of every save');
  if (place.kind !== 'field' && place.kind !== 'parent') return;
  assertAskable(name, type, place);
  if (place.kind === 'field') checkTaskField(form, question, place.column.name);
  else checkParentField(ctx, form, question, place.record);
}

/** Checks a question that asks for a field of the task. */
function checkTaskField(form: StoredForm, { name, calculation }: StoredQuestion, field: string): void {
  if (form.statuses.length > 0 && field === 'Status')
    throw refuse(name, 'ImportFormQuestion', 'expected another name: the form has statuses, which only moves change');
  if (calculation !== null && (field === 'Status' || field === 'ActualCompletion'))
    throw refuse(name, 'Calculation', 'expected no value: whether the task is complete cannot be calculated');
}

/** Checks a question that asks for a field of the case. */
function checkParentField(ctx: Context, form: StoredForm, question: StoredQuestion, record: RecordType): void {
  const { name, calculation } = question;
  const applies = form.appliesTo === null ? undefined : ctx.registry.record(form.appliesTo);
  if (applies && !isA(applies, record))
    throw refuse(
      name,
      'ImportFormQuestion',
      `expected a field of the task or of ${applies.name}, to which the form applies`,
    );
  if (calculation !== null || question.default !== null)
    throw refuse(
      name,
      calculation === null ? 'DefaultAnswer' : 'Calculation',
      'expected no value: only users can answer a field of the case',
    );
}

function assertAskable(
  name: string,
  type: QuestionType,
  place: Extract<AnswerPlace, { readonly column: unknown }>,
): void {
  const { column } = place;
  const { kind, to, classification, computed } = column.field;
  const reserved =
    ['Object', 'ObjectID', 'XmlData', 'Version'].includes(column.name) || column.column.endsWith('templateid');
  const types = askable[kind] ?? [];
  if (
    computed === true ||
    classification === 'secret' ||
    reserved ||
    types.length === 0 ||
    (kind === 'id' && to !== 'Person')
  )
    throw refuse(name, 'ImportFormQuestion', `expected another name: ${column.name} cannot be asked in a form`);
  if (!types.includes(type))
    throw refuse(name, 'QuestionType', `expected ${types.join(' or ')}, since the answer is ${column.name}`);
}

function checkBounds(ctx: Context, { name, type, minimum, maximum }: StoredQuestion): void {
  if (minimum === null && maximum === null) return;
  const field = minimum === null ? 'Maximum' : 'Minimum';
  if (type === 'Boolean' || type === 'Choice' || type === 'Person')
    throw refuse(name, field, `expected no value: questions of the type ${type} have no bounds`);
  const options = { timeZone: ctx.settings.get(timeZone) };
  const counts = ['Text', 'LongText', 'MultipleChoice', 'Rows'].includes(type);
  const read = (text: string, of: string): string => {
    try {
      const value = normalizeBound(type, text, options);
      if (counts && (Number(value) < 0 || Number(value) > LONGEST_ANSWER))
        throw refuse(name, of, `expected a number from 0 to ${LONGEST_ANSWER}`);
      return value;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new PlatformError('BAD_PARAMETER', {
        field: of,
        message: error.message.startsWith(`${name}, `)
          ? error.message
          : `${name}, ${of}: ${error.message.replace(/^Minimum: /, '')}`,
        cause: error,
      });
    }
  };
  const [low, high] = [
    minimum === null ? undefined : read(minimum, 'Minimum'),
    maximum === null ? undefined : read(maximum, 'Maximum'),
  ];
  if (low !== undefined && high !== undefined && compareAnswers(type, low, high) > 0)
    throw refuse(name, 'Maximum', 'expected no less than Minimum');
}

async function checkExpressions(ctx: Context, form: StoredForm): Promise<void> {
  const expressions = form.questions
    .flatMap((question) => [
      { question, field: 'Calculation', text: question.calculation },
      { question, field: 'ShownWhen', text: question.shownWhen },
      { question, field: 'RequiredWhen', text: question.requiredWhen },
    ])
    .flatMap(({ text, ...of }) =>
      text === null || (of.question.type === 'Label' && of.field !== 'ShownWhen') ? [] : [{ ...of, text }],
    );
  // Such a path would silently find nothing.
  const stray = expressions.find(({ text }) =>
    /^[^[]*(?<![\w/.:-])(?:Answers|Task|Parent)\//.test(text.replace(/"[^"]*"|'[^']*'/g, '')),
  );
  if (stray)
    throw refuse(
      stray.question.name,
      stray.field,
      'expected paths from the top of the document, such as /Form/Answers/Name',
    );
  try {
    await ctx.sandbox.checkXPath(expressions.map(({ text }) => text));
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'BAD_XPATH' ? expressionError(error, expressions) : error;
  }
}

async function checkStatuses(ctx: Context, { name, statuses, transitions }: StoredForm): Promise<void> {
  if (statuses.length > STATUSES_MAX || transitions.length > TRANSITIONS_MAX)
    throw new PlatformError('TOO_LARGE', {
      field: 'Statuses',
      message: `${name}: a form has at most ${STATUSES_MAX} statuses and ${TRANSITIONS_MAX} moves.`,
    });
  if (statuses.some((status) => status.name.trim() === ''))
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ImportFormStatus',
      message: 'ImportFormStatus is required: the status.',
    });
  const known = new Set(statuses.map((status) => fold(status.name)));
  for (const { name: move, from, to } of transitions) {
    for (const [field, status] of [
      ['FromStatus', from],
      ['ToStatus', to],
    ] as const)
      if (status !== null && !known.has(fold(status)))
        throw refuse(
          move,
          field,
          `${status} is not a status of the form; expected ${
            statuses
              .map((one) => one.name)
              .slice(0, 20)
              .join(', ') || 'statuses first'
          }`,
        );
    if (from !== null && fold(from) === fold(to))
      throw refuse(move, 'ToStatus', 'expected a status other than FromStatus');
  }
  const roles = new Set(transitions.flatMap((move) => (move.roles === null ? [] : splitCommaList(move.roles))));
  if (roles.size === 0) return;
  const held = new Set((await readRoles(ctx.configuration.db)).map((role) => fold(role.name)));
  for (const role of roles)
    if (!held.has(fold(role)))
      ctx.alert({
        code: 'UNKNOWN_ROLE',
        text: `${name}: no role is named ${role.slice(0, 100)}; the moves limited to it cannot be made.`,
      });
}

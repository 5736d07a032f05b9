import type { Registry } from '../../../../kernel/declare/registry.ts';
import type { PlatformError } from '../../../../kernel/door/errors.ts';
import { fold } from '../../../../kernel/parameters/fold.ts';
import { isAnswerName } from '../../../../lib/answers/answer-document.ts';
import { ROWS_MAX } from './answer-rows.ts';
import { answerPlace, columnsOf, type QuestionType, type StoredForm, type StoredQuestion } from './form.ts';

/** Most columns of a question with rows. */
const COLUMNS_MAX = 20;

/** The types of answers that a cell can have. */
const CELL_TYPES: readonly QuestionType[] = [
  'Text',
  'LongText',
  'Number',
  'Money',
  'Date',
  'Timestamp',
  'Boolean',
  'Choice',
  'Person',
];

/** Returns the error for a field of a question. */
export type RefuseQuestion = (question: string, field: string, what: string) => PlatformError;

/** Checks a question with rows: it has columns, and its name and theirs are not those of fields. */
export function checkRowsQuestion(form: StoredForm, question: StoredQuestion, refuse: RefuseQuestion): void {
  const { name, minimum, maximum, calculation } = question;
  const columns = columnsOf(form, question);
  if (columns.length === 0)
    throw refuse(
      name,
      'QuestionType',
      `expected columns: questions whose RowsOf is ${name}; it has none. To delete it, make it inactive first`,
    );
  if (columns.length > COLUMNS_MAX) throw refuse(name, 'QuestionType', `expected at most ${COLUMNS_MAX} columns`);
  if (calculation !== null) throw refuse(name, 'Calculation', 'expected no value: rows cannot be calculated');
  for (const [field, text] of [
    ['Minimum', minimum],
    ['Maximum', maximum],
  ] as const)
    if (text !== null && (Number(text) < 1 || Number(text) > ROWS_MAX))
      throw refuse(name, field, `expected a number of rows from 1 to ${ROWS_MAX}`);
}

/** Checks a column of a question with rows. Its type's own fields are checked as for any question. */
export function checkColumn(
  registry: Registry,
  form: StoredForm,
  column: StoredQuestion,
  refuse: RefuseQuestion,
): void {
  const { name, type, rowsOf } = column;
  const rows = form.questions.find((question) => fold(question.name) === fold(rowsOf ?? ''));
  if (rows?.type !== 'Rows')
    throw refuse(
      name,
      'RowsOf',
      'expected the name of a question of this form with the type Rows; delete columns before it',
    );
  if (!CELL_TYPES.includes(type))
    throw refuse(name, 'QuestionType', `expected ${CELL_TYPES.join(', ')}, since it is a column`);
  // Cells are sent under such names, for example from a file.
  const parameter = `${rows.name}_${ROWS_MAX}_${name}`;
  const isOwn = isAnswerName(parameter) && answerPlace(registry, { name: parameter, type: 'Text' })?.kind === 'answer';
  if (!isAnswerName(name) || !isOwn)
    throw refuse(
      name.slice(0, 100),
      'ImportFormQuestion',
      'expected another name: letters, digits and _ . -, beginning with a letter, and with the name of its question ' +
        'at most 90 characters, which are no field of the task or the case',
    );
  for (const [field, text] of [
    ['Calculation', column.calculation],
    ['ShownWhen', column.shownWhen],
    ['RequiredWhen', column.requiredWhen],
    ['DefaultAnswer', column.default],
  ] as const)
    if (text !== null) throw refuse(name, field, 'expected no value: a column does not have it');
}

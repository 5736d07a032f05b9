import type { AnswerProblems } from './answer-problems.ts';
import { parseRows, type AnswerRow } from '../../../../lib/answers/answer-rows.ts';
import type { Question } from './form.ts';
import { flag, group, leaf, type CellProblemNode, type ColumnNode, type QuestionNode } from './form-nodes.ts';
import { sumOfDecimals } from './normalize-answer.ts';

/** Returns the columns and rows of a question with rows, and the problems of its cells. */
export function rowsGroups(question: Question, value: string, problems: AnswerProblems): QuestionNode['children'] {
  if (question.type !== 'Rows') return [];
  const rows = parseRows(value) ?? [];
  const wrong = cellProblems(question, problems);
  return [
    group(
      'Columns',
      question.columns.map((column) => columnNode(column, rows)),
    ),
    ...(rows.length === 0
      ? []
      : [
          group(
            'Rows',
            rows.map((row) => ({ name: 'Row', attributes: cellsOf(question, row) })),
          ),
        ]),
    ...(wrong.length === 0 ? [] : [group('CellProblems', wrong)]),
  ];
}

/** Returns the cells of known columns. */
function cellsOf({ columns }: Question, row: AnswerRow): Readonly<Record<string, string>> {
  return Object.fromEntries(
    columns.map(({ name }) => [name, row.get(name) ?? ''] as const).filter(([, cell]) => cell !== ''),
  );
}

function columnNode(column: Question, rows: readonly AnswerRow[]): ColumnNode {
  const { name, type, minimum, maximum, pattern, prompt, help, choices, isRequired } = column;
  const total = type === 'Money' ? sumOfDecimals(rows.map((row) => row.get(name) ?? '')) : undefined;
  return {
    name: 'Column',
    attributes: { Name: name, Type: type, Minimum: minimum, Maximum: maximum, Pattern: pattern, Total: total ?? null },
    children: [
      flag('Required', isRequired === true),
      ...(prompt === null ? [] : [leaf('Prompt', prompt)]),
      ...(help === null ? [] : [leaf('Help', help)]),
      ...(choices.length === 0
        ? []
        : [
            group(
              'Choices',
              choices.map(({ code, label }) => ({
                name: 'Choice',
                attributes: { Code: code, Label: label },
                children: [flag('Chosen', false)],
              })),
            ),
          ]),
    ],
  };
}

/** Returns the problems whose names are those of cells or rows: `Bids[3].Amount`, `Bids[3]`. */
function cellProblems({ name: question }: Question, { found }: AnswerProblems): readonly CellProblemNode[] {
  return found.flatMap(({ name, message }) => {
    const [, row, column] = /^\[(\d+)\](?:\.(.+))?$/s.exec(name.slice(question.length)) ?? [];
    if (!name.startsWith(question) || row === undefined) return [];
    return [{ name: 'CellProblem', attributes: { Row: Number(row), Column: column ?? null, Text: message } }];
  });
}

import type { Row, TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { timeZone } from '../../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { fieldNodes, summarize } from '../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../kernel/render/xml.ts';
import { today } from '../../../../kernel/time/today.ts';
import { escapeText } from '../../../../kernel/xml/element.ts';
import { isFilled, parseRows } from '../../../../lib/answers/answer-rows.ts';
import { normalizeCalculated } from './normalize-answer.ts';
import type { Form, Question } from './form.ts';

/** The input of a form's expressions. */
export interface EvaluationInput {
  /** The task after the save. */
  readonly task: Row;
  readonly record: RecordType;
  readonly parent: { readonly record: RecordType; readonly id: number } | undefined;
  /** The answers by name, including those without a question. */
  readonly answers: ReadonlyMap<string, string>;
}

/** The results of a form's expressions. */
export interface FormEvaluation {
  /** The answers, including calculated ones. */
  readonly answers: ReadonlyMap<string, string>;
  /** The names of the questions that are shown. */
  readonly shown: ReadonlySet<string>;
  /** The names of the questions that must be answered before the task is complete. */
  readonly required: ReadonlySet<string>;
}

/** Whether a form has calculated answers. */
export function calculates(form: Form): boolean {
  return form.questions.some(({ calculation }) => calculation !== null);
}

/**
 * Evaluates a form's expressions level by level: each sees the answers of the levels before it. Answers to hidden
 * questions are kept but not seen by expressions; hidden calculations are empty.
 * @throws BAD_XPATH or BAD_PARAMETER naming the question whose expression fails
 */
export async function evaluateForm(ctx: Context, form: Form, subject: EvaluationInput): Promise<FormEvaluation> {
  const answers = new Map(subject.answers);
  const counted = new Map(subject.answers);
  const shown = new Set<string>();
  const rest = await documentWriter(ctx, form, subject);
  for (const level of form.levels) {
    const values = await valuesOf(
      ctx,
      rest(counted),
      level.flatMap((question) => [
        ...(question.shownWhen === null
          ? []
          : [{ question, field: 'ShownWhen', expression: `boolean(${question.shownWhen})` }]),
        ...(question.calculation === null
          ? []
          : [{ question, field: 'Calculation', expression: question.calculation }]),
      ]),
    );
    for (const question of level) {
      const isShown = question.shownWhen === null || values.get(`${question.name} ShownWhen`) === 'true';
      if (isShown) shown.add(question.name);
      if (question.calculation !== null) {
        const text = isShown
          ? normalizeCalculated(question, values.get(`${question.name} Calculation`) ?? '', {
              timeZone: ctx.settings.get(timeZone),
            })
          : '';
        answers.set(question.name, text);
        counted.set(question.name, text);
      }
      if (!isShown) counted.delete(question.name);
    }
  }
  return { answers, shown, required: await requiredOf(ctx, form, shown, rest(counted)) };
}

async function requiredOf(
  ctx: Context,
  form: Form,
  shown: ReadonlySet<string>,
  document: string,
): Promise<ReadonlySet<string>> {
  const questions = form.questions.filter(({ name, type }) => shown.has(name) && type !== 'Label');
  const values = await valuesOf(
    ctx,
    document,
    questions.flatMap((question) =>
      question.requiredWhen === null
        ? []
        : [{ question, field: 'RequiredWhen', expression: `boolean(${question.requiredWhen})` }],
    ),
  );
  return new Set(
    questions
      .filter(({ name, isRequired }) => isRequired === true || values.get(`${name} RequiredWhen`) === 'true')
      .map(({ name }) => name),
  );
}

interface Expression {
  readonly question: Question;
  readonly field: string;
  readonly expression: string;
}

/** Evaluates expressions; returns the results by question and field. */
async function valuesOf(
  ctx: Context,
  xml: string,
  expressions: readonly Expression[],
): Promise<ReadonlyMap<string, string>> {
  if (expressions.length === 0) return new Map();
  try {
    const values = await ctx.sandbox.evaluate({
      xml,
      expressions: expressions.map(({ expression }) => expression),
      scope: sandboxScope(ctx.user),
    });
    return new Map(
      expressions.map(({ question, field }, at) => [`${question.name} ${field}`, (values[at] ?? '').trim()]),
    );
  } catch (error) {
    throw error instanceof PlatformError && error.code === 'BAD_XPATH' ? expressionError(error, expressions) : error;
  }
}

/** Most questions named in an error that may concern any of them. */
const NAMED_MAX = 5;

/** Returns an error that names the question of the failed expression or, for a shared limit, all candidates. */
export function expressionError(
  error: PlatformError,
  expressions: readonly { readonly question: { readonly name: string }; readonly field: string }[],
): PlatformError {
  const index = error.details?.['index'];
  const own = typeof index === 'number' ? expressions[index] : onlyOf(expressions);
  const names = [...new Set(expressions.map(({ question, field }) => `${question.name}, ${field}`))];
  const where = own
    ? `${own.question.name}, ${own.field}`
    : `${names.slice(0, NAMED_MAX).join('; ')}${names.length > NAMED_MAX ? ' …' : ''}`;
  return new PlatformError('BAD_XPATH', {
    field: own?.question.name ?? expressions[0]?.question.name ?? 'XPath',
    message: `${where}: ${error.message.replace(/^XPath: (?:expression \d+ of \d+: )?/, '')}`,
    cause: error,
  });
}

function onlyOf<T>(list: readonly T[]): T | undefined {
  return list.length === 1 ? list[0] : undefined;
}

/** Whether an expression may read the parent, by name or with a general path. Ignores text in quotes. */
function readsParent(form: Form): boolean {
  return form.questions.some(({ calculation, shownWhen, requiredWhen }) =>
    [calculation, shownWhen, requiredWhen].some(
      (text) => text !== null && /\bParent\b|\/\/|::/.test(text.replace(/"[^"]*"|'[^']*'/g, '')),
    ),
  );
}

/**
 * Returns a function that writes the form's document for given answers. The parent's summary takes about thirty reads,
 * so it is read only if an expression may use it.
 */
async function documentWriter(
  ctx: Context,
  form: Form,
  { task, record, parent }: EvaluationInput,
): Promise<(answers: ReadonlyMap<string, string>) => string> {
  const own = nodeXml({
    name: 'Task',
    children: fieldNodes(record, task).filter(({ name }) => name !== record.answers),
  });
  const summary = parent && readsParent(form) ? await summaryOf(ctx, parent) : undefined;
  const above =
    summary && parent
      ? nodeXml({
          name: 'Parent',
          attributes: { Object: parent.record.name, ObjectID: parent.id },
          children: summary.children ?? [],
        })
      : '';
  const rowsQuestions = new Map(
    form.questions.filter(({ type }) => type === 'Rows').map((question) => [question.name, question]),
  );
  const answerXml = (name: string, text: string): string => {
    const content = rowsXml(rowsQuestions.get(name), text) ?? escapeText(text);
    return content === '' ? '' : `<${name}>${content}</${name}>`;
  };
  return (answers) => {
    const children = [...answers].map(([name, text]) => answerXml(name, text)).join('');
    return `<Form Today="${today(ctx)}"><Answers>${children}</Answers>${own}${above}</Form>`;
  };
}

/** Returns the rows of an answer as elements, with the cells of known columns alone; undefined if it has no rows. */
function rowsXml(question: Question | undefined, text: string): string | undefined {
  if (!question) return undefined;
  const rows = (parseRows(text) ?? []).filter(isFilled).map((row) =>
    question.columns
      .map(({ name }) => [name, row.get(name) ?? ''] as const)
      .filter(([, cell]) => cell !== '')
      .map(([name, cell]) => `<${name}>${escapeText(cell)}</${name}>`)
      .join(''),
  );
  return rows.map((cells) => `<Row>${cells}</Row>`).join('');
}

/** Returns the parent's summary; undefined if the caller cannot access the parent. */
async function summaryOf(
  ctx: Context,
  parent: { readonly record: RecordType; readonly id: number },
): Promise<TreeNode | undefined> {
  try {
    return await summarize(ctx, parent.record, parent.id);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function nodeXml(root: TreeNode): string {
  return toXml({ kind: 'tree', root }, []).replace(/^<\?xml[^>]*\?>\s*/, '');
}

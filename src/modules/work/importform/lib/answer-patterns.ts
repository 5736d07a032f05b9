import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Question } from './form.ts';
import { patternExample } from './pattern-example.ts';
import type { AnswerProblems } from './answer-problems.ts';

/** Longest answer that is matched against a pattern, in characters. */
const PATTERNED_CHARACTERS_MAX = 1_000;

/** What a pattern check needs of a question. */
type PatternedQuestion = Pick<Question, 'name' | 'pattern' | 'help'>;

/**
 * Adds a problem for each answer that does not match its question's Pattern. PostgreSQL does the matching: its
 * expressions run in linear time and its statements have a time limit, while a regular expression in this process could
 * block it.
 */
export async function comparePatterns(
  ctx: Context,
  changed: readonly { readonly question: PatternedQuestion; readonly text: string }[],
  problems: AnswerProblems,
): Promise<void> {
  const patterned = changed.filter(({ question, text }) => question.pattern !== null && text !== '');
  const compared = patterned.filter(({ text }) => text.length <= PATTERNED_CHARACTERS_MAX);
  for (const { question } of patterned.filter((each) => !compared.includes(each)))
    problems.add(
      question.name,
      `${question.name}: expected at most ${PATTERNED_CHARACTERS_MAX} characters, since the ` +
        'answer is matched against a pattern.',
    );
  if (compared.length === 0) return;
  const unlike = await ctx.db.query<{ n: number }>(
    `select n::integer as n
     from unnest($1::text[], $2::text[]) with ordinality as compared (answer, pattern, n)
     where answer !~ ('^(?:' || pattern || ')$')
     order by n`,
    [arrayLiteral(compared.map(({ text }) => text)), arrayLiteral(compared.map(({ question }) => question.pattern))],
  );
  for (const { n } of unlike) {
    const question = compared[n - 1]?.question;
    if (question) problems.add(question.name, `${question.name}: expected ${patternHint(question)}.`);
  }
}

/** Returns what a question expects, in words: an example of its pattern, and its help text. */
function patternHint({ pattern, help }: PatternedQuestion): string {
  const example = patternExample(pattern ?? '');
  const format = example === undefined ? 'another format' : `the format ${example}`;
  const text = (help ?? '').trim().replace(/\.$/, '');
  return `an answer in ${format}${text === '' ? '' : ` (${text})`}`;
}

/** Checks a pattern of a question. @throws BAD_PARAMETER */
export async function checkPattern(ctx: Context, name: string, pattern: string): Promise<void> {
  try {
    await ctx.savepoint(() => ctx.db.query(`select '' ~ ('^(?:' || $1::text || ')$') as matches`, [pattern]));
  } catch (error) {
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Pattern',
      message: `${name}, Pattern: expected a PostgreSQL regular expression.`,
      cause: error,
    });
  }
}

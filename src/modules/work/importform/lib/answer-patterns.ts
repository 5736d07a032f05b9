import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { Question } from './form.ts';
import { AnswerProblems } from './answer-problems.ts';

/** Longest answer that is matched against a pattern, in characters. */
const PATTERNED_CHARACTERS_MAX = 1_000;

/**
 * Rejects answers that do not match their question's Pattern. PostgreSQL does the matching: its expressions run in
 * linear time and its statements have a time limit, while a regular expression in this process could block it.
 */
export async function assertPatterns(
  ctx: Context,
  changed: readonly { readonly question: Pick<Question, 'name' | 'pattern'>; readonly text: string }[],
): Promise<void> {
  const compared = changed.filter(({ question, text }) => question.pattern !== null && text !== '');
  if (compared.length === 0) return;
  const problems = new AnswerProblems();
  const long = compared.find(({ text }) => text.length > PATTERNED_CHARACTERS_MAX);
  if (long)
    problems.add(
      long.question.name,
      `${long.question.name}: expected at most ${PATTERNED_CHARACTERS_MAX} characters, since the ` +
        'answer is matched against a pattern.',
    );
  problems.throwIfAny();
  const unlike = await ctx.db.query<{ n: number }>(
    `select n::integer as n
     from unnest($1::text[], $2::text[]) with ordinality as compared (answer, pattern, n)
     where answer !~ ('^(?:' || pattern || ')$')
     order by n`,
    [arrayLiteral(compared.map(({ text }) => text)), arrayLiteral(compared.map(({ question }) => question.pattern))],
  );
  for (const { n } of unlike) {
    const question = compared[n - 1]?.question;
    if (question)
      problems.add(question.name, `${question.name}: expected an answer that matches ${String(question.pattern)}.`);
  }
  problems.throwIfAny();
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

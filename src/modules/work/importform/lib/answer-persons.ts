import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Question } from './form.ts';
import type { AnswerProblems } from './answer-problems.ts';

/**
 * Returns the ID of the active user whom an answer names by sign-in name, or by first and last name if only one has it;
 * other answers, such as an ID, unchanged. Only users that the caller can access are found.
 */
export async function personAnswer(ctx: Context, text: string): Promise<string> {
  const name = text.trim();
  if (name === '' || /^\d+$/.test(name)) return text;
  const rows = await ctx.db.query<{ id: number; isSignInName: boolean }>(
    `select personid as id, person = $1::text as "isSignInName"
     from person
     where (person = $1::text or (firstname || ' ' || lastname) = $1::text) and coalesce(status, 'Active') = 'Active'
     order by 2 desc, 1
     limit 2`,
    [name],
  );
  const [first, second] = rows;
  return first && (first.isSignInName || !second) ? String(first.id) : text;
}

/**
 * Adds a problem for each answer that names a user the caller cannot access. Does not reveal whether the user exists.
 */
export async function checkPersons(
  ctx: Context,
  changed: readonly { readonly question: Pick<Question, 'name' | 'type'>; readonly text: string }[],
  problems: AnswerProblems,
): Promise<void> {
  const named = changed.filter(({ question, text }) => question.type === 'Person' && text !== '');
  if (named.length === 0) return;
  const rows = await ctx.db.query<{ id: number }>(
    'select personid as id from person where personid = any($1::bigint[])',
    [arrayLiteral(named.map(({ text }) => text))],
  );
  const found = new Set(rows.map(({ id }) => String(id)));
  for (const { question, text } of named)
    if (!found.has(text))
      problems.add(question.name, `${question.name}: expected the name or ID of a user you can access.`);
}

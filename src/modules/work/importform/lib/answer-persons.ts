import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Question } from './form.ts';
import { AnswerProblems } from './answer-problems.ts';

/** Rejects answers that name a user the caller cannot access. Does not reveal whether the user exists. */
export async function assertPersons(
  ctx: Context,
  changed: readonly { readonly question: Pick<Question, 'name' | 'type'>; readonly text: string }[],
): Promise<void> {
  const named = changed.filter(({ question, text }) => question.type === 'Person' && text !== '');
  if (named.length === 0) return;
  const rows = await ctx.db.query<{ id: number }>(
    'select personid as id from person where personid = any($1::bigint[])',
    [arrayLiteral(named.map(({ text }) => text))],
  );
  const found = new Set(rows.map(({ id }) => String(id)));
  const problems = new AnswerProblems();
  for (const { question, text } of named)
    if (!found.has(text)) problems.add(question.name, `${question.name}: expected the ID of a user you can access.`);
  problems.throwIfAny();
}

import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Question } from './form.ts';
import { AnswerProblems } from './answer-problems.ts';

/** Refuses answers that name nobody within the caller's reach; that there is none and that it is not reached is not told apart. */
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
    if (!found.has(text)) problems.add(question.name, `${question.name}: expected the id of a user within reach.`);
  problems.throwIfAny();
}

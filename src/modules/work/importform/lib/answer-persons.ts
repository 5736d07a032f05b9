import type { Context } from '../../../../kernel/door/context.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Question } from './form.ts';
import type { AnswerProblems } from './answer-problems.ts';

/**
 * Returns the ID of the active user whom an answer names by sign-in name, or by first and last name if only one has it;
 * other answers, such as an ID, unchanged. Only users that the caller can access are found.
 */
export async function personAnswer(ctx: Context, text: string): Promise<string> {
  return (await personAnswers(ctx, [text])).get(text) ?? text;
}

/** Returns the answers of {@link personAnswer} for those of several texts that name a user. */
export async function personAnswers(ctx: Context, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map(texts.map((text) => [text, text.trim()]));
  const sought = [...new Set(names.values())].filter((name) => name !== '' && !/^\d+$/.test(name));
  if (sought.length === 0) return new Map();
  // Two joins by equality, each of which can be hashed: rows of an answer may name thousands of users.
  const rows = await ctx.db.query<{ name: string; id: number | null }>(
    `select sought.name,
       coalesce(
         min(named.id) filter (where named.isown),
         case when count(distinct named.id) = 1 then min(named.id) end
       ) as id
     from unnest($1::text[]) as sought (name)
     join (
       select personid as id, person as name, true as isown from person where coalesce(status, 'Active') = 'Active'
       union all
       select personid, firstname || ' ' || lastname, false from person where coalesce(status, 'Active') = 'Active'
     ) as named on named.name = sought.name
     group by sought.name`,
    [arrayLiteral(sought)],
  );
  const ids = new Map(rows.map(({ name, id }) => [name, id]));
  return new Map(
    [...names].flatMap(([text, name]) => {
      const id = ids.get(name) ?? null;
      return id === null ? [] : [[text, String(id)]];
    }),
  );
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

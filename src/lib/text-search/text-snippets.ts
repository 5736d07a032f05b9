import type { Db } from '../../kernel/database/store.ts';
import { readStems, type FullTextQuery } from './find-texts.ts';
import { hitsIn, wordsLikeStems, type Hit } from './text-hits.ts';
import { wordsOf } from './words.ts';

/** Returns the hits of a query in each of some texts. */
export async function hitsInTexts(
  db: Db,
  { terms, stems }: FullTextQuery,
  texts: readonly string[],
): Promise<readonly (readonly Hit[])[]> {
  const divided = texts.map(wordsOf);
  const known = new Map(stems);
  const unknown = new Set(divided.flatMap((words) => wordsLikeStems(words, terms)));
  for (const [word, stem] of await readStems(db, [...unknown])) known.set(word, stem);
  return divided.map((words) => hitsIn(words, terms, known));
}

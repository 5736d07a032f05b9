import type { ConcurrentIndex } from '../../../../kernel/database/concurrent-index.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';

/** Everything but letters and digits separates words, as in the database's `casewright_words`. */
const SEPARATORS = /[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+/u;

/** Fewest characters of the longest word of a search: shorter ones begin too many words. */
const WORD_LENGTH_MIN = 3;

/** Whether a text is searched by its words. One with `*` is a pattern of labels. */
export function hasSearchWords(text: string): boolean {
  return !text.includes('*') && text.split(SEPARATORS).some((word) => word.length >= WORD_LENGTH_MIN);
}

/** Returns SQL of the words of a record, of the type's table: the expression of its index. */
export function wordsSql({ table, words = [] }: RecordType): string {
  const texts = words.map((name) => `coalesce(${table}.${name.toLowerCase()}::text, '')`);
  return `casewright_words(${texts.join(` || ' ' || `)})`;
}

/** Returns the index of the words of a record type. */
export function wordIndexOf(record: RecordType): ConcurrentIndex {
  return { name: `${record.table}_words_idx`, table: record.table, using: `using gin (${wordsSql(record)})` };
}

import type postgres from 'postgres';

/** Words of the generated texts. The n-th is used in proportion to 1/n, as in natural texts. */
const VOCABULARY = 30_000;
/** Words of a page, about 1,300 characters. */
const PAGE_WORDS = 200;
/** Documents per statement. */
const BATCH = 500;
/** Firms besides the measured ones. */
const OTHER_FIRMS = 150;
/** Shares of all documents that the measured firms have. */
const SHARES = { large: 0.075, small: 0.003 } as const;

const CONSONANTS = 'bdfgklmnprtv';
const VOWELS = 'aiou';

/** Returns the word of a rank, from 1. It has no other forms that the stemmer knows. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 48 ** 2; rest > 0; rest = Math.floor(rest / 48))
    word += `${CONSONANTS[rest % 12] ?? ''}${VOWELS[Math.floor(rest / 12) % 4] ?? ''}`;
  return `${word}k`;
}

/** Returns a text of so many words, with the page's docket number. */
function pageText(id: number, page: number): string {
  const words = Array.from({ length: PAGE_WORDS }, () => wordOf(Math.floor(VOCABULARY ** Math.random())));
  words.splice(10, 0, `26-CV-${String(id * 10 + page).padStart(7, '0')}`);
  return words.join(' ');
}

/** Pages of a document: most have one, some have many, two and a half on average. */
function pageCount(): number {
  const chance = Math.random();
  if (chance < 0.8) return 1;
  if (chance < 0.93) return 2 + Math.floor(Math.random() * 3);
  return chance < 0.99 ? 5 + Math.floor(Math.random() * 10) : 20 + Math.floor(Math.random() * 60);
}

/** The organizations of the measured firms. */
export interface MeasuredFirms {
  readonly large: number;
  readonly small: number;
}

/** Fills an empty database with documents and their texts. Returns the number of pages. */
export async function fillDocuments(sql: postgres.Sql, rows: number, firms: MeasuredFirms): Promise<number> {
  // Neither triggers nor the index while loading.
  await sql.unsafe("set session_replication_role = 'replica'");
  await sql.unsafe('drop index documentpage_words_idx');
  let pages = 0;
  for (let first = 1; first <= rows; first += BATCH)
    pages += await insertDocuments(sql, { first, last: Math.min(rows, first + BATCH - 1), firms });
  await sql.unsafe("set session_replication_role = 'origin'");
  await sql.unsafe("set maintenance_work_mem = '1GB'");
  await sql.unsafe(
    'create index documentpage_words_idx on documentpage using gin (words) with (gin_pending_list_limit = 512)',
  );
  await sql.unsafe('vacuum analyze documentpage, documenttext, attachment');
  return pages;
}

async function insertDocuments(
  sql: postgres.Sql,
  { first, last, firms }: { readonly first: number; readonly last: number; readonly firms: MeasuredFirms },
): Promise<number> {
  const documents: { id: number; firm: number | null }[] = [];
  const texts: { id: number; page: number; firm: number | null; body: string; written: string }[] = [];
  for (let id = first; id <= last; id++) {
    const firm = firmOf(firms);
    documents.push({ id, firm });
    const count = pageCount();
    for (let page = 1; page <= count; page++) {
      const body = pageText(id, page);
      const written = body.split(/[ -]/).map((word, at) => `${word.toLowerCase()}:${at + 1}`);
      texts.push({ id, page, firm, body, written: written.join(' ') });
    }
  }
  await sql.unsafe(
    `with d as (select * from json_to_recordset($1::text::json) d (id bigint, firm bigint)),
       a as (insert into attachment (attachmentid, attachment, filename, reachorganizationid)
         overriding system value select id, 'Document ' || id, 'document-' || id || '.pdf', firm from d)
     insert into documenttext (attachmentid, state, namedue) select id, 'Ready', false from d`,
    [JSON.stringify(documents)],
  );
  await sql.unsafe(
    `insert into documentpage (attachmentid, page, reachorganizationid, source, body, words)
     select id, page, firm, 'Text', body, casewright_page_words(written::tsvector, '{}', id, firm)
     from json_to_recordset($1::text::json) t (id bigint, page integer, firm bigint, body text, written text)`,
    [JSON.stringify(texts)],
  );
  return texts.length;
}

/** Returns the firm of a document; a third has none. */
function firmOf({ large, small }: MeasuredFirms): number | null {
  const chance = Math.random();
  if (chance < SHARES.large) return large;
  if (chance < SHARES.large + SHARES.small) return small;
  return chance < 0.66 ? 1_000_000 + Math.floor(Math.random() * OTHER_FIRMS) : null;
}

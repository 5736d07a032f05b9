import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type postgres from 'postgres';

/** Words of the generated texts. The n-th is used in proportion to 1/n, as in natural texts. */
const VOCABULARY = 30_000;
/** Words of a page, about 1,300 characters. */
const PAGE_WORDS = 200;
/** Documents per statement, and connections that insert them. */
const BATCH = 500;
const CONNECTIONS = 3;
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

const vocabulary = Array.from({ length: VOCABULARY + 1 }, (_, rank) => wordOf(rank));

/** Returns a text of so many words, with the page's docket number. */
function pageText(id: number, page: number): string {
  const words = Array.from({ length: PAGE_WORDS }, () => vocabulary[Math.floor(VOCABULARY ** Math.random())] ?? '');
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

/** Runs a function with a connection of its own. */
export type WithConnection = <T>(work: (sql: postgres.Sql) => Promise<T>) => Promise<T>;

/** Fills an empty database with documents and their texts. Returns the number of pages. */
export async function fillDocuments(use: WithConnection, rows: number, firms: MeasuredFirms): Promise<number> {
  // Without the indexes of words while loading.
  const indexes = await use((sql) =>
    sql.unsafe<{ name: string; definition: string }[]>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
       from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
       where indrelid = 'documentpage'::regclass and amname = 'gin'`,
    ),
  );
  for (const { name } of indexes) await use((sql) => sql.unsafe(`drop index ${name}`));
  const sample = { id: rows + 1, page: 1, firm: firms.large, body: pageText(rows + 1, 1) };
  await use((sql) => assertLexemes(sql, sample));
  const state = { next: 1, pages: 0 };
  await Promise.all(Array.from({ length: CONNECTIONS }, () => use((sql) => fillBatches(sql, state, { rows, firms }))));
  await use(async (sql) => {
    await sql.unsafe('insert into documentword select unnest($1::text::text[]) on conflict do nothing', [
      `{${vocabulary.filter((word) => word.length >= 4).join(',')}}`,
    ]);
    await sql.unsafe("set maintenance_work_mem = '1GB'");
    for (const { definition } of indexes) await sql.unsafe(definition);
    await sql.unsafe('vacuum analyze documentpage, documenttext, attachment');
  });
  return state.pages;
}

/** Throws if the lexemes that are written here are not those that the product would write. */
async function assertLexemes(sql: postgres.Sql, page: PageRow): Promise<void> {
  const [found] = await sql.unsafe<{ same: boolean }[]>(
    `select $1::text::tsvector = casewright_page_words($2::text::tsvector, '{}', $3::text::bigint, $4::text::bigint)
       as same`,
    [lexemesOf(page), wordsOf(page), String(page.id), String(page.firm)],
  );
  if (found?.same !== true) throw new Error('the benchmark writes other lexemes than casewright_page_words');
}

/** Inserts batches, each the next that no other connection has taken. */
async function fillBatches(
  sql: postgres.Sql,
  state: { next: number; pages: number },
  { rows, firms }: { readonly rows: number; readonly firms: MeasuredFirms },
): Promise<void> {
  // Without triggers while loading.
  await sql.unsafe("set session_replication_role = 'replica'");
  await sql.unsafe("set synchronous_commit = 'off'");
  while (state.next <= rows) {
    const first = state.next;
    state.next += BATCH;
    const pages = await insertDocuments(sql, { first, last: Math.min(rows, first + BATCH - 1), firms });
    state.pages += pages;
  }
}

interface PageRow {
  readonly id: number;
  readonly page: number;
  readonly firm: number | null;
  readonly body: string;
}

async function insertDocuments(
  sql: postgres.Sql,
  { first, last, firms }: { readonly first: number; readonly last: number; readonly firms: MeasuredFirms },
): Promise<number> {
  const documents: { id: number; firm: number | null }[] = [];
  const pages: PageRow[] = [];
  for (let id = first; id <= last; id++) {
    const firm = firmOf(firms);
    documents.push({ id, firm });
    const count = pageCount();
    for (let page = 1; page <= count; page++) pages.push({ id, page, firm, body: pageText(id, page) });
  }
  await sql.unsafe(
    `with d as (select * from json_to_recordset($1::text::json) d (id bigint, firm bigint)),
       a as (insert into attachment (attachmentid, attachment, filename, reachorganizationid)
         overriding system value select id, 'Document ' || id, 'document-' || id || '.pdf', firm from d)
     insert into documenttext (attachmentid, state, namedue) select id, 'Ready', false from d`,
    [JSON.stringify(documents)],
  );
  await copyPages(sql, pages);
  return pages.length;
}

async function copyPages(sql: postgres.Sql, pages: readonly PageRow[]): Promise<void> {
  const lines = pages.map((page) =>
    [page.id, page.page, page.firm ?? '\\N', 'Text', page.body, lexemesOf(page)].join('\t'),
  );
  const stream = await sql
    .unsafe('copy documentpage (attachmentid, page, reachorganizationid, source, body, words) from stdin')
    .writable();
  await pipeline(Readable.from([`${lines.join('\n')}\n`]), stream);
}

/** Returns the words of a page with their positions, as PostgreSQL reads a `tsvector`. */
function wordsOf({ body }: PageRow): string {
  return body
    .split(/[ -]/)
    .map((word, at) => `${word.toLowerCase()}:${at + 1}`)
    .join(' ');
}

/** Returns what `casewright_page_words` would, which is slow: no generated word has another stem. */
function lexemesOf(page: PageRow): string {
  const ranges = `/n${page.id >> 13} /m${page.id >> 17}`;
  return `${wordsOf(page)} ${ranges}${page.firm === null ? '' : ` /f${page.firm}`}`;
}

/** Returns the firm of a document; a third has none. */
function firmOf({ large, small }: MeasuredFirms): number | null {
  const chance = Math.random();
  if (chance < SHARES.large) return large;
  if (chance < SHARES.large + SHARES.small) return small;
  return chance < 0.66 ? 1_000_000 + Math.floor(Math.random() * OTHER_FIRMS) : null;
}

import type { RecordType } from '../../../kernel/declare/record.ts';
import { recordId, type Row } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { tabs } from '../design/tabs.ts';
import { inSentence } from '../display-names.ts';
import { loadLabels } from '../labels.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { documentGroup, documentsWith } from './document-hits.ts';
import { casesOfHits, hitKey, type FoundRow } from './found-cases.ts';
import { hitPath, resultGroup, type HitContext } from './search-hits.ts';

/** Hits of each record type that the page of all types shows; with as many there may be more. */
const HITS_PER_TYPE = 5;
/** Hits of the one record type that was chosen. */
const HITS_OF_TYPE = 50;

/** Types that people look for first; the others follow by name. */
const first = ['Foreclosure', 'Bankruptcy', 'Contact', 'Loan', 'Property', 'Organization', 'Attachment', 'ImportForm'];

/** Shows the records of all types that a search found, and why; a single hit is opened at once. */
export const searchPage = page(async (call) => {
  const text = plainText(call.query['Text']).trim();
  if (text === '') return shown(text, hint);
  try {
    return await found(call, text);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return shown(text, errorNote(error.masked()), 400);
  }
});

const hint = emptyState({
  icon: 'search',
  title: 'Search for a borrower, an address, or a number',
  text: html`Type words of a name or address in any order; misspelled names are found too. Type the beginning or the
last digits of a number. Words in documents are found as well, and <code>"in quotes"</code> as a phrase. <code>*</code>
matches anything: <code>Ro*ry</code> finds “Rosemary”.`,
});

function shown(text: string, results: Markup, status = 200): PageAnswer {
  return {
    title: text === '' ? 'Search' : `Search: ${text}`,
    place: 'none',
    crumbs: [{ text: 'Search' }],
    entries: ['search'],
    status,
    body: html`<div class="page">
<header class="page-head"><h1>Search</h1></header>
<form class="row find-form" action="/search" method="get" role="search"
 aria-label="Everything">
${textField({
  label: 'Search everything',
  name: 'Text',
  id: 'text',
  type: 'search',
  value: text,
  attributes: html`data-key="/" maxlength="200" placeholder="Borrower, address, loan or case number"`,
})}
${button({ text: 'Search', kind: 'primary' })}
</form>
${results}</div>`,
  };
}

async function found(call: PageCall, text: string): Promise<PageAnswer> {
  const type = call.platform.registry.record(plainText(call.query['Type']));
  const { answer } = await call.call('record/find', { Text: text, Misspelled: true, DisplaySize: HITS_PER_TYPE });
  const all = answer.rows;
  const rows = type ? await hitsOfType(call, text, type) : all;
  const documents = await documentsWith(call, text, type);
  const cases = await casesOfHits(call, rows);
  const [only] = rows;
  if (only && rows.length === 1 && documents.length === 0 && !type) {
    const [onlyCase, secondCase] = cases.get(hitKey(only)) ?? [];
    if (onlyCase && !secondCase) return { redirectTo: hitPath(call, onlyCase.name, onlyCase.id) };
    if (!onlyCase) return { redirectTo: hitPath(call, only.Object, only.ObjectID) };
  }
  const parents = [
    ...rows.map((row) => ({ Object: row.Parent, ObjectID: row.ParentID })),
    ...documents.map((row) => ({ Object: row.Object, ObjectID: row.ObjectID })),
  ];
  const [labels, own] = await Promise.all([loadLabels(call, [{ columns: [], rows: parents }]), readHits(call, rows)]);
  const context: HitContext = { text, labels, cases, own };
  const allDocuments = type ? undefined : searchPath(text, 'Attachment');
  const groups = [...Map.groupBy(rows, (row) => row.Object)].toSorted(([a], [b]) => rank(a) - rank(b));
  return shown(
    text,
    html`${all.length > 0 && typeTabs(call, text, all, type)}
${groups.length === 0 && documents.length === 0 && nothing(call, text, type)}
<div class="stack results" id="results">${groups.map(([name, hits]) =>
      resultGroup(call, name, hits, { ...context, more: moreLink(call, { text, name, count: hits.length, type }) }),
    )}${documents.length > 0 && documentGroup(call, documents, { labels, more: allDocuments })}</div>`,
  );
}

async function hitsOfType(call: PageCall, text: string, { name }: RecordType): Promise<readonly FoundRow[]> {
  const parameters = { Text: text, Misspelled: true, Objects: [name], DisplaySize: HITS_OF_TYPE };
  return (await call.call('record/find', parameters)).answer.rows;
}

function rank(name: string): number {
  const at = first.indexOf(name);
  return at < 0 ? first.length : at;
}

/** Reads the found records themselves, with one search for each type, to say in which field the words are. */
async function readHits(call: PageCall, rows: readonly FoundRow[]): Promise<ReadonlyMap<string, Row>> {
  const read = await Promise.all(
    [...Map.groupBy(rows, (row) => row.Object)].map(async ([name, hits]) => {
      const record = call.platform.registry.record(name);
      if (!record || !call.mayOf(record, 'search')) return [];
      const ID = hits.map(({ ObjectID }) => ObjectID).join(',');
      const { answer } = await call.callOf(record, 'search', { ID, DisplaySize: hits.length, RecordCount: 'false' });
      return answer.rows.map((row) => [`${name} ${recordId(record, row)}`, row] as const);
    }),
  );
  return new Map(read.flat());
}

function searchPath(text: string, type?: string): string {
  return `/search?${new URLSearchParams({ Text: text, ...(type !== undefined && { Type: type }) }).toString()}`;
}

/** Renders the types that have hits, as filters. */
function typeTabs(call: PageCall, text: string, all: readonly FoundRow[], type: RecordType | undefined): Markup {
  const counts = [...Map.groupBy(all, (row) => row.Object)].toSorted(([a], [b]) => rank(a) - rank(b));
  const { registry } = call.platform;
  const countText = (count: number): string => (count >= HITS_PER_TYPE ? `${count}+` : String(count));
  return tabs('Types of results', [
    { href: searchPath(text), text: 'All', isCurrent: type === undefined },
    ...counts.map(([name, hits]) => ({
      href: searchPath(text, name),
      text: registry.titlePluralOf(name),
      count: countText(hits.length),
      isCurrent: type?.name === name,
    })),
  ]);
}

function moreLink(
  call: PageCall,
  of: {
    readonly text: string;
    readonly name: string;
    readonly count: number;
    readonly type: RecordType | undefined;
  },
): Markup | false {
  const { text, name, count, type } = of;
  const plural = inSentence(call.platform.registry.titlePluralOf(name));
  const link = (href: string, words: string): Markup => html`<a class="link small" href="${href}">${words}</a>`;
  if (type === undefined) return count >= HITS_PER_TYPE && link(searchPath(text, name), `More ${plural}`);
  const filter = new URLSearchParams({ [name]: `${text}*` }).toString();
  return count >= HITS_OF_TYPE && link(`/records/${name.toLowerCase()}?${filter}`, `All ${plural} that begin so`);
}

function nothing(call: PageCall, text: string, type: RecordType | undefined): Markup {
  const what = type ? inSentence(type.titlePlural) : 'results';
  return html`<div role="status">${emptyState({
    icon: 'search',
    title: html`No ${what} for “<bdi>${text}</bdi>”`,
    text: 'Use fewer words, the beginning of a word, or the last digits of a number.',
    action: type ? html`<a class="button" href="${searchPath(text)}">Search everything</a>` : contactLink(call),
  })}</div>`;
}

function contactLink(call: PageCall): Markup | false {
  return call.may('contact/search') && html`<a class="button" href="/contacts">Find by SSN, under Contacts</a>`;
}

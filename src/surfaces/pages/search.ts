import { PlatformError } from '../../kernel/door/errors.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { caseLink } from './case/case-link.ts';
import { recordLink, recordPath } from './display-values.ts';
import { casesOfHits, hitKey, type FoundCase, type FoundRow } from './found-cases.ts';
import { loadLabels, type Labels } from './labels.ts';
import { errorNote } from './notes.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { plainText } from './plain-text.ts';

/** What is known of the hits besides themselves. */
interface HitContext {
  readonly labels: Labels;
  readonly cases: ReadonlyMap<string, readonly FoundCase[]>;
}

/** Hits of one record type that `record/find` returns at most; with as many there may be more. */
const HITS_PER_TYPE = 5;

/** Shows the records of all types that a search found; a single hit is opened at once. */
export const searchPage = page(async (call) => {
  const text = plainText(call.query['Text']).trim();
  const intro = html`<h1>Search</h1>
${searchForm(text)}
<p class="quiet">
  Finds words of names and addresses, or pieces of them, also misspelled names, and the beginning or last digits of
  numbers. Use <code>*</code> for anything: <code>Ro*ry</code> also finds “Rosemary”.
</p>`;
  if (text === '') return { title: 'Search', wide: true, body: intro };
  try {
    const { answer } = await call.call('record/find', { Text: text, Misspelled: true });
    const rows = answer.rows;
    const cases = await casesOfHits(call, rows);
    const only = rows.length === 1 ? rows[0] : undefined;
    const [onlyCase, secondCase] = only ? (cases.get(hitKey(only)) ?? []) : [];
    if (onlyCase && !secondCase) return { redirectTo: recordPath(onlyCase.name, onlyCase.id) };
    if (only && !onlyCase) return { redirectTo: recordPath(only.Object, only.ObjectID) };
    const parents = rows.map((row) => ({ Object: row.Parent, ObjectID: row.ParentID }));
    const labels = await loadLabels(call, [{ columns: [], rows: parents }]);
    const groups = Object.entries(Object.groupBy(rows, (row) => row.Object));
    return {
      title: `Search: ${text}`,
      wide: true,
      body: html`${intro}
${groups.length === 0 && html`<p role="status">No results for “<bdi>${text}</bdi>”.</p>`}
${groups.map(([name, hits]) => searchResultGroup(call, name, hits ?? [], { text, labels, cases }))}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status !== 400) throw error;
    return { title: 'Search', wide: true, status: 400, body: html`${intro}${errorNote(error.masked())}` };
  }
});

/** Renders the large search field of the home and search pages. */
function searchForm(text: string): Markup {
  return html`<form class="filters" action="/search" method="get" role="search">
<p>
<label class="hidden" for="text">Search</label>
<input id="text" name="Text" type="search" value="${text}" autofocus
  placeholder="Try a borrower, address, loan or case number">
<button>Search</button>
</p>
</form>`;
}

function searchResultGroup(
  call: PageCall,
  name: string,
  rows: readonly FoundRow[],
  { text, ...context }: HitContext & { readonly text: string },
): Markup {
  const more = `/records/${name.toLowerCase()}?${new URLSearchParams({ [name]: `${text}*` }).toString()}`;
  return html`<section aria-labelledby="found-${name}">
<h2 id="found-${name}">${call.platform.registry.titlePluralOf(name)}</h2>
<ul class="found">${rows.map((row) => hit(call, name, row, context))}</ul>
${rows.length >= HITS_PER_TYPE && html`<p><a href="${more}">View all</a></p>`}
</section>`;
}

function hit(call: PageCall, name: string, row: FoundRow, { labels, cases }: HitContext): Markup {
  const { ObjectID: id, Status: status, FoundBy: field } = row;
  const label = (row.Label ?? '') || `${call.platform.registry.titleOf(name)} ${id}`;
  return html`<li>
<a href="${recordPath(name, id)}">${label}</a>
${status !== null && html`<span class="status">${status}</span>`}
${caseLink(call, { name, id }, 'Open case')}
${parentOf(call, row, labels)}
${(cases.get(hitKey(row)) ?? []).map((each) => html` <span class="quiet">case ${caseOrRecordLink(call, each)}</span>`)}
${field !== 'Label' && field !== 'Words' && html`<span class="quiet">found by ${field}</span>`}
</li>`;
}

function caseOrRecordLink(call: PageCall, found: FoundCase): Markup {
  return caseLink(call, found, found.label) || recordLink(call, found.name, found.id, found.label);
}

function parentOf(call: PageCall, { Parent: name, ParentID: id }: FoundRow, labels: Labels): Markup | false {
  return (
    name !== null &&
    id !== null &&
    html`<span class="quiet">of ${recordLink(call, name, id, labels.get(name)?.get(id))}</span>`
  );
}

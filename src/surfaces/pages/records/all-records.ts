import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textField } from '../design/field.ts';
import { linkList } from '../design/list.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';

/** A group of record types under a title. */
interface RecordGroup {
  readonly id: string;
  readonly title: string;
  readonly has: (record: RecordType) => boolean;
}

const isConfiguration = ({ reach }: RecordType): boolean => reach === 'configuration' || reach === 'none';

const groups: readonly RecordGroup[] = [
  { id: 'cases', title: 'Cases', has: (record) => record.history !== false && !isConfiguration(record) },
  { id: 'configuration', title: 'Configuration', has: (record) => record.history !== false && isConfiguration(record) },
  { id: 'logs', title: 'Logs', has: ({ history }) => history === false },
];

/** Lists the record types that the user may search, or those whose name or description has a text. */
export const recordsPage = page((call) => {
  const text = plainText(call.query['Text']).trim();
  const words = text.toLowerCase().split(/\s+/);
  const found = call.platform.registry
    .records()
    .filter((record) => call.mayOf(record, 'search'))
    .filter(({ titlePlural, doc }) => words.every((word) => `${titlePlural} ${doc}`.toLowerCase().includes(word)))
    .toSorted((a, b) => a.titlePlural.localeCompare(b.titlePlural));
  return Promise.resolve({
    title: 'All records',
    place: 'records',
    body: html`<div class="page wide">
<header class="page-head"><h1>All records</h1></header>
<p class="soft">All stored records, by type. You can filter, sort and export each list.</p>
${typeForm(text)}
${
  found.length === 0
    ? emptyState({
        icon: 'database',
        title: html`No record type is called “<bdi>${text}</bdi>”.`,
        text: 'To find a record by its name or number, search everything.',
        action: searchLink(text),
      })
    : html`<div class="record-groups">${groups.map((group) => groupCard(group, found))}</div>`
}
</div>`,
  });
});

function typeForm(text: string): Markup {
  return html`<form class="row find-form" method="get" action="/records" role="search" aria-label="Record types">
${textField({ label: 'Record type', name: 'Text', type: 'search', value: text, attributes: html`data-key="/"` })}
${button({ text: 'Find' })}
</form>`;
}

function searchLink(text: string): Markup {
  return buttonLink({ text: 'Search everything', href: `/search?${new URLSearchParams({ Text: text }).toString()}` });
}

function groupCard({ id, title, has }: RecordGroup, found: readonly RecordType[]): Markup | false {
  const own = found.filter(has);
  const lines = own.map(({ module, titlePlural, doc }) => ({
    href: `/records/${module}`,
    cells: [html`<b>${titlePlural}</b>`, html`<span class="soft small">${doc}</span>`],
  }));
  return own.length > 0 && card({ id, title, note: `${own.length}`, body: linkList(lines, 'record-types') });
}

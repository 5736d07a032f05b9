import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { card } from '../design/card.ts';
import { icon } from '../design/icons.ts';
import { inSentence } from '../display-names.ts';
import { recordLink } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { documentPath, snippetText } from './document-text.ts';

/** The columns that are shown, and those that a full-text search adds. */
type DocumentRow = Pick<
  AnswerRowFor<'attachment/search'>,
  'AttachmentID' | 'Attachment' | 'Status' | 'Object' | 'ObjectID' | 'Snippet' | 'PageNumber'
>;

/** Documents that the page of all types shows, and those of documents only. */
const DOCUMENTS = { ofAll: 5, only: 50 } as const;
/** Fewest characters that are searched in documents. */
const CHARACTERS_MIN = 3;

/** Returns the documents that have a text in them; none where another type was chosen, or the text is no query. */
export async function documentsWith(
  call: PageCall,
  text: string,
  type: RecordType | undefined,
): Promise<readonly DocumentRow[]> {
  const isShown = type === undefined || type.name === 'Attachment';
  const may = call.may('attachment/search') && call.may('attachment/download');
  if (!isShown || !may || text.length < CHARACTERS_MIN) return [];
  const size = type ? DOCUMENTS.only : DOCUMENTS.ofAll;
  try {
    const { answer } = await call.call('attachment/search', {
      FullText: text,
      DisplaySize: size,
      // Descriptions may be long.
      SqlColumns: ['AttachmentID', 'Attachment', 'Status', 'Object', 'ObjectID'],
    });
    return answer.rows;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'BAD_PARAMETER') return [];
    throw error;
  }
}

/** Renders the documents with a text in them, each with the piece of its text and the page. `more`: where all are. */
export function documentGroup(
  call: PageCall,
  rows: readonly DocumentRow[],
  { labels, more }: { readonly labels: Labels; readonly more: string | undefined },
): Markup {
  const isCut = more !== undefined && rows.length >= DOCUMENTS.ofAll;
  return card({
    id: 'found-text',
    title: 'In documents',
    actions: isCut && html`<a class="link small" href="${more}">More documents</a>`,
    body: html`<ul class="hits">${rows.map((row) => documentItem(call, row, labels))}</ul>`,
  });
}

function documentItem(call: PageCall, row: DocumentRow, labels: Labels): Markup {
  const { AttachmentID: id, Status: status, PageNumber: page, Snippet: snippet } = row;
  const label = (row.Attachment ?? '') || `Document ${id}`;
  return html`<li class="hit">${icon('document')}
<div class="grow"><p><a class="hit-link" href="${documentPath(id, page)}"><bdi>${label}</bdi></a>
${status !== null && status !== '' && badge(html`<bdi>${status}</bdi>`, 'outline')}</p>
<p class="small"><bdi>${snippetText(snippet ?? '')}</bdi></p>
<p class="soft small hit-why">${typeof page === 'number' && html`<span>Page ${page}</span> `}
${parentOf(call, row, labels)}</p>
</div></li>\n`;
}

function parentOf(call: PageCall, { Object: name, ObjectID: id }: DocumentRow, labels: Labels): Markup | false {
  if (name === null || id === null) return false;
  const type = inSentence(call.platform.registry.titleOf(name));
  return html`<span>${type} <bdi>${recordLink(call, name, id, labels.get(name)?.get(id))}</bdi></span>`;
}

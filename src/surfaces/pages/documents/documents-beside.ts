import { html, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from '../design/icons.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { hasPageImages } from './document-thumbnail.ts';
import { pageSheets } from './page-sheets.ts';
import { isHeldBack } from './scan-state.ts';

/** Documents that are offered, the newest. */
const DOCUMENTS_MAX = 12;

/**
 * Renders the newest documents of a record beside a form, with the pages of one: that of the address (`?document=`),
 * else the newest. False where the user sees none with pages. `path`: the address of the form.
 */
export async function documentsBeside(
  call: PageCall,
  { object, objectId, path }: { readonly object: string; readonly objectId: number; readonly path: string },
): Promise<Markup | false> {
  if (object === '' || !call.may('attachment/search') || !call.may('attachment/download')) return false;
  const { answer } = await call.call('attachment/search', {
    Object: object,
    ObjectID: String(objectId),
    OrderBy: '-AttachmentID',
    DisplaySize: DOCUMENTS_MAX,
    RecordCount: 'false',
  });
  const rows = answer.rows.filter((row) => hasPageImages(call, row) && !isHeldBack(row));
  const requested = Number(plainText(call.query['document']));
  const row = rows.find(({ AttachmentID: id }) => id === requested) ?? rows[0];
  if (!row) return false;
  const id = row.AttachmentID;
  const count = await call.call('attachment/pagecount', { ID: id }).then(
    (counted) => counted.answer.row.PageCount,
    () => undefined,
  );
  const nothing = { version: undefined, versions: [], find: '', hits: [], findError: undefined, failure: undefined };
  const viewed = { ...nothing, row, name: '', pageCount: count, previous: undefined, next: undefined };
  const link = (each: (typeof rows)[number]): Markup =>
    html`<a href="${path}?document=${each.AttachmentID}" data-beside${
      each === row && html` aria-current="true"`
    }>${icon('document', 14)}<bdi class="cut">${each.Attachment ?? each.FileName}</bdi></a>`;
  return html`<section id="documents-beside" class="documents-beside" aria-label="Documents">
<nav class="beside-list" aria-label="Documents to read">${rows.map(link)}
<a class="link small" href="/documents/${id}">Open in the viewer</a></nav>
<document-viewer class="beside-viewer" data-id="${id}" data-version="" data-pages="${count ?? 0}">${
    count === undefined
      ? html`<p class="soft">The pages of this file cannot be shown. Download it to see it.</p>`
      : pageSheets(viewed, count)
  }</document-viewer></section>`;
}

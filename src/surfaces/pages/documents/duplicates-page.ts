import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { fileSize } from '../case/timeline-view.ts';
import { shortDay } from '../days.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';

type DuplicateRow = AnswerRowFor<'attachment/getduplicates'>;

/** Duplicates that are listed, the newest. */
const ROWS_MAX = 200;

/** Returns the documents with the same content; none for one without a file, or whose file cannot be compared. */
export async function readDuplicates(call: PageCall, id: number): Promise<readonly DuplicateRow[]> {
  if (!call.may('attachment/getduplicates')) return [];
  try {
    return (await call.call('attachment/getduplicates', { ID: id })).answer.rows;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'STATE_REFUSES') throw error;
    return [];
  }
}

/** Lists the documents with the same content as a document. */
export const duplicatesPage = page(async (call) => {
  const id = recordIdFromPath(call);
  const [{ row }, { rows }] = await Promise.all([
    call.call('attachment/select', { ID: id }).then(({ answer }) => answer),
    call.call('attachment/getduplicates', { ID: id }).then(({ answer }) => answer),
  ]);
  const shown = rows.slice(0, ROWS_MAX);
  const labels = await loadLabels(call, [{ columns: [], rows: shown }]);
  const name = (row.Attachment ?? row.FileName ?? '') || `Document ${id}`;
  return {
    title: `Duplicates of ${name}`,
    place: 'none',
    crumbs: [{ text: name, href: `/documents/${id}` }, { text: 'Duplicates' }],
    body: html`<div class="page"><h1>Duplicates of <bdi>${name}</bdi></h1>
${
  rows.length === 0
    ? emptyState({ title: 'No other document has the same content.', icon: 'document' })
    : html`<p class="soft" role="status">${
        rows.length === 1 ? '1 other document has' : `${rows.length} other documents have`
      } exactly the same content.${rows.length > ROWS_MAX && ` The newest ${ROWS_MAX} are shown.`}</p>
${table({
  label: 'Documents with the same content',
  heads: ['Document', 'Belongs to', { text: 'Size', isNumber: true }, 'Added'],
  rows: shown.map((each) => duplicateRow(call, each, labels)),
})}`
}</div>`,
  };
});

function duplicateRow(call: PageCall, row: DuplicateRow, labels: Labels): Markup {
  const name = (row.Attachment ?? row.FileName ?? '') || `Document ${row.AttachmentID}`;
  return html`<tr><th scope="row"><a href="/documents/${row.AttachmentID}"><bdi>${name}</bdi></a></th>
<td>${ownerLink(call, row, labels)}</td><td class="number">${
    (row.FileSize ?? null) !== null && fileSize(Number(row.FileSize))
  }</td><td>${shortDay(call, row.CreatedDate)}</td></tr>\n`;
}

function ownerLink(call: PageCall, { Object: object, ObjectID: id }: DuplicateRow, labels: Labels): Markup | false {
  const record = call.platform.registry.record(object ?? '');
  if (!record || typeof id !== 'number') return false;
  const text = labels.get(record.name)?.get(id) ?? `${record.title} ${id}`;
  const href = record.root.name === 'Process' ? casePath(record, id) : recordPath(record.module, id);
  return html`<a href="${href}"><bdi>${text}</bdi></a>`;
}

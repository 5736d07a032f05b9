import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { csrfField } from '../layout.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { keyHint } from '../design/keys.ts';
import { table } from '../design/table.ts';
import { fileSize } from '../case/timeline-view.ts';
import { shortDay } from '../days.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { mayMail } from '../mailings/mail-link.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { snippetText } from '../search/document-text.ts';
import { rowsOf } from '../table.ts';
import {
  holdPill,
  holdWords,
  isHeldAsWhole,
  legalHoldBanners,
  placeHoldButton,
  readShownHolds,
  type ShownHolds,
} from './legal-holds.ts';
import { scanPill } from './scan-state.ts';
import { thumbnail } from './document-thumbnail.ts';
import { documentTypes } from './document-types.ts';
import { uploadForm, type TypeOption, type UploadTarget } from './upload-form.ts';

type FoundRow = AnswerRowFor<'attachment/search'>;

/** Documents that are listed; the list of all documents pages through more. */
const ROWS_MAX = 200;
/** The form of ticked rows. */
const FORM = 'document-bulk';

/** Columns that sort, by what the address says. */
const ORDERS: readonly (readonly [name: string, text: string, isNumber: boolean])[] = [
  ['Attachment', 'Document', false],
  ['AttachmentTemplateID', 'Type', false],
  ['FileSize', 'Size', true],
  ['FileVersion', 'Version', true],
  ['CreatedPersonID', 'Added by', false],
  ['AttachmentID', 'Added', false],
];

/** The list that the address describes. */
interface ListChoice {
  readonly find: string;
  readonly type: string;
  readonly order: string;
}

/** A record whose documents are listed, and the address of the page. */
export interface DocumentOwner extends UploadTarget {
  readonly path: string;
}

/** Renders the documents of a case: upload, search, filter, sort, and what can be done with several. */
export async function documentList(call: PageCall, owner: DocumentOwner): Promise<Markup> {
  const choice = choiceOf(call);
  const [types, found] = await Promise.all([documentTypes(call), readDocuments(call, owner, choice)]);
  const ofCase = { object: owner.record.name, id: owner.id };
  const canHoldAll = isHeldAsWhole(call, owner.record.name);
  const [labels, holds] = await Promise.all([
    loadLabels(call, [
      referencesOf(found.rows, ['CreatedPersonID', 'Person'], ['AttachmentTemplateID', 'AttachmentTemplate']),
    ]),
    readShownHolds(call, [
      ...(canHoldAll ? [ofCase] : []),
      ...found.rows.map(({ AttachmentID: id }) => ({ object: 'Attachment', id })),
    ]),
  ]);
  const caseHolds = holds.rows.filter(({ Object: object }) => object !== 'Attachment');
  const add = call.may('attachment/save') && uploadForm(call, owner, types);
  const query = new URLSearchParams({ Object: owner.record.name, ObjectID: String(owner.id) }).toString();
  const generate =
    call.may('attachment/generate') &&
    buttonLink({ text: 'Generate', icon: 'template', href: `/documents/generate?${query}` });
  return html`<div class="row wrap document-add" id="add-document">${add}${generate}${
    canHoldAll && placeHoldButton(call, ofCase)
  }</div>
${legalHoldBanners(call, { ...holds, rows: caseHolds }, ofCase)}
<record-list class="document-list-of-case">
${filterForm(owner, choice, types)}
<div id="case-documents" data-documents>${rowsPart(call, owner, { choice, found, labels, holds })}</div>
${found.rows.length > 0 && bulkBar(call, owner, types)}
</record-list>`;
}

function choiceOf({ query }: PageCall): ListChoice {
  const order = plainText(query['order']);
  const isKnown = ORDERS.some(([name]) => name === order.replace(/^-/, ''));
  const type = plainText(query['type']);
  return {
    find: plainText(query['find']).trim().slice(0, 200),
    type: /^\d{1,15}$/.test(type) ? type : '',
    order: isKnown ? order : '-AttachmentID',
  };
}

/** The documents that were found, or why a text cannot be searched. */
interface FoundDocuments {
  readonly rows: readonly FoundRow[];
  readonly count: number;
  readonly error?: string;
}

async function readDocuments(call: PageCall, owner: DocumentOwner, choice: ListChoice): Promise<FoundDocuments> {
  try {
    const { answer } = await call.callBelow(`${owner.record.module}/${owner.id}`, 'attachment/search', {
      DisplaySize: ROWS_MAX,
      // A search returns the best matches first.
      ...(choice.find === '' ? { OrderBy: choice.order } : { FullText: choice.find }),
      ...(choice.type !== '' && { AttachmentTemplateID: choice.type }),
    });
    const { rows, count } = rowsOf(answer);
    return { rows, count };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'BAD_PARAMETER' || choice.find === '') throw error;
    return { rows: [], count: 0, error: error.masked().message };
  }
}

function filterForm({ path }: DocumentOwner, { find, type, order }: ListChoice, types: readonly TypeOption[]): Markup {
  const options = types.map(
    ({ id, name }) => html`<option value="${id}"${String(id) === type && html` selected`}>${name}</option>`,
  );
  return html`<form class="row wrap document-filter" method="get" action="${path}" data-list-form>
<input type="hidden" name="tab" value="documents"><input type="hidden" name="order" value="${order}">
<input class="input" type="search" name="find" value="${find}" aria-label="Search in these documents"
placeholder="Search in these documents" data-key="/">
${
  types.length > 0 &&
  html`<select class="input" name="type" aria-label="Show only type">
<option value="">All types</option>${options}</select>`
}
${button({ text: 'Show' })}</form>`;
}

interface ListContent {
  readonly choice: ListChoice;
  readonly found: FoundDocuments;
  readonly labels: Labels;
  /** The active holds of the listed documents and of the case. */
  readonly holds: ShownHolds;
}

function rowsPart(call: PageCall, owner: DocumentOwner, { choice, found, labels, holds }: ListContent): Markup {
  const isFiltered = choice.find !== '' || choice.type !== '';
  const { rows, count, error } = found;
  if (rows.length === 0)
    return emptyState({
      title: isFiltered ? 'No documents match.' : 'No documents yet.',
      text: error ?? (isFiltered ? 'The words must all be on one page of a document.' : 'Drop files here to add them.'),
      icon: 'document',
      ...(isFiltered && { action: html`<a class="link" href="${owner.path}?tab=documents">Show all documents</a>` }),
    });
  const hasTicks = call.may('attachment/combine') || call.may('attachment/delete') || call.may('attachment/save');
  const total = count === 1 ? '1 document' : `${count} documents`;
  return html`<p class="muted small" role="status">${total}${
    count > rows.length && html`; the first ${rows.length} are shown`
  }</p>
${table({
  label: 'Documents of this case',
  className: 'record-rows document-rows',
  heads: [
    hasTicks && {
      text: html`<input class="tick" type="checkbox" data-tick-all aria-label="Select all documents">`,
      className: 'tick-cell',
    },
    { text: 'First page', isHidden: true },
    ...ORDERS.map(([name, text, isNumber]) => ({ text, isNumber, ...sorting(owner, choice, name) })),
  ],
  rows: rows.map((row) => documentRow(call, row, { choice, labels, holds, hasTicks })),
})}`;
}

function sorting(
  { path }: DocumentOwner,
  { find, type, order }: ListChoice,
  name: string,
): { readonly href?: string; readonly sorted?: 'ascending' | 'descending' | undefined } {
  if (find !== '') return {};
  const next = order === name ? `-${name}` : name;
  const query = new URLSearchParams({ tab: 'documents', order: next, ...(type !== '' && { type }) });
  const direction = order.startsWith('-') ? 'descending' : 'ascending';
  return { href: `${path}?${query.toString()}`, sorted: order.replace(/^-/, '') === name ? direction : undefined };
}

function documentRow(
  call: PageCall,
  row: FoundRow,
  {
    choice,
    labels,
    holds,
    hasTicks,
  }: Pick<ListContent, 'choice' | 'labels' | 'holds'> & {
    readonly hasTicks: boolean;
  },
): Markup {
  const { AttachmentID: id, AttachmentTemplateID: type, CreatedPersonID: person, PageNumber: page } = row;
  const name = (row.Attachment ?? row.FileName ?? '') || `Document ${id}`;
  const query = choice.find === '' ? '' : `?${new URLSearchParams({ find: choice.find }).toString()}`;
  const href = `/documents/${id}${query}${typeof page === 'number' ? `#page=${page}` : ''}`;
  const tick = html`<td class="tick-cell"><input class="tick" type="checkbox" name="ID" value="${id}" form="${FORM}"
aria-label="Select ${name}"></td>`;
  const snippet =
    choice.find !== '' &&
    html`<span class="small soft snippet"><bdi>${snippetText(row.Snippet ?? '')}</bdi>${
      typeof page === 'number' && html` <span class="muted">page ${page}</span>`
    }</span>`;
  return html`<tr id="document-${id}" data-id="${id}">${hasTicks && tick}
<td class="thumb-cell"><a href="${href}" tabindex="-1" aria-hidden="true">${thumbnail(call, row)}</a></td>
<th scope="row" class="line-1"><a href="${href}"><bdi>${name}</bdi></a>${notes(call, row, holds)}${snippet}</th>
<td>${type !== null && html`<bdi>${labels.get('AttachmentTemplate')?.get(type)}</bdi>`}</td>
<td class="number">${row.FileSize !== null && fileSize(row.FileSize)}</td>
<td class="number">${row.FileVersion}</td>
<td>${person !== null && html`<bdi>${labels.get('Person')?.get(person)}</bdi>`}</td>
<td>${shortDay(call, row.CreatedDate)}</td></tr>\n`;
}

/** Renders what the list says of a document besides its columns: its malware scan, and its hold. */
function notes(call: PageCall, row: FoundRow, holds: ShownHolds): Markup {
  const pill = scanPill(row);
  return html`${pill && html` ${pill}`}${heldNote(call, row.AttachmentID, holds)}`;
}

function heldNote(call: PageCall, id: number, { rows, people }: ShownHolds): Markup | false {
  const [hold] = rows.filter(({ Object: object, ObjectID }) => object === 'Attachment' && ObjectID === id);
  return (
    hold !== undefined && html` ${holdPill}<span class="small soft snippet">${holdWords(call, hold, people)}</span>`
  );
}

function bulkBar(call: PageCall, { path }: DocumentOwner, types: readonly TypeOption[]): Markup {
  const act = (action: string, text: string): Markup =>
    html`<button class="bulk-button" name="Action" value="${action}">${text}</button>`;
  const move =
    types.length > 0 &&
    call.may('attachment/save') &&
    html`<span class="row"><select class="input" name="TypeID" aria-label="New type">${types.map(
      (type) => html`<option value="${type.id}">${type.name}</option>`,
    )}</select>${act('move', 'Move to type')}</span>`;
  return html`<form class="bulk-bar" id="${FORM}" method="post" action="/documents/bulk"
aria-label="Actions for ticked documents">
${csrfField(call)}<input type="hidden" name="Path" value="${path}">
<b data-tick-count>Ticked documents</b>
<span class="row wrap" role="group" aria-label="Actions">
${call.may('attachment/combine') && html`${act('zip', 'Download as zip')}${act('pdf', 'Download as one PDF')}`}
${mayMail(call) && act('mail', 'Mail')}${move}${call.may('attachment/delete') && act('delete', 'Delete')}</span>
<button type="reset" class="bulk-button" data-clear-ticks>Clear${keyHint('Esc')}</button>
</form>`;
}

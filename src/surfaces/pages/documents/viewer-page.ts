import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { banner } from '../design/banner.ts';
import { buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { snippetText } from '../search/document-text.ts';
import {
  convertFailure,
  convertMenu,
  convertProgress,
  convertToasts,
  convertToPdf,
  isExplained,
} from './convert-document.ts';
import { hasPageImages } from './document-thumbnail.ts';
import { readDuplicates } from './duplicates-page.ts';
import {
  holdPill,
  legalHoldBanners,
  legalHoldToasts,
  placeHoldButton,
  readShownHolds,
  type HoldSubject,
  type ShownHolds,
} from './legal-holds.ts';
import { pageSheets, pageStrip, type FoundHit } from './page-sheets.ts';
import { heldBackState, isRefusedByScan, quarantineBanner, scanPill, type ScannedRow } from './scan-state.ts';
import { textSections } from './text-sections.ts';
import { versionMenu, versionNote, type VersionRow } from './viewer-versions.ts';
import { viewerBar } from './viewer-bar.ts';

type DocumentRow = RowNamed<'Attachment'>;

/** Documents of the same record among which the next and the previous one are looked for. */
const SIBLINGS_MAX = 500;

/** Everything that the viewer shows. */
export interface ViewedDocument {
  readonly row: DocumentRow;
  readonly name: string;
  /** An earlier version that is shown instead of the present one. */
  readonly version: number | undefined;
  readonly versions: readonly VersionRow[];
  readonly find: string;
  readonly hits: readonly FoundHit[];
  /** Why the words cannot be searched. */
  readonly findError: string | undefined;
  /** Undefined if no images of its pages can be made; `failure` says why, where they should be. */
  readonly pageCount: number | undefined;
  readonly failure: string | undefined;
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/** What the page of the viewer says of the document besides its content. */
interface DocumentNotes {
  /** Its own active holds, and those of its case. */
  readonly holds: ShownHolds;
  /** Documents with the same content. */
  readonly duplicates: number;
  /** Why it was not converted. */
  readonly refused: PlatformError | undefined;
}

/** Shows a document: its pages as images with the words over them, or its text. */
export const viewerPage = page((call) => viewerAnswer(call));

/** Makes an earlier version of the file the present one, or converts the present one. */
export const changeDocument = page(async (call) => {
  if (call.form['Action'] !== 'convert') return { redirectTo: await restoreVersion(call) };
  try {
    return { redirectTo: await convertToPdf(call) };
  } catch (error) {
    if (!isExplained(error)) throw error;
    return viewerAnswer(call, error);
  }
});

async function restoreVersion(call: PageCall): Promise<string> {
  const id = recordIdFromPath(call);
  await call.call('attachment/restoreversion', { ID: id, Version: Number(plainText(call.form['Version'])) });
  return `/documents/${id}?done=restored`;
}

/** `refused`: why the document was not converted. */
async function viewerAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const viewed = await readViewed(call);
  const { row, name } = viewed;
  const [labels, holds, { length: duplicates }] = await Promise.all([
    loadLabels(call, [
      {
        columns: call.platform.registry.recordType('Attachment').shown.filter(({ field }) => field.kind === 'id'),
        rows: [row],
      },
    ]),
    readShownHolds(call, subjectsOf(row)),
    readDuplicates(call, row.AttachmentID),
  ]);
  const parent = parentCrumb(call, row, labels.get(row.Object ?? '')?.get(row.ObjectID ?? 0));
  return {
    title: name,
    place: 'none',
    crumbs: [...(parent ? [parent] : []), { text: name }],
    hasPanes: true,
    entries: ['viewer'],
    status: refused?.status ?? 200,
    toasts: [...legalHoldToasts(call), ...convertToasts(call)],
    body: await viewer(call, viewed, { holds, duplicates, refused }),
  };
}

/** Returns what holds a document: its own holds, and those of what it belongs to. */
function subjectsOf({ AttachmentID: id, Object: object, ObjectID: objectId }: DocumentRow): readonly HoldSubject[] {
  const own = { object: 'Attachment', id };
  return object === null || objectId === null ? [own] : [own, { object, id: objectId }];
}

async function readViewed(call: PageCall): Promise<ViewedDocument> {
  const id = recordIdFromPath(call);
  const find = plainText(call.query['find']).trim().slice(0, 200);
  const requested = Number(plainText(call.query['version'])) || undefined;
  const { row } = (await call.call('attachment/select', { ID: id })).answer;
  const version = requested === row.FileVersion ? undefined : requested;
  const mayRead = call.may('attachment/download');
  const [versions, found, pages, siblings] = await Promise.all([
    mayRead ? call.call('attachment/versions', { ID: id }).then(({ answer }) => answer.rows) : [],
    version === undefined ? findHits(call, id, find) : { hits: [] },
    countPages(call, row, version),
    readSiblings(call, row),
  ]);
  const at = siblings.indexOf(id);
  return {
    row,
    name: (row.Attachment ?? row.FileName ?? '') || `Document ${id}`,
    version,
    versions,
    find,
    hits: found.hits,
    findError: 'error' in found ? found.error : undefined,
    ...pages,
    previous: at > 0 ? siblings[at - 1] : undefined,
    next: at >= 0 ? siblings[at + 1] : undefined,
  };
}

async function findHits(
  call: PageCall,
  id: number,
  find: string,
): Promise<{ readonly hits: readonly FoundHit[]; readonly error?: string }> {
  if (find === '' || !call.may('attachment/findtext')) return { hits: [] };
  try {
    return { hits: (await call.call('attachment/findtext', { ID: id, FullText: find })).answer.rows };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code !== 'BAD_PARAMETER' && !isRefusedByScan(error)) throw error;
    return { hits: [], error: error.masked().message };
  }
}

async function countPages(
  call: PageCall,
  row: DocumentRow,
  version: number | undefined,
): Promise<Pick<ViewedDocument, 'pageCount' | 'failure'>> {
  if (!hasPageImages(call, row)) return { pageCount: undefined, failure: undefined };
  try {
    const { answer } = await call.call('attachment/pagecount', {
      ID: row.AttachmentID,
      ...(version !== undefined && { Version: version }),
    });
    return { pageCount: answer.row.PageCount, failure: undefined };
  } catch (error) {
    if (!(error instanceof PlatformError) || (error.status >= 500 && !isRefusedByScan(error))) throw error;
    return { pageCount: undefined, failure: error.masked().message };
  }
}

/** Returns the documents of the same record, the newest first, as its list has them. */
async function readSiblings(call: PageCall, { Object: name, ObjectID: id }: DocumentRow): Promise<readonly number[]> {
  if (name === null || id === null || !call.may('attachment/search')) return [];
  const { answer } = await call.call('attachment/search', {
    Object: name,
    ObjectID: String(id),
    OrderBy: '-AttachmentID',
    SqlColumns: 'AttachmentID',
    DisplaySize: SIBLINGS_MAX,
    RecordCount: 'false',
  });
  return answer.rows.map(({ AttachmentID }) => AttachmentID);
}

function parentCrumb(
  call: PageCall,
  { Object: name, ObjectID: id }: DocumentRow,
  label: string | undefined,
): { readonly text: string; readonly href: string } | undefined {
  const record = name === null ? undefined : call.platform.registry.record(name);
  if (!record || id === null) return undefined;
  const text = label ?? `${record.title} ${id}`;
  if (record.root.name === 'Process') return { text, href: `${casePath(record, id)}?tab=documents` };
  return { text: text, href: recordPath(record.module, id) };
}

/** Renders the viewer, which is a page, and a drawer beside other pages. */
async function viewer(
  call: PageCall,
  viewed: ViewedDocument,
  { holds, duplicates, refused }: DocumentNotes,
): Promise<Markup> {
  const { row, name, version, pageCount } = viewed;
  const subject = { object: 'Attachment', id: row.AttachmentID };
  const heldBack = heldBackContent(viewed);
  const mayRead = call.may('attachment/download') && !heldBack;
  return html`<document-viewer class="viewer" id="document-viewer" data-id="${row.AttachmentID}"
data-version="${version ?? ''}" data-pages="${pageCount ?? 0}">
<div class="viewer-head"><h1 class="cut"><bdi>${name}</bdi></h1>
${scanPill(shownContent(viewed))}
${holds.rows.length > 0 && holdPill}
${duplicates > 0 && duplicatesLink(row.AttachmentID, duplicates)}
${call.may('attachment/download') && versionMenu(call, viewed)}
${neighbor('Previous document', 'k', 'chevronUp', viewed.previous)}
${neighbor('Next document', 'j', 'chevronDown', viewed.next)}
${
  mayRead &&
  buttonLink({
    text: 'Download',
    icon: 'export',
    href: `/api/attachment/download?ID=${row.AttachmentID}${version === undefined ? '' : `&Version=${version}`}`,
  })
}
${mayRead && convertMenu(call, viewed)}
${placeHoldButton(call, subject, 'quiet')}
${buttonLink({ text: 'Details', kind: 'quiet', href: recordPath('attachment', row.AttachmentID) })}</div>
<div class="viewer-notes" id="viewer-notes">${convertProgress}
${quarantineBanner(call, row.AttachmentID, { row: shownContent(viewed), version })}
${refused && convertFailure(call, refused)}${versionNote(call, viewed)}${legalHoldBanners(call, holds, subject)}</div>
${mayRead && viewerBar(viewed)}
<div class="viewer-body">${await content(call, viewed)}${!heldBack && hitList(viewed)}</div>
</document-viewer>`;
}

/** Returns the content that is shown: the present one, or that of an earlier version. */
function shownContent({ row, versions, version }: ViewedDocument): ScannedRow {
  return versions.find(({ Number: number }) => number === version) ?? row;
}

/** Returns the content if it is not served because of its malware scan. */
function heldBackContent({ versions, version }: ViewedDocument): ScannedRow | undefined {
  return versions.find(
    ({ Number: number, Current, Served }) => !Served && (version === undefined ? Current : number === version),
  );
}

function duplicatesLink(id: number, count: number): Markup {
  return html`<a class="link small" href="/documents/${id}/duplicates">${
    count === 1 ? '1 duplicate' : `${count} duplicates`
  }<span class="hidden"> of this document</span></a>`;
}

function neighbor(text: string, key: string, name: 'chevronUp' | 'chevronDown', id: number | undefined): Markup {
  if (id === undefined)
    return html`<span class="button quiet square" aria-disabled="true" title="${text}">${icon(name)}</span>`;
  return buttonLink({ text, key, icon: name, iconOnly: true, kind: 'quiet', href: `/documents/${id}` });
}

async function content(call: PageCall, viewed: ViewedDocument): Promise<Markup> {
  const { row, pageCount, failure } = viewed;
  if (!call.may('attachment/download'))
    return emptyState({ title: "You don't have permission to read documents.", icon: 'document' });
  if (row.FileObject === null && row.FileSize === null)
    return emptyState({ title: 'This document has no file.', icon: 'document' });
  const heldBack = heldBackContent(viewed);
  if (heldBack) return html`<div class="viewer-pages scroll">${heldBackState(heldBack)}</div>`;
  if (failure !== undefined)
    return html`<div class="viewer-pages scroll">${banner({ tone: 'warn', text: failure })}${await textSections(
      call,
      viewed,
    )}</div>`;
  if (pageCount === undefined)
    return html`<div class="viewer-pages scroll" id="viewer-pages" tabindex="0" role="region"
aria-label="Text of the document">${await textSections(call, viewed)}</div>`;
  return html`${pageStrip(viewed, pageCount)}${pageSheets(viewed, pageCount)}`;
}

function hitList({ find, hits, findError }: ViewedDocument): Markup {
  const count = hits.length === 1 ? '1 hit' : `${hits.length} hits`;
  const words = findError ?? (hits.length === 0 ? 'No hits. Try fewer words, or another form.' : count);
  const line = ({ HitNumber, PageNumber, Snippet }: AnswerRowFor<'attachment/findtext'>): Markup =>
    html`<li><a href="#page-${PageNumber}" data-hit="${HitNumber}"><span class="muted small">Page ${PageNumber}</span>
<bdi class="small">${snippetText(Snippet)}</bdi></a></li>`;
  return html`<aside class="viewer-hits scroll" id="viewer-hits" aria-label="Hits"
tabindex="0"${find === '' && html` hidden`}>
<p class="small soft" role="status">${find !== '' && words}</p>
<ol>${hits.map(line)}</ol></aside>`;
}

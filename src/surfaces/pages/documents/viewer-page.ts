import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath } from '../case/case-link.ts';
import { buttonLink } from '../design/button.ts';
import { recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import {
  convertFailure,
  convertMenu,
  convertProgress,
  convertToasts,
  convertToPdf,
  isExplained,
} from './convert-document.ts';
import { drawerAnswer } from './document-drawer.ts';
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
import { quarantineBanner, scanPill } from './scan-state.ts';
import { heldBackContent, readViewed, shownContent, type DocumentRow, type ViewedDocument } from './viewed-document.ts';
import { neighborLink, viewerBody } from './viewer-content.ts';
import { versionMenu, versionNote } from './viewer-versions.ts';
import { viewerBar } from './viewer-bar.ts';

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
export const viewerPage = page((call) => (call.query['Part'] === 'drawer' ? drawerAnswer(call) : viewerAnswer(call)));

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
  const mayRead = call.may('attachment/download') && !heldBackContent(viewed);
  return html`<document-viewer class="viewer" id="document-viewer" data-id="${row.AttachmentID}"
data-version="${version ?? ''}" data-pages="${pageCount ?? 0}">
<div class="viewer-head"><h1 class="cut"><bdi>${name}</bdi></h1>
${scanPill(shownContent(viewed))}
${holds.rows.length > 0 && holdPill}
${duplicates > 0 && duplicatesLink(row.AttachmentID, duplicates)}
${call.may('attachment/download') && versionMenu(call, viewed)}
${neighborLink('Previous', viewed.previous, 'k')}
${neighborLink('Next', viewed.next, 'j')}
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
${await viewerBody(call, viewed)}
</document-viewer>`;
}

function duplicatesLink(id: number, count: number): Markup {
  return html`<a class="link small" href="/documents/${id}/duplicates">${
    count === 1 ? '1 duplicate' : `${count} duplicates`
  }<span class="hidden"> of this document</span></a>`;
}

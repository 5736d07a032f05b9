import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { menu } from '../design/menu.ts';
import { shortDay } from '../days.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import type { ViewedDocument } from './viewed-document.ts';

/** A content that the document has had. */
export type VersionRow = AnswerRowFor<'attachment/versions'>;

/** Renders the menu of versions; nothing if there is only one. */
export function versionMenu(call: PageCall, { row, versions, version }: ViewedDocument): Markup | false {
  if (versions.length < 2) return false;
  const shown = version ?? row.FileVersion ?? versions.length;
  const summary = html`<summary class="button">${icon('history')}<span>Version ${shown}</span></summary>`;
  return menu(
    summary,
    versions.map(({ Number: number, StoredDate, Current }) => ({
      text: html`Version ${number}, ${shortDay(call, StoredDate)}${
        Current && html` <span class="muted">present</span>`
      }`,
      href: `/documents/${row.AttachmentID}${Current ? '' : `?version=${number}`}`,
    })),
  );
}

/** Says that an earlier version is shown, with the way to make it the present one. */
export function versionNote(call: PageCall, { row, version }: ViewedDocument): Markup | false {
  if (version === undefined) return false;
  const id = row.AttachmentID;
  const restore =
    call.may('attachment/restoreversion') &&
    html`<form method="post" action="/documents/${id}">${csrfField(call)}${hiddenField('Version', version)}
${button({ text: `Restore version ${version}` })}</form>`;
  return banner({
    tone: 'warn',
    text: html`This is version ${version} of ${row.FileVersion}. Restoring adds it as the newest; none is lost.`,
    actions: html`<a class="link" href="/documents/${id}">Present version</a>${restore}`,
  });
}

import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textAreaField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { normalizeLineEnds, plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { quarantinePath, scanPill, type ScannedRow } from './scan-state.ts';

/** Asks why a file is released from quarantine. */
export const quarantinePage = page((call) => releaseAnswer(call));

/** Scans a document again, releases a file, or deletes the document. A refusal is shown with what was entered. */
export const changeQuarantine = page(async (call) => {
  const ID = recordIdFromPath(call);
  const version = versionFromAddress(call);
  const back = `/documents/${ID}${version === undefined ? '' : `?version=${version}`}`;
  try {
    if (call.form['Action'] === 'scan') await call.call('attachment/scan', { ID: String(ID) });
    else
      await call.call('attachment/releasequarantine', {
        ID,
        Reason: normalizeLineEnds(plainText(call.form['Reason'])).trim(),
        ...(version !== undefined && { Version: version }),
      });
    return { redirectTo: back };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return releaseAnswer(call, error);
  }
});

function versionFromAddress(call: PageCall): number | undefined {
  return Number(plainText(call.query['version'])) || undefined;
}

async function releaseAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const version = versionFromAddress(call);
  const { row } = (await call.call('attachment/select', { ID: id })).answer;
  const content = version === undefined ? row : await versionRow(call, id, version);
  const name = row.FileName ?? row.Attachment ?? `Document ${id}`;
  return {
    title: `Quarantine of ${name}`,
    place: 'none',
    crumbs: [{ text: name, href: `/documents/${id}` }, { text: 'Quarantine' }],
    status: refused?.status ?? 200,
    body: html`<div class="page narrow"><h1>Quarantine of <bdi>${name}</bdi></h1>
<p>${scanPill(content)} <bdi>${content.ScanResult}</bdi></p>
${releaseForm(call, { id, version }, refused)}</div>`,
  };
}

async function versionRow(call: PageCall, id: number, version: number): Promise<ScannedRow> {
  const { rows } = (await call.call('attachment/versions', { ID: id })).answer;
  const found = rows.find(({ Number: number }) => number === version);
  if (!found) throw new PlatformError('NOT_FOUND');
  return found;
}

function releaseForm(
  call: PageCall,
  { id, version }: { readonly id: number; readonly version: number | undefined },
  refused: PlatformError | undefined,
): Markup {
  if (!call.may('attachment/releasequarantine'))
    return html`<p class="soft">You don't have permission to release files from quarantine. Ask an administrator.</p>`;
  const error = refused?.field === 'Reason' ? sentenceFor(refused) : undefined;
  return html`<form class="form entry" method="post" action="${quarantinePath(id, version)}"
aria-labelledby="release-title">
<h2 id="release-title">Release this file?</h2>
${refused && error === undefined && banner({ tone: 'danger', role: 'alert', text: refused.masked().message })}
<p class="soft">Everybody who sees the document can then open and download the file. Release it only if you know that
it is harmless.</p>
${csrfField(call)}${textAreaField({
    label: 'Reason',
    name: 'Reason',
    id: 'release-reason',
    value: plainText(call.form['Reason']),
    error,
    hint: 'Written to the security log with your name.',
    attributes: html`required`,
  })}
<div class="row">${button({ text: 'Release file', kind: 'primary', name: 'Action', value: 'release' })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: `/documents/${id}` })}</div></form>`;
}

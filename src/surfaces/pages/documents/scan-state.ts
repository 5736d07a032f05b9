import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';

/** What the malware scan says of a content: of a document, or of a version. */
export interface ScannedRow {
  readonly ScanState: RowNamed<'Attachment'>['ScanState'];
  readonly ScanResult: string | null;
}

/** States in which nobody gets the file while a scanner is set up. */
const NOT_SERVED: ReadonlySet<string> = new Set(['Waiting', 'Infected', 'TooLarge', 'Failed']);

/** Whether a content is waiting for its scan or in quarantine. */
export function isHeldBack({ ScanState: state }: Pick<ScannedRow, 'ScanState'>): boolean {
  return state !== null && NOT_SERVED.has(state);
}

/** Whether a call was refused because of the malware scan of its document. */
export function isRefusedByScan({ code }: PlatformError): boolean {
  return code === 'DOCUMENT_NOT_SCANNED' || code === 'DOCUMENT_INFECTED' || code === 'DOCUMENT_UNSCANNABLE';
}

/** Renders the mark of a file that is not served, or was released; nothing for others. */
export function scanPill({ ScanState: state }: Pick<ScannedRow, 'ScanState'>): Markup | false {
  if (state === 'Infected') return badge('Malware: in quarantine', 'danger', 'warning');
  if (state === 'Waiting') return badge('Waiting for malware scan', 'outline');
  if (state === 'TooLarge' || state === 'Failed') return badge('Not scanned: in quarantine', 'warn', 'warning');
  return state === 'Released' && badge('Released from quarantine', 'warn');
}

/** Returns the address of the page on which a content is released. */
export function quarantinePath(id: number, version: number | undefined): string {
  return `/documents/${id}/quarantine${version === undefined ? '' : `?version=${version}`}`;
}

/** Says why the pages of a document are not shown. */
export function heldBackState({ ScanState: state }: ScannedRow): Markup {
  if (state === 'Waiting')
    return emptyState({
      title: 'This file is waiting for its malware scan.',
      text: 'It opens here once it is found clean. Reload in a minute.',
      icon: 'clock',
    });
  const why = state === 'Infected' ? 'Malware was found in it.' : 'It could not be scanned for malware.';
  return emptyState({
    title: 'This file is in quarantine.',
    text: `${why} Nobody can open or download it.`,
    icon: 'warning',
  });
}

/** Renders what can be done with a file in quarantine; nothing for other files. */
export function quarantineBanner(
  call: PageCall,
  id: number,
  { row, version }: { readonly row: ScannedRow; readonly version: number | undefined },
): Markup | false {
  const { ScanState: state } = row;
  if (state === 'Released')
    return banner({ tone: 'warn', text: 'An administrator released this file from quarantine.' });
  if (state === 'Waiting' || !isHeldBack(row)) return false;
  const scan =
    call.may('attachment/scan') &&
    html`<form method="post" action="${quarantinePath(id, version)}">${csrfField(call)}
${button({ text: 'Scan again', name: 'Action', value: 'scan' })}</form>`;
  const release =
    call.may('attachment/releasequarantine') &&
    buttonLink({ text: 'Release…', href: quarantinePath(id, version), kind: 'quiet' });
  const text =
    state === 'Infected'
      ? html`Malware was found in this file: <bdi>${row.ScanResult}</bdi>. Delete the document
(under Details) unless it is a false alarm.`
      : html`This file was not scanned for malware. <bdi>${row.ScanResult}</bdi>`;
  return banner({
    tone: state === 'Infected' ? 'danger' : 'warn',
    text,
    actions: html`${scan}${release}`,
  });
}

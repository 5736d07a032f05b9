import { CONVERTER, hasConverter } from '../../../contracts/converter.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { icon } from '../design/icons.ts';
import { menu } from '../design/menu.ts';
import { toast } from '../design/toast.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { isRefusedByScan } from './scan-state.ts';
import type { ViewedDocument } from './viewed-document.ts';

const PDF = 'application/pdf';
/** Types of containers: only the whole file says what is in them, and until it is read, the name. */
const CONTAINERS: ReadonlySet<string> = new Set(['application/zip', 'application/x-cfb', 'application/octet-stream']);
const OFFICE_NAME = /\.(?:docx?|xlsx?|pptx?|od[tsp]|rtf)$/i;
/** Failures of the server that a user, or an administrator, can do something about. */
const EXPLAINED: ReadonlySet<string> = new Set(['CONVERTER_UNAVAILABLE', 'TIMED_OUT', 'UNAVAILABLE']);

/** Renders the choice of where the PDF of a document goes; false for documents that are not converted. */
export function convertMenu(call: PageCall, { row, version }: ViewedDocument): Markup | false {
  if (version !== undefined || !call.may('attachment/convertsave') || !isConvertible(call, row)) return false;
  const { AttachmentID: id, FileVersion: present } = row;
  const entries = [
    { text: 'Add as a new document', name: 'Result', value: 'document' },
    { text: `Save as version ${(present ?? 1) + 1}`, name: 'Result', value: 'version' },
  ];
  return html`<form class="contents" method="post" action="/documents/${id}" data-convert>${csrfField(call)}
${hiddenField('Action', 'convert')}
${menu(html`<summary class="button">${icon('document')}<span>Convert to PDF</span></summary>`, entries)}</form>`;
}

/** Renders the line that the script shows while a document is converted. */
export const convertProgress: Markup = html`<p class="convert-progress row small" data-convert-progress hidden>
<progress aria-label="Conversion"></progress><span data-convert-words></span>
<span class="muted" data-convert-seconds></span></p>`;

/** Converts the document of the address, and returns the address of the page with the result. */
export async function convertToPdf(call: PageCall): Promise<string> {
  const id = recordIdFromPath(call);
  const isVersion = call.form['Result'] === 'version';
  const { answer } = await call.call('attachment/convertsave', { ID: String(id), Replace: String(isVersion) });
  const made = answer.rows[0]?.AttachmentID ?? id;
  return isVersion ? `/documents/${made}?done=replaced` : `/documents/${made}?done=converted&source=${id}`;
}

/** Whether the viewer shows why a conversion failed; other failures have the page of errors. */
export function isExplained(error: unknown): error is PlatformError {
  if (!(error instanceof PlatformError) || error.status === 404) return false;
  return error.status < 500 || EXPLAINED.has(error.code) || isRefusedByScan(error);
}

/** Says why a document was not converted, with the settings that the reason names. */
export function convertFailure(call: PageCall, error: PlatformError): Markup {
  const text = error.masked().message;
  const named = new Set(text.match(/\b[A-Z][A-Za-z]+\b/g));
  const settings = call.platform.registry.settings.filter(({ name }) => named.has(name));
  const mayChange = call.may('setting/save');
  const link = ({ name }: { readonly name: string }): Markup =>
    html`<a class="link" href="/administration/settings?Text=${name}">Change ${name}</a>`;
  return banner({
    tone: 'danger',
    role: 'alert',
    text,
    more:
      settings.length > 0 &&
      !mayChange &&
      html`<p class="small soft">An administrator can change the setting ${settings[0]?.name}.</p>`,
    actions: settings.length > 0 && mayChange && html`${settings.map(link)}`,
  });
}

/** Says where the PDF is that was just made. */
export function convertToasts(call: PageCall): readonly Markup[] {
  const done = call.query['done'];
  if (done === 'replaced')
    return [
      toast({ text: 'The PDF is now the present version. The file before it is listed under the earlier versions.' }),
    ];
  const source = plainText(call.query['source']);
  if (done !== 'converted' || !/^\d{1,15}$/.test(source)) return [];
  return [
    toast({
      text: html`Added as a PDF. <a class="link" href="/documents/${source}">Original document</a>`,
    }),
  ];
}

/** Whether the present file can be converted, as far as its stored type and its name say. */
function isConvertible(call: PageCall, { MimeType: mime, FileName, Sealed, FilePath }: ViewedDocument['row']): boolean {
  if (mime === null || mime === PDF || Sealed === true || FilePath === null) return false;
  const { providers } = call.platform;
  if (CONTAINERS.has(mime)) return providers.names(CONVERTER).length > 0 && OFFICE_NAME.test(FileName ?? '');
  return hasConverter(providers, mime, PDF);
}

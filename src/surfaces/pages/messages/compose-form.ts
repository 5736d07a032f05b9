import type { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { fileSize } from '../case/timeline-view.ts';
import { hiddenField, option } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { checkbox } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import { csrfField } from '../layout.ts';
import { sentenceFor } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import type { ComposeData, MailDraft } from './compose-data.ts';
import { writtenAddress } from './compose-data.ts';
import { COMPOSE_PATH } from './message-paths.ts';

/** Documents that are listed before the others are folded. */
const DOCUMENTS_SHOWN = 6;
/** Most parties without an address that are named. */
const UNREACHABLE_SHOWN_MAX = 3;

/** A form of a message. */
export interface ComposeParts {
  readonly draft: MailDraft;
  readonly data: ComposeData;
  readonly refused?: PlatformError | undefined;
  /** Whether it is the composer of a case, which stores drafts automatically. */
  readonly isInline?: boolean;
  /** Whether the focus goes to it. */
  readonly isChosen?: boolean;
}

/** Fields beside which a refusal is shown; any other is shown above the form. */
const FIELDS: ReadonlySet<string> = new Set(['ToAddress', 'CcAddress', 'BccAddress', 'Subject', 'BodyText']);

/** Renders the form in which a message is written. */
export function composeForm(call: PageCall, parts: ComposeParts): Markup {
  const { draft, data, refused, isInline = false } = parts;
  const name = `mail:${draft.object}/${draft.objectId}:${draft.parent}`;
  const error =
    refused && !FIELDS.has(refused.field ?? '') && banner({ tone: 'danger', role: 'alert', text: refused.message });
  return html`<form class="mail-form composer-form" id="mail-form" method="post" action="${COMPOSE_PATH}"
 enctype="multipart/form-data" aria-label="Message"${!isInline && html` data-draft="${name}"`}>
${csrfField(call)}${hiddenField('Object', draft.object)}${hiddenField('ObjectID', draft.objectId)}
${hiddenField('ParentMessageID', draft.parent)}${hiddenField('Back', draft.back)}${hiddenField('Merged', draft.merged)}
${hiddenField('Key', draft.key)}
${error}
${recipientRow(parts, 'ToAddress', 'To', draft.to)}
${copies(parts)}${unreachableLine(data.unreachable)}
${
  data.isRepresented &&
  html`<p
 class="mail-warning small">${icon('info', 14)}<span>Represented by an attorney. Write to the attorney only.</span></p>`
}
${subjectRow(parts)}
${textRow(parts)}
${attachmentRow(call, parts)}
${foot(parts)}
</form>`;
}

function errorOf({ refused }: ComposeParts, name: string): string | undefined {
  return refused?.field === name ? sentenceFor(refused) : undefined;
}

function errorLine(name: string, error: string | undefined): Markup | false {
  return (
    error !== undefined && html`<p class="field-error" id="${name}-error">${icon('error', 14)}<span>${error}</span></p>`
  );
}

function described(name: string, error: string | undefined): Markup | false {
  return error !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`;
}

function recipientRow(parts: ComposeParts, name: string, label: string, value: string): Markup {
  const error = errorOf(parts, name);
  const people = parts.data.correspondents;
  const choices = people.map(
    (each) => html`<option value="${writtenAddress(each)}" data-name="${each.name}" data-role="${each.role}"
 data-address="${each.address}">${each.role}</option>`,
  );
  return html`<div class="mail-row"><label for="${name}">${label}</label>
<recipient-field><input class="mail-input" id="${name}" name="${name}"
 value="${value}" autocomplete="off" spellcheck="false"
 list="${name}-people"${parts.isChosen === true && name === 'ToAddress' && value === '' && html` autofocus`}${described(
   name,
   error,
 )}><datalist id="${name}-people">${choices}</datalist></recipient-field>
${errorLine(name, error)}</div>`;
}

/** Names the parties without an email address, which are not suggested. */
function unreachableLine(names: readonly string[]): Markup | false {
  const more = names.length - UNREACHABLE_SHOWN_MAX;
  const shown = `${names.slice(0, UNREACHABLE_SHOWN_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return names.length > 0 && html`<p class="mail-unreachable muted small">No email address: <bdi>${shown}</bdi></p>`;
}

/** Renders the fields for copies, folded until one is used. */
function copies(parts: ComposeParts): Markup {
  const { draft } = parts;
  const isOpen = draft.cc !== '' || draft.bcc !== '' || /^(?:Cc|Bcc)Address$/.test(parts.refused?.field ?? '');
  return html`<details class="mail-copies"${isOpen && html` open`}><summary class="small">Cc, Bcc</summary>
${recipientRow(parts, 'CcAddress', 'Cc', draft.cc)}
${recipientRow(parts, 'BccAddress', 'Bcc', draft.bcc)}</details>`;
}

function subjectRow(parts: ComposeParts): Markup {
  const error = errorOf(parts, 'Subject');
  return html`<div class="mail-row"><label for="Subject">Subject</label>
<input class="mail-input" id="Subject" name="Subject" maxlength="1000" value="${parts.draft.subject}"${described(
    'Subject',
    error,
  )}>${errorLine('Subject', error)}</div>`;
}

function textRow({ draft, isChosen, ...parts }: ComposeParts): Markup {
  const error = errorOf({ draft, ...parts }, 'BodyText');
  return html`<label class="hidden" for="BodyText">Text</label>
<textarea class="mail-text-input" id="BodyText" name="BodyText" rows="8" placeholder="Write a message."${
    isChosen === true && draft.to !== '' && html` autofocus data-caret="start"`
  }${described('BodyText', error)}>\n${draft.body}</textarea>${errorLine('BodyText', error)}`;
}

/** Renders the documents of the case to attach, and the choice of a new file. */
function attachmentRow(call: PageCall, { draft, data }: ComposeParts): Markup | false {
  const chosen = new Set(draft.attachmentIds);
  const known = new Map(
    [...(data.thread?.messages.flatMap(({ files }) => files) ?? []), ...data.documents].map((row) => [
      String(row.AttachmentID),
      row,
    ]),
  );
  const rows = [...known.entries()].filter(
    ([id]) => chosen.has(id) || data.documents.some((row) => String(row.AttachmentID) === id),
  );
  const line = ([id, row]: (typeof rows)[number]): Markup => {
    const size = row.FileSize === null ? '' : fileSize(row.FileSize);
    return html`<li>${checkbox({
      label: html`<bdi class="cut">${(row.Attachment ?? '') || row.FileName}</bdi> <span
 class="muted nowrap">${size}</span>`,
      name: 'AttachmentID',
      value: id,
      isChecked: chosen.has(id),
    })}</li>`;
  };
  const canUpload = data.record !== undefined && call.may('attachment/save');
  if (rows.length === 0 && !canUpload) return false;
  const [shown, others] = [rows.slice(0, DOCUMENTS_SHOWN), rows.slice(DOCUMENTS_SHOWN)];
  const more =
    others.length > 0 &&
    html`<details${others.some(([id]) => chosen.has(id)) && html` open`}><summary
 class="link small">${others.length} more
 documents</summary><ul class="mail-documents">${others.map(line)}</ul></details>`;
  return html`<details
 class="mail-attach"${chosen.size > 0 && html` open`}><summary>${icon('attach', 14)}<span>Attach</span><span
 class="muted small" data-attached>${chosen.size > 0 && `${chosen.size} attached`}</span></summary>
<div class="mail-attach-body"><ul class="mail-documents" id="mail-documents"
 aria-label="Documents of the case">${shown.map(line)}</ul>${more}
${
  canUpload &&
  html`<label class="mail-upload small">${icon('upload', 14)}<span>Add a file</span><input type="file"
 name="Content" data-attach-file
 data-object="${draft.object}" data-id="${draft.objectId}"></label>`
}</div></details>`;
}

function foot({ draft, data, isInline = false }: ComposeParts): Markup {
  const { templates } = data;
  const template =
    templates.length > 0 &&
    html`<label class="mail-template"><span class="hidden">Template</span><select class="input"
 name="Template" data-template
 aria-label="Template"><option value="">No template</option>${templates.map(({ MessageTemplate: name }) =>
   option(name ?? '', name ?? '', name === draft.template),
 )}</select></label><noscript>${button({ text: 'Use template', name: 'Step', value: 'template' })}</noscript>`;
  return html`<p class="mail-audience muted small" id="mail-audience" data-audience>${audience(draft)}</p>
<div class="row wrap mail-foot">${template}
<label class="check secure-choice" title="The email contains only a notice and a link, not the message"><input
 class="tick"
 type="checkbox" name="SecureDelivery"
 value="true"${draft.isSecure && html` checked`}><span>${icon('lock', 14)}Secure</span></label>
<span class="end row"><span class="keys-hint">${keyHint('Ctrl+Enter')}</span>
${button({
  text: 'Send',
  icon: 'arrowUp',
  kind: isInline ? 'plain' : 'primary',
  name: 'Action',
  value: 'send',
})}</span></div>`;
}

/** Names who reads the message. */
function audience({ to, cc, bcc }: MailDraft): string {
  const isEmpty = [to, cc, bcc].every((text) => text.trim() === '');
  return isEmpty
    ? 'Everyone you write to can read this, including people outside your company.'
    : 'The recipients can read this, including people outside your company.';
}

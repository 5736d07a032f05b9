import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import type { PublicPage } from '../public-page.ts';
import { brandMark } from '../shell/sidebar.ts';

/** A message as `securelink/read` returns it. */
export interface SecureMessage {
  readonly MessageID: number | null;
  readonly Subject: string | null;
  readonly FromName: string | null;
  readonly FromAddress: string | null;
  readonly SentDate: string | null;
  readonly BodyKind: 'html' | 'text';
  readonly Body: string | null;
  readonly BlockedImages: number;
  readonly Files: readonly { readonly ID: number; readonly Name: string; readonly Size: number | null }[];
  readonly Ticket: string | null;
}

/** A message as it is shown to its reader. */
export interface ShownMessage {
  readonly path: string;
  readonly ticket: string;
  readonly remoteImages: boolean;
  /** The time zone in which times are shown. */
  readonly zone: string;
  readonly message: SecureMessage;
}

/** The first page of a link: the same whether or not there is such a link. */
export function startView(path: string, problem?: string): PublicPage {
  return frame(
    'Secure message',
    html`<div class="secure-lock">${icon('lock', 20)}</div>
<h1>You have a secure message</h1>
<p class="soft">It was sent to you with a link instead of its text. To open it, have a one-time code mailed to the
 address that the link was sent to.</p>
${problem !== undefined && banner({ tone: 'warn', text: problem, role: 'alert' })}
<form method="post" action="${path}">${button({ text: 'Email me a code', kind: 'primary' })}</form>
<p class="prose soft">Do you have an account here?
 <a href="/signin?returnTo=${encodeURIComponent(path)}">Sign in</a> to read it there.</p>`,
  );
}

/** Renders the form for the code. */
export function codeView(path: string, problem?: string): PublicPage {
  return frame(
    'Enter your code',
    html`<div class="secure-lock">${icon('lock', 20)}</div>
<h1>Enter your code</h1>
<p class="soft" role="status">If the link is valid, a code is on its way to the address that it was sent to. It can be
 used for ten minutes.</p>
<form method="post" action="${path}">
${textField({
  id: 'code',
  name: 'Code',
  label: 'Six-digit code',
  ...(problem === undefined ? {} : { error: problem }),
  attributes: html`inputmode="numeric" autocomplete="one-time-code" maxlength="20" autofocus`,
})}
${button({ text: 'Open the message', kind: 'primary' })}
</form>
<form method="post" action="${path}">${button({ text: 'Email me another code', kind: 'quiet' })}</form>`,
  );
}

/** Shows the message. */
export function messageView({ path, ticket, remoteImages, zone, message }: ShownMessage): PublicPage {
  const subject = message.Subject?.trim() ?? '';
  const title = subject === '' ? 'No subject' : subject;
  return frame(
    title,
    html`<article class="secure-message">
<h1>${title}</h1>
<p class="soft secure-from">
<span>${senderText(message)}</span>${message.SentDate !== null && sentTime(message.SentDate, zone)}</p>
${message.BlockedImages > 0 && blockedImages(path)}
${bodyOf({ path, ticket, remoteImages, zone, message }, title)}
${message.Files.length > 0 && files(ticket, message)}
</article>
<p class="soft small">Each reading is recorded for the sender. You can read for half an hour; after that, have another
 code mailed.</p>`,
    'secure-page wide',
  );
}

/** The text is our own markup and follows the colors of the page; HTML of others is shown in a frame. */
function bodyOf({ path, remoteImages, message }: ShownMessage, title: string): Markup {
  if (message.BodyKind === 'text') return html`<div class="secure-text">${{ markup: message.Body ?? '' }}</div>`;
  const source = `${path}/body${remoteImages ? '?images=yes' : ''}`;
  return html`<iframe class="secure-frame" sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
 title="Text of the message: ${title}" src="${source}"></iframe>`;
}

function senderText({ FromName, FromAddress }: SecureMessage): Markup | string {
  const [name, address] = [FromName?.trim() ?? '', FromAddress ?? ''];
  if (name === '') return address;
  return html`<strong>${name}</strong>${address !== '' && html` &lt;${address}&gt;`}`;
}

/** Renders an instant in a zone, which it names: readers may be elsewhere. */
function sentTime(instant: string, zone: string): Markup {
  const shown = new Intl.DateTimeFormat('en-US', {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  });
  return html`<time datetime="${instant}">${shown.format(new Date(instant))}</time>`;
}

function blockedImages(path: string): Markup {
  return banner({
    tone: 'info',
    text: 'Pictures from other servers are not shown, because those servers would learn that you read this message.',
    actions: buttonLink({ text: 'Show pictures', kind: 'quiet', href: `${path}?images=yes` }),
  });
}

function files(ticket: string, { Files }: SecureMessage): Markup {
  return html`<h2>Documents</h2><ul class="secure-files">${Files.map(
    ({ ID, Name, Size }) => html`<li><form method="post" action="/api/securelink/file">
${hiddenField('Ticket', ticket)}${hiddenField('AttachmentID', String(ID))}
<button class="secure-file">${icon('attach', 16)}<span><bdi>${Name}</bdi></span>
<span class="soft">${Size !== null && sizeText(Size)}</span></button></form></li>`,
  )}</ul>`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function frame(title: string, content: Markup, className = 'secure-page'): PublicPage {
  return {
    title,
    body: html`<div class="${className}">
<p class="entry-brand">${brandMark}Casewright</p>
<div class="secure-box">${content}</div>
</div>`,
  };
}

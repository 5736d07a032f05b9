import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { avatar } from '../design/avatar.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { menu, menuLine } from '../design/menu.ts';
import { fileSize } from '../case/timeline-view.ts';
import { recordPath } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { messageBody } from './message-body.ts';
import { composePath, messagePath } from './message-paths.ts';
import { nameOf, recipientLines, worstState } from './recipient-states.ts';
import { senderNote } from './sender-note.ts';
import { secureLinks } from './secure-links.ts';
import type { FileRow, Thread, ThreadMessage } from './read-thread.ts';

/** Characters of the text in the line of a folded message. */
const SNIPPET_CHARACTERS = 300;

/** Where a conversation is shown. */
export interface ThreadPlace {
  /** The address of the page, to which actions return. */
  readonly path: string;
  /** How users of our own are called, by their ids. */
  readonly people: ReadonlyMap<number, string>;
  /** Whether the ways to answer are offered. */
  readonly canAnswer?: boolean;
}

/** Renders the messages of a conversation, the read ones folded, and the ways to answer. */
export function threadView(call: PageCall, thread: Thread, place: ThreadPlace): Markup {
  const last = thread.messages.at(-1);
  return html`<ol class="mails">${thread.messages.map((message) =>
    mail(call, message, { place, isOpen: message === last || message.isUnread }),
  )}</ol>
${last && place.canAnswer !== false && answerBar(call, last, place)}`;
}

/** Renders the ways to answer a message. */
function answerBar(call: PageCall, { row, recipients }: ThreadMessage, { path }: ThreadPlace): Markup | false {
  if (!call.may('message/generate')) return false;
  const to = (kind: 'Reply' | 'ReplyAll' | 'Forward'): string => composePath({ [kind]: row.MessageID, Back: path });
  const isToSeveral = recipients.filter(({ Category }) => (Category ?? 0) < 2).length > 1;
  return html`<div class="answer-bar row wrap">
${buttonLink({ text: 'Reply', icon: 'undo', key: 'r', href: to('Reply') })}
${isToSeveral && buttonLink({ text: 'Reply to all', icon: 'people', key: 'a', href: to('ReplyAll') })}
${buttonLink({ text: 'Forward', icon: 'arrowRight', href: to('Forward') })}</div>`;
}

interface MailPlace {
  readonly place: ThreadPlace;
  readonly isOpen: boolean;
}

function mail(call: PageCall, message: ThreadMessage, { place, isOpen }: MailPlace): Markup {
  const { row, at, isUnread, recipients } = message;
  const from = senderName(message, place);
  const state = worstState(recipients);
  const snippet = row.OwnText.slice(0, 4 * SNIPPET_CHARACTERS)
    .replace(/\s+/g, ' ')
    .slice(0, SNIPPET_CHARACTERS);
  return html`<li class="mail${isUnread && ' unread'}"
 id="message-${row.MessageID}"${message.isReceived && html` data-received`}>
<details${isOpen && html` open`}>
<summary class="mail-head">${avatar(from, true)}<span class="mail-from"><b><bdi>${from}</bdi></b>${
    message.isReceived &&
    (row.FromAddress ?? '') !== '' &&
    row.FromAddress !== from &&
    html` <span class="muted small mail-address"><bdi>${row.FromAddress}</bdi></span>`
  }<span class="mail-snippet muted">${snippet}</span></span>
<span class="mail-marks">${isUnread && badge('New', 'accent')}${row.AutoSubmitted === true && badge('Automatic')}${
    row.SubjectChanged === true && badge('New subject', 'outline')
  }${message.files.length > 0 && html`<span class="muted" title="Attachments">${icon('attach', 14)}</span>`}${
    state &&
    html`<span class="mail-state ${state.tone}" title="${state.meaning}">${icon(state.icon, 12)}${state.text}</span>`
  }<span class="muted small">${shortTimeMark(call, at)}</span></span></summary>
<div class="mail-open">
<div class="mail-facts">${recipientLines(call, message)}${messageMenu(call, message, place)}</div>
${evidence(call, message, place)}
${senderNote(message)}
${message.linkUses && secureLinks(call, row.MessageID, message.linkUses, place.path)}
${changedSubject(row)}
<div class="mail-body">${messageBody(call, message, place.path)}</div>
${fileList(call, message.files)}
${waitingNote(call, message, place)}
</div></details></li>\n`;
}

function changedSubject({ SubjectChanged, Message }: ThreadMessage['row']): Markup | false {
  return SubjectChanged === true && html`<p class="small"><span class="muted">Subject</span> <bdi>${Message}</bdi></p>`;
}

/** Returns who wrote a message: the sender of a received one, else the user. */
function senderName({ row, isReceived }: ThreadMessage, { people }: ThreadPlace): string {
  const own = row.CreatedPersonID === null ? undefined : people.get(row.CreatedPersonID);
  const sender = (row.FromName ?? '').trim() || (row.FromAddress ?? '').trim();
  return (isReceived ? sender : (own ?? sender)) || 'Casewright';
}

const reasons: Readonly<Record<string, string>> = {
  ReplyToken: 'it was sent to the reply address of a message here',
  ReplyHeader: 'it answers a message here',
  Processor: 'a rule of the mailbox chose this record',
  Subject: 'its subject names this record',
  Person: 'a person chose this record',
};

/** Says why a received message is where it is, with the way to undo that. */
function evidence(call: PageCall, { row }: ThreadMessage, { path }: ThreadPlace): Markup | false {
  const reason = row.FiledBy === null ? undefined : reasons[row.FiledBy];
  if (reason === undefined) return false;
  // Its details are Message-IDs.
  const isByReply = row.FiledBy === 'ReplyToken' || row.FiledBy === 'ReplyHeader';
  const undo =
    call.may('message/unfile') &&
    html`<form method="post"
 action="${messagePath(row.MessageID)}">${csrfField(call)}${hiddenField('Back', path)}${button({
   text: 'Undo',
   kind: 'quiet',
   icon: 'undo',
   name: 'Action',
   value: 'unfile',
   of: 'filing this message',
 })}</form>`;
  return html`<div class="mail-evidence small">${icon('link', 14)}<p${
    isByReply && html` title="${row.FiledDetail}"`
  }>Filed because ${reason}.${
    !isByReply && (row.FiledDetail ?? '') !== '' && html` <span class="muted"><bdi>${row.FiledDetail}</bdi></span>`
  }</p>${undo}</div>`;
}

function fileList(call: PageCall, files: readonly FileRow[]): Markup | false {
  if (files.length === 0) return false;
  const line = ({ AttachmentID, Attachment, FileName, FileSize }: FileRow): Markup => {
    const size = FileSize === null ? '' : fileSize(FileSize);
    const content = html`${icon('document', 14)}<bdi class="cut">${(Attachment ?? '') || FileName}</bdi> <span
 class="muted nowrap">${size}</span>`;
    return html`<li>${
      call.may('attachment/select')
        ? html`<a class="mail-file" href="/documents/${AttachmentID}">${content}</a>`
        : html`<span class="mail-file">${content}</span>`
    }</li>`;
  };
  return html`<ul class="mail-files" aria-label="Attachments">${files.map(line)}</ul>`;
}

/** Offers to stop a message that waits to be sent, and to send one again that did not arrive. */
function waitingNote(call: PageCall, { row, recipients }: ThreadMessage, { path }: ThreadPlace): Markup | false {
  const isWaiting = recipients.some(({ Status }) => Status === 'Waiting');
  const of = (...states: readonly string[]) => recipients.filter(({ Status }) => states.includes(Status ?? ''));
  const [failed, blocked] = [of('Bounced', 'Refused', 'Unknown'), of('Suppressed')];
  const form = (action: string, text: string): Markup =>
    html`<form method="post"
 action="${messagePath(row.MessageID)}">${csrfField(call)}${hiddenField('Back', path)}${button({
   text,
   name: 'Action',
   value: action,
   kind: 'quiet',
 })}</form>`;
  if (isWaiting && call.may('message/stopsending'))
    return html`<div class="mail-note small">${icon('clock', 14)}<p>Waiting to be sent.</p>${form(
      'cancel',
      'Stop sending',
    )}</div>`;
  const blockedNote =
    blocked.length > 0 &&
    html`<div class="mail-note small">${icon('hold', 14)}<p>Not sent to <bdi>${blocked
      .map(nameOf)
      .join(', ')}</bdi>: the address is blocked, for example because earlier mail bounced.</p></div>`;
  if (failed.length === 0) return blockedNote;
  const names = failed.map(nameOf).join(', ');
  const [{ Detail: answer = '' } = {}] = failed;
  return html`<div class="mail-note danger small">${icon('error', 14)}<p>Not delivered to <bdi>${names}</bdi>.${
    failed.length === 1 && answer !== '' && html` <bdi>${answer}</bdi>`
  }</p>${call.may('message/send') && form('again', 'Send again')}</div>${blockedNote}`;
}

function messageMenu(call: PageCall, { row, isUnread }: ThreadMessage, { path }: ThreadPlace): Markup {
  const id = row.MessageID;
  const summary = html`<summary class="button quiet square" title="More about this message">${icon('more')}<span
 class="hidden">More about this message</span></summary>`;
  return html`<form method="post" action="${messagePath(id)}"
 class="end">${csrfField(call)}${hiddenField('Back', path)}${menu(summary, [
   !isUnread &&
     call.may('message/markunread') && {
       text: 'Mark unread',
       icon: 'bell' as const,
       name: 'Action',
       value: 'unread',
     },
   call.may('message/saveaspdf') && {
     text: 'Save as PDF',
     icon: 'document' as const,
     name: 'Action',
     value: 'pdf',
   },
   // Raw mails are stored encrypted.
   row.MailInboundID !== null &&
     call.may('message/source') &&
     call.user.universal &&
     call.user.permissions.has('UnmaskSSN') && {
       text: 'Raw mail',
       icon: 'database' as const,
       href: `/api/message/source?ID=${id}`,
     },
   menuLine,
   { text: 'All fields', icon: 'eye' as const, href: recordPath('message', id) },
 ])}</form>`;
}

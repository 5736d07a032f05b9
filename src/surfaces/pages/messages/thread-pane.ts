import { html, type Markup } from '../../../kernel/render/markup.ts';
import { casePath, isCaseType } from '../case/case-link.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { recordPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { loadPeople } from '../people.ts';
import { plainText } from '../plain-text.ts';
import { caseKey, loadItemCases } from '../work/item-cases.ts';
import { fileForm } from './file-form.ts';
import { messagePath } from './message-paths.ts';
import { readThread, type Thread } from './read-thread.ts';
import { threadView } from './thread-view.ts';

/** A conversation that is shown, and where. */
export interface PaneParts {
  /** The address of the page, to which actions return. */
  readonly path: string;
  /** The address of the list; undefined where there is none. */
  readonly list?: string | undefined;
  /** `h1` on a page of its own. */
  readonly heading: 'h1' | 'h2';
}

/** Reads a conversation and marks it as read; a script that only looks ahead (`Part`) marks nothing. */
export async function openThread(call: PageCall, messageId: number): Promise<Thread> {
  const thread = await readThread(call, messageId);
  const unread = thread.messages.filter(({ isUnread }) => isUnread).map(({ row }) => row.MessageID);
  if (unread.length > 0 && plainText(call.query['Part']) === '' && call.may('message/markread'))
    await call.call('message/markread', { ID: unread });
  return thread;
}

/** Renders a conversation with what it is about, what can be done with it, and its messages. */
export async function threadPane(call: PageCall, thread: Thread, { path, list, heading }: PaneParts): Promise<Markup> {
  const [people, cases] = await Promise.all([
    loadPeople(
      call,
      thread.messages.map(({ row }) => row.CreatedPersonID),
    ),
    loadItemCases(call, [{ Object: thread.object, ObjectID: thread.objectId }]),
  ]);
  const about = cases.get(caseKey({ Object: thread.object, ObjectID: thread.objectId }));
  const title = html`<bdi>${thread.subject}</bdi>`;
  return html`<header class="thread-head">
<div class="grow">${heading === 'h1' ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}
<p class="small">${
    thread.object === null
      ? html`<span
 class="soon">Not filed on a record yet</span>`
      : aboutLink(call, thread, about?.name ?? '')
  }${(about?.place ?? '') !== '' && html` <span class="muted"><bdi>${about?.place}</bdi></span>`}</p></div>
<div class="row thread-tools">${
    list !== undefined &&
    html`<span class="thread-back">${buttonLink({
      text: 'Back to the list',
      icon: 'chevronLeft',
      iconOnly: true,
      kind: 'quiet',
      href: list,
    })}</span>`
  }${readTools(call, thread, path)}</div></header>
${thread.object === null && fileForm(call, thread, path)}
${threadView(call, thread, { path, people })}`;
}

function aboutLink(call: PageCall, { object, objectId }: Thread, name: string): Markup {
  const record = call.platform.registry.record(object ?? '');
  if (!record || objectId === null) return html`${name}`;
  const isCase = isCaseType(call.platform.registry, record) && call.may('decision/search');
  const href = isCase ? `${casePath(record, objectId)}?tab=messages` : recordPath(record.module, objectId);
  const text = html`${icon('case', 14)}<bdi>${name}</bdi>`;
  return call.mayOf(record, 'select') ? html`<a class="link thread-about" href="${href}">${text}</a>` : html`${text}`;
}

/** Renders the buttons that mark a conversation as unread, or as read and go on. */
function readTools(call: PageCall, { messages }: Thread, path: string): Markup | false {
  const last = messages.findLast(({ isReceived }) => isReceived) ?? messages.at(-1);
  if (!last || !call.may('message/markunread')) return false;
  return html`<form method="post" action="${messagePath(last.row.MessageID)}"
 class="row">${csrfField(call)}${hiddenField(
   'Back',
   path,
 )}${button({ text: 'Unread', icon: 'bell', kind: 'quiet', key: 'u', name: 'Action', value: 'unread' })}${button({
   text: 'Done',
   icon: 'check',
   kind: 'quiet',
   key: 'e',
   name: 'Action',
   value: 'done',
 })}</form>`;
}

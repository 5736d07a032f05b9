import { randomUUID } from 'node:crypto';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { PageAnswer, PageCall, ShownPage } from '../page-call.ts';
import { withQuery } from '../page-query.ts';
import { page } from '../page.ts';
import { loadPeople } from '../people.ts';
import { plainText } from '../plain-text.ts';
import { caseKey, loadItemCases } from '../work/item-cases.ts';
import { applyTemplate } from './apply-template.ts';
import { draftOfAddress, draftOfForm, readComposeData, type MailDraft } from './compose-data.ts';
import { composeForm } from './compose-form.ts';
import { composePath, INBOX_PATH } from './message-paths.ts';
import { threadView } from './thread-view.ts';

/** Shows the form of a new message, or of an answer beside the conversation. */
export const composePage = page(async (call) => composeAnswer(call, await draftOfAddress(call)));

/** Fills the form in from a template, or sends the message. A refusal is shown with everything that was written. */
export const sendMessage = page(async (call): Promise<PageAnswer> => {
  const draft = draftOfForm(call);
  try {
    if (plainText(call.form['Action']) !== 'send') return await composeAnswer(call, await applyTemplate(call, draft));
    const id = await send(call, draft);
    return { redirectTo: withQuery(draft.back, { done: 'mail-sent', message: String(id) }) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    if (error.code === 'IDEMPOTENCY_MISMATCH')
      return composeAnswer(call, { ...draft, key: randomUUID() }, changedSinceSent());
    return composeAnswer(call, draft, error.masked());
  }
});

function changedSinceSent(): PlatformError {
  return new PlatformError('STATE_REFUSES', {
    message: 'An earlier version of this message was already sent. Choose Send to send this one as another message.',
  });
}

async function send(call: PageCall, draft: MailDraft): Promise<number> {
  if ([draft.to, draft.cc, draft.bcc].every((text) => text.trim() === ''))
    throw new PlatformError('MISSING_PARAMETER', { field: 'ToAddress', message: 'Enter at least one recipient.' });
  const attached = [...draft.attachmentIds, ...(await storeFile(call, draft))].map(Number);
  // Unchanged, the text is that of the template, with its formatting.
  const isOwn = draft.template === '' || draft.merged === '' || draft.body.trim() !== draft.merged.trim();
  const { id } = await call.callOnce(draft.key, 'message/generate', {
    ...(draft.objectId !== '' && { Object: draft.object, ObjectID: Number(draft.objectId) }),
    ...(draft.template !== '' && { Template: draft.template }),
    ...(draft.parent !== '' && { ParentMessageID: Number(draft.parent) }),
    ...(draft.to !== '' && { ToAddress: draft.to }),
    ...(draft.cc !== '' && { CcAddress: draft.cc }),
    ...(draft.bcc !== '' && { BccAddress: draft.bcc }),
    Subject: draft.subject,
    ...(isOwn && { BodyText: draft.body }),
    ...(attached.length > 0 && { AttachmentID: attached }),
    SecureDelivery: draft.isSecure,
    // The form has the recipients of the template, as far as the user left them.
    DefaultRecipients: false,
  });
  return id;
}

/** Stores the file that a form without script sent, as a document of the record. */
async function storeFile(call: PageCall, { object, objectId }: MailDraft): Promise<readonly string[]> {
  const { Content, FileName } = call.form;
  if (typeof Content !== 'string' || Content === '' || plainText(FileName) === '' || objectId === '') return [];
  const saved = await call.call('attachment/save', {
    Content,
    FileName: plainText(FileName),
    Object: object,
    ObjectID: objectId,
  } as never);
  return [String((saved.answer as unknown as { row: { AttachmentID: number } }).row.AttachmentID)];
}

async function composeAnswer(call: PageCall, draft: MailDraft, refused?: PlatformError): Promise<ShownPage> {
  const data = await readComposeData(call, draft);
  const reference = { Object: draft.object, ObjectID: draft.objectId === '' ? null : Number(draft.objectId) };
  const [cases, people] = await Promise.all([
    reference.ObjectID === null ? undefined : loadItemCases(call, [reference]),
    loadPeople(call, data.thread?.messages.map(({ row }) => row.CreatedPersonID) ?? []),
  ]);
  const about = cases?.get(caseKey(reference));
  const answerTitle = draft.subject.startsWith('Fwd') ? 'Forward' : 'Reply';
  const title = draft.parent === '' ? 'New message' : answerTitle;
  const path = composePath({ Object: draft.object, ObjectID: draft.objectId });
  return {
    title,
    place: 'messages',
    crumbs: [{ text: 'Messages', href: INBOX_PATH }, { text: title }],
    entries: ['messages', 'case'],
    status: refused?.status ?? 200,
    body: html`<div class="page ${data.thread ? 'wide' : 'narrow'} compose-page"><div class="page-head"><div
 class="grow"><h1>${title}</h1>
${
  about &&
  html`<p class="soft small"><bdi>${about.name}</bdi> <span
 class="muted"><bdi>${about.place}</bdi></span></p>`
}</div></div>
<div class="compose-columns"><section class="composer" aria-label="Write">${composeForm(call, {
      draft,
      data,
      refused,
      isChosen: true,
    })}</section>
${
  data.thread &&
  html`<section class="compose-thread"
 aria-label="Conversation">${threadView(call, data.thread, { path, people, canAnswer: false })}</section>`
}
</div></div>`,
  };
}

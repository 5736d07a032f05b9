import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { toast } from '../design/toast.ts';
import { csrfField } from '../layout.ts';
import { newMailingPath } from '../mailings/mail-link.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';

/** Most documents of one change: each is a call of its own. */
const DOCUMENTS_MAX = 200;

/** Does what the pressed button says with the ticked documents, each by a call of its own. */
export const changeDocuments = page(async (call) => {
  const ids = plainTexts(call.form['ID'])
    .flatMap((text) => text.split(','))
    .filter((id) => /^\d{1,15}$/.test(id));
  const back = pathOf(plainText(call.form['Path']));
  const action = plainText(call.form['Action']);
  if (ids.length === 0) return refused(back, 'Tick the documents first. Nothing was changed.', 400);
  if (ids.length > DOCUMENTS_MAX)
    return refused(back, `Tick at most ${DOCUMENTS_MAX} documents. Nothing was changed.`, 400);
  if (action === 'zip' || action === 'pdf')
    return { redirectTo: `/api/attachment/combine?ID=${ids.join(',')}&As=${action === 'pdf' ? 'Pdf' : 'Zip'}` };
  if (action === 'mail') return { redirectTo: newMailingPath(ids) };
  const { done, failures } = await changeEach(call, ids, action);
  if (failures.length > 0)
    return refused(back, html`${done.length} of ${ids.length} documents were changed. ${failures[0]}`, 422);
  return {
    redirectTo: `${back}?${new URLSearchParams({ tab: 'documents', did: action, of: done.join(',') }).toString()}`,
  };
});

async function changeEach(
  call: PageCall,
  ids: readonly string[],
  action: string,
): Promise<{ readonly done: readonly string[]; readonly failures: readonly string[] }> {
  const done: string[] = [];
  const failures: string[] = [];
  for (const id of ids)
    try {
      await changeOne(call, id, action);
      done.push(id);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.status >= 500) throw error;
      failures.push(error.masked().message);
    }
  return { done, failures };
}

async function changeOne(call: PageCall, id: string, action: string): Promise<void> {
  switch (action) {
    case 'move':
      await call.call('attachment/save', { ID: id, AttachmentTemplateID: plainText(call.form['TypeID']) });
      return;
    case 'delete':
      await call.call('attachment/delete', { ID: id });
      return;
    case 'restore':
      await call.call('attachment/undelete', { ID: id });
      return;
    default:
      throw new PlatformError('BAD_PARAMETER', { field: 'Action', message: 'Choose what to do with the documents.' });
  }
}

/** Only back to a page of a case of this server. */
function pathOf(path: string): string {
  return /^\/case\/[a-z]+\/\d+$/.test(path) ? path : '/records/attachment';
}

function refused(back: string, text: Markup | string, status: number): PageAnswer {
  return {
    title: 'Documents',
    place: 'none',
    status,
    body: html`<div class="page narrow"><h1>Documents</h1>
${banner({ tone: 'danger', role: 'alert', text })}
<p>${buttonLink({ text: 'Back', href: `${back}?tab=documents` })}</p></div>`,
  };
}

/** Returns what was just done with documents, as the address says, with the way back. */
export function documentToasts(call: PageCall, path: string): readonly Markup[] {
  const done = plainText(call.query['did']);
  const ids = plainText(call.query['of'])
    .split(',')
    .filter((id) => /^\d{1,15}$/.test(id));
  const verb = { move: 'moved', delete: 'deleted', restore: 'restored' }[done];
  if (verb === undefined || ids.length === 0) return [];
  const undo =
    done === 'delete' &&
    call.may('attachment/undelete') &&
    html`<form method="post" action="/documents/bulk">${csrfField(call)}${hiddenField('ID', ids.join(','))}
${hiddenField('Path', path)}${button({
      text: 'Undo',
      name: 'Action',
      value: 'restore',
      attributes: html`data-key="z"`,
    })}</form>`;
  return [toast({ text: `${ids.length === 1 ? '1 document' : `${ids.length} documents`} ${verb}`, undo })];
}

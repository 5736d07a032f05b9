import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';

/** Tests a mail house and says what came of it: a failure on a page of its own, which shows no text of the address. */
export const testMailHouse = page(async (call): Promise<PageAnswer> => {
  const id = recordIdFromPath(call);
  const { answer } = await call.call('mailhouse/test', { ID: id });
  const { Status, Message } = answer.row;
  const path = `/records/mailhouse/${id}`;
  if (Status === 'Works') return { redirectTo: `${path}?done=works` };
  const record = call.platform.registry.recordType('MailHouse');
  return {
    title: 'Test failed',
    place: 'records',
    crumbs: [
      { text: record.titlePlural, href: '/records/mailhouse' },
      { text: `${record.title} ${id}`, href: path },
      { text: 'Test' },
    ],
    body: html`<div class="page narrow"><h1>Test failed</h1>
${banner({ tone: 'danger', role: 'alert', text: html`<bdi>${Message ?? 'The server does not respond.'}</bdi>` })}
<div class="row">${testButton(call, record, id)}${buttonLink({
      text: 'Back to the mail house',
      kind: 'quiet',
      href: path,
    })}</div></div>`,
  };
});

/** Renders the button that tests a mail house; nothing on other records. */
export function testButton(call: PageCall, record: RecordType, id: number): Markup | false {
  return (
    record.name === 'MailHouse' &&
    call.may('mailhouse/test') &&
    html`<form method="post" action="/mail-houses/${id}/test">${csrfField(call)}${button({ text: 'Test' })}</form>`
  );
}

import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';

/** Tests a mail house and says on its page what came of it. */
export const testMailHouse = page(async (call) => {
  const id = recordIdFromPath(call);
  const { answer } = await call.call('mailhouse/test', { ID: id });
  const { Status, Message } = answer.row;
  const query = new URLSearchParams(
    Status === 'Works' ? { done: 'works' } : { problem: (Message ?? 'The server does not respond.').slice(0, 400) },
  );
  return { redirectTo: `/records/mailhouse/${id}?${query.toString()}` };
});

/** Renders the button that tests a mail house; nothing on other records. */
export function testButton(call: PageCall, record: RecordType, id: number): Markup | false {
  return (
    record.name === 'MailHouse' &&
    call.may('mailhouse/test') &&
    html`<form method="post" action="/mail-houses/${id}/test">${csrfField(call)}${button({ text: 'Test' })}</form>`
  );
}

/** Says on a mail house why its test failed. */
export function mailHouseProblem(call: PageCall, record: RecordType): Markup | false {
  const problem = plainText(call.query['problem']).slice(0, 400);
  return (
    record.name === 'MailHouse' &&
    problem !== '' &&
    banner({ tone: 'danger', role: 'alert', text: `Test failed. ${problem}` })
  );
}

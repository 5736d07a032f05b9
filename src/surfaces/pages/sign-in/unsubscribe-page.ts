import { html } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { readForm, type Page } from '../page.ts';
import { callPublic, respond } from '../public-page.ts';
import { entryFrame } from './entry-frame.ts';

/** Largest form of this page. Mail programs send `List-Unsubscribe=One-Click`. */
const FORM_BYTES_MAX = 16 * 1024;

/** Shows what the link of a bulk mail leads to. It only asks, because programs that scan mail follow links too. */
export const unsubscribePage: Page = (platform, request, reply) =>
  respond(platform, request, reply, {
    make: () =>
      Promise.resolve({
        title: 'Unsubscribe',
        body: entryFrame(html`<h1>Unsubscribe</h1>
<p class="soft">We will stop sending you emails of this kind. You still get emails about your own case.</p>
<form method="post">
${button({ text: 'Unsubscribe', kind: 'primary', attributes: html`autofocus` })}
</form>`),
      }),
  });

/** Unsubscribes by the token in the address: a person's form, or the one click of a mail program (RFC 8058). */
export const unsubscribe: Page = (platform, request, reply) =>
  respond(platform, request, reply, {
    make: async () => {
      await readForm(request, FORM_BYTES_MAX);
      const { token = '' } = request.params as Readonly<Record<string, string>>;
      await callPublic(platform, request, 'mailsuppression/unsubscribe', { Token: token });
      return {
        title: 'Unsubscribed',
        body: entryFrame(html`<h1>Unsubscribed</h1>
<p class="soft">You will get no more emails of this kind. You can close this page.</p>`),
      };
    },
  });

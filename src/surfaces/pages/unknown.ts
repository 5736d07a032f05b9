import { html } from '../../kernel/render/markup.ts';
import { sessionTokenOf } from '../shared/session-cookie.ts';
import { layout } from './layout.ts';
import { alertNote } from './notes.ts';
import { page, sendPage, type Page } from './page.ts';

const answer = {
  title: 'Not found',
  body: html`<h1>Not found</h1>
${alertNote('There is no page at this address. It may be mistyped or out of date.')}
<p><a href="/">Go to home</a></p>`,
  status: 404,
};

const forUsers = page(() => Promise.resolve(answer));

/**
 * Answers requests for unknown addresses: browsers get a page with a link home, other clients a line of text. Visitors
 * who are not signed in are not asked to sign in, since that would not help.
 */
export const unknownPage: Page = async (platform, request, reply) => {
  if (request.headers.accept?.includes('text/html') !== true) reply.callNotFound();
  else if (sessionTokenOf(request.headers.cookie, request.protocol === 'https') !== undefined)
    await forUsers(platform, request, reply);
  else sendPage(reply, await layout(answer), 404);
};

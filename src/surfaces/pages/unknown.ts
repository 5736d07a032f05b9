import { PlatformError } from '../../kernel/door/errors.ts';
import { sessionTokenOf } from '../shared/session-cookie.ts';
import { errorPage, errorTitle } from './error-page.ts';
import { layout } from './layout.ts';
import type { ShownPage } from './page-call.ts';
import { page, sendPage, type Page } from './page.ts';

const error = new PlatformError('NOT_FOUND', {
  message: 'There is no page at this address. It may be mistyped or out of date.',
});

const answerFor = (isSignedIn: boolean): ShownPage => ({
  title: errorTitle(error),
  place: 'none',
  body: errorPage({ error, isSignedIn }),
  status: 404,
});

const forUsers = page(() => Promise.resolve(answerFor(true)));

/**
 * Answers requests for unknown addresses: browsers get a page with a link home, other clients a line of text. Visitors
 * who are not signed in are not asked to sign in, since that would not help.
 */
export const unknownPage: Page = async (platform, request, reply) => {
  if (request.headers.accept?.includes('text/html') !== true) reply.callNotFound();
  else if (sessionTokenOf(request.headers.cookie, request.protocol === 'https') !== undefined)
    await forUsers(platform, request, reply);
  else sendPage(reply, await layout(answerFor(false)), 404);
};

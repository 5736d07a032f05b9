import { sessionCookie, sessionTokenOf } from '../shared/browser-session.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { parameter, parametersFromQuery, type Parameters } from '../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { errorNote } from './error.ts';
import { layout } from './layout.ts';
import { readForm, sendPage, sendRedirect, type Page } from './page.ts';
import { isRegistrationOpen } from './registration.ts';

/** Anybody may send one: a name, a password, and where to go. */
const SIGN_IN_BYTES_MAX = 16 * 1024;

/** The page that asks for name and password. */
export const signInPage: Page = async (platform, request, reply) => {
  const stale = platform.settings.fresh();
  // Without the store it shows what was last known.
  if (stale) await stale.catch(() => undefined);
  const { url = '/' } = request.raw;
  const query = parametersFromQuery(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  sendPage(
    reply,
    layout({
      title: 'Sign in',
      body: signInBody({
        returnTo: localPath(parameter(query, 'returnTo')),
        name: '',
        mayRegister: isRegistrationOpen(platform),
      }),
    }),
    200,
  );
};

/** Takes name and password, gives the browser a new session, and sends it to where it wanted to go. */
export const signIn: Page = async (platform, request, reply) => {
  let form: Parameters = {};
  try {
    const stale = platform.settings.fresh();
    if (stale) await stale;
    form = await readForm(request, SIGN_IN_BYTES_MAX);
    const name = parameter(form, 'Name');
    const password = parameter(form, 'Password');
    if (typeof name !== 'string' || typeof password !== 'string' || name === '' || password === '')
      throw new PlatformError('MISSING_PARAMETER', { message: 'Enter your name and your password.' });
    const opened = await platform.identity.signIn(name, password, {
      address: request.ip,
      agent: request.headers['user-agent'] ?? '',
    });
    // What the browser was signed in as before ends here; nobody can have chosen the new token.
    const before = sessionTokenOf(request.headers.cookie, request.protocol === 'https');
    if (before !== undefined) await platform.identity.signOut(before, request.ip);
    void reply.header('Set-Cookie', sessionCookie(opened.token, request.protocol === 'https'));
    sendRedirect(reply, localPath(parameter(form, 'returnTo')));
  } catch (error) {
    const known = error instanceof PlatformError ? error.masked() : new PlatformError('INTERNAL');
    if (known.code === 'INTERNAL')
      platform.log.error('sign-in failed', { error: error instanceof Error ? error.name : typeof error });
    const retryAfter = known.details?.['RetryAfterSeconds'];
    if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
    const name = parameter(form, 'Name');
    sendPage(
      reply,
      layout({
        title: 'Sign in',
        body: signInBody({
          returnTo: localPath(parameter(form, 'returnTo')),
          name: typeof name === 'string' ? name : '',
          error: known,
          mayRegister: isRegistrationOpen(platform),
        }),
      }),
      known.status,
    );
  }
};

/** Ends the session; the browser forgets its cookie whether or not it still stood. */
export const signOut: Page = async (platform, request, reply) => {
  const token = sessionTokenOf(request.headers.cookie, request.protocol === 'https');
  // Another site could at most sign somebody out; even that takes a page of ours.
  const isOurs = await readForm(request, SIGN_IN_BYTES_MAX).then(
    () => true,
    () => false,
  );
  if (token !== undefined && isOurs) {
    await platform.identity.signOut(token, request.ip);
    void reply.header('Set-Cookie', sessionCookie(undefined, request.protocol === 'https'));
  }
  sendRedirect(reply, isOurs ? '/signin' : '/');
};

/**
 * The path of this server to go to after signing in; anything that could lead elsewhere becomes the start page. Browsers read
 * a backslash as a slash and drop line ends, so such paths are not taken.
 */
function localPath(sent: unknown): string {
  if (typeof sent !== 'string' || !/^\/(?![/\\])[^\\\u0000-\u0020\u007f]*$/.test(sent) || sent.length > 2_000)
    return '/';
  const base = 'http://casewright.invalid';
  const url = URL.canParse(sent, base) ? new URL(sent, base) : undefined;
  // Dots are taken out of a path when it is read, and may leave two slashes at its beginning.
  if (url?.origin !== base || /^\/(\/|sign(in|out)\b)/.test(url.pathname)) return '/';
  return url.pathname + url.search;
}

function signInBody({
  returnTo,
  name,
  error,
  mayRegister,
}: {
  readonly returnTo: string;
  readonly name: string;
  readonly error?: PlatformError;
  readonly mayRegister: boolean;
}): Markup {
  return html`<h1>Sign in</h1>
${error && errorNote(error)}
${error?.code === 'NOT_SIGNED_IN' && mayRegister && html`<p>You registered just now? First follow the link in the mail that you got.</p>`}
<form class="stacked" method="post" action="/signin">
<input type="hidden" name="returnTo" value="${returnTo}">
<p><label for="name">Name</label><input id="name" name="Name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" required${name === '' && html` autofocus`}></p>
<p><label for="password">Password</label><input id="password" name="Password" type="password" autocomplete="current-password" required${name !== '' && html` autofocus`}></p>
<p><button>Sign in</button></p>
</form>
${mayRegister && html`<p><a href="/register">Register</a></p>`}
<p class="quiet">Programs sign each call instead, with an API key in <code>X-ApiKey</code> or by HTTP Basic. Whether the server is well is told at <a href="/api/healthcheck">/api/healthcheck</a>.</p>`;
}

import type { FastifyRequest } from 'fastify';
import type { Platform } from '../../../kernel/ports/platform.ts';
import { deviceCookie, deviceOf, sessionCookie, sessionTokenOf } from '../../shared/session-cookie.ts';
import type { Preferences } from '../../../kernel/security/preferences.ts';
import { firstSteps } from '../../../kernel/declare/core-settings.ts';
import { startPath } from '../shell/places.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { parameter, parametersFromQuery, type Parameters } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { errorNote, flashNote } from '../notes.ts';
import { entryFrame } from './entry-frame.ts';
import { layout } from '../layout.ts';
import { logIfForged, readForm, sendPage, sendRedirect, type Page } from '../page.ts';
import { isRegistrationOpen } from './registration.ts';

/** Largest sign-in form: a name, a password and a path. Anyone may send one. */
const SIGN_IN_BYTES_MAX = 16 * 1024;

/** Asks for a name and password. */
export const signInPage: Page = async (platform, request, reply) => {
  const stale = platform.settings.fresh();
  // If the database cannot be read, the last known settings are used.
  if (stale) await stale.catch(() => undefined);
  const { url = '/' } = request.raw;
  const query = parametersFromQuery(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const hasEnded = parameter(query, 'returnTo') !== undefined && (await hasKnownSession(platform, request));
  sendPage(
    reply,
    await layout({
      title: 'Sign in',
      place: 'none',
      body: signInBody({
        returnTo: localPath(parameter(query, 'returnTo')),
        name: '',
        done: parameter(query, 'done') ?? (hasEnded ? 'ended' : undefined),
        mayRegister: isRegistrationOpen(platform),
        isDemo: platform.settings.get(firstSteps) === 'Demo',
      }),
    }),
    200,
  );
};

/**
 * Whether the browser has the cookie of a session of this installation. A page has sent it here, so the session has
 * ended. The cookie may also be that of another installation on this machine: cookies do not depend on the port.
 */
function hasKnownSession({ identity }: Platform, request: FastifyRequest): Promise<boolean> {
  const token = sessionTokenOf(request.headers.cookie, request.protocol === 'https');
  return token === undefined ? Promise.resolve(false) : identity.isSessionToken(token).catch(() => false);
}

/** Checks name and password, opens a new session and redirects to the page that was requested. */
export const signIn: Page = async (platform, request, reply) => {
  let form: Parameters = {};
  try {
    const stale = platform.settings.fresh();
    if (stale) await stale;
    form = await readForm(request, SIGN_IN_BYTES_MAX);
    const name = parameter(form, 'Name');
    const password = parameter(form, 'Password');
    if (typeof name !== 'string' || typeof password !== 'string' || name === '' || password === '')
      throw new PlatformError('MISSING_PARAMETER', { message: 'Enter your name and password.' });
    const isSecure = request.protocol === 'https';
    const opened = await platform.identity.signIn(name, password, {
      address: request.ip,
      device: deviceOf(request.headers.cookie, isSecure),
      agent: request.headers['user-agent'] ?? '',
    });
    // The session that the browser had before ends here; the new token is random, so it cannot have been planted.
    const before = sessionTokenOf(request.headers.cookie, isSecure);
    if (before !== undefined) await platform.identity.signOut(before, request.ip);
    void reply.header('Set-Cookie', [sessionCookie(opened.token, isSecure), deviceCookie(opened.device, isSecure)]);
    sendRedirect(reply, pathAfter(form, opened.preferences));
  } catch (error) {
    await logIfForged(platform, request, { error });
    const known = error instanceof PlatformError ? error.masked() : new PlatformError('INTERNAL');
    if (known.code === 'INTERNAL')
      platform.log.error('sign-in failed', { error: error instanceof Error ? error.name : typeof error });
    const retryAfter = known.details?.['RetryAfterSeconds'];
    if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
    const name = parameter(form, 'Name');
    sendPage(
      reply,
      await layout({
        title: 'Sign in',
        place: 'none',
        body: signInBody({
          returnTo: localPath(parameter(form, 'returnTo')),
          name: typeof name === 'string' ? name : '',
          error: known,
          mayRegister: isRegistrationOpen(platform),
          isDemo: platform.settings.get(firstSteps) === 'Demo',
        }),
      }),
      known.status,
    );
  }
};

/** Ends the session and deletes the browser's cookie, whether or not the session was still open. */
export const signOut: Page = async (platform, request, reply) => {
  const token = sessionTokenOf(request.headers.cookie, request.protocol === 'https');
  // Another site could at most sign a user out; even that is refused.
  const isOurs = await readForm(request, SIGN_IN_BYTES_MAX).then(
    () => true,
    (error: unknown) => logIfForged(platform, request, { error }).then(() => false),
  );
  if (token !== undefined && isOurs) {
    await platform.identity.signOut(token, request.ip);
    void reply.headers({
      'Set-Cookie': sessionCookie(undefined, request.protocol === 'https'),
      // Not cookies: the browser stays known, so that nobody else can lock its user out.
      'Clear-Site-Data': '"cache", "storage"',
    });
  }
  sendRedirect(reply, isOurs ? '/signin' : '/');
};

/** Returns where to go after signing in: the page that was requested, or where the user has chosen to begin. */
function pathAfter(form: Parameters, preferences: Preferences): string {
  const path = localPath(parameter(form, 'returnTo'));
  return path === '/' ? startPath(preferences) : path;
}

/**
 * Returns the path to go to after signing in, or the home page for anything that could lead to another site. Browsers
 * read a backslash as a slash and drop line ends, so paths with these are rejected.
 */
function localPath(sent: unknown): string {
  if (typeof sent !== 'string' || !/^\/(?![/\\])[^\\\u0000-\u0020\u007f]*$/.test(sent) || sent.length > 2_000)
    return '/';
  const base = 'http://casewright.invalid';
  const url = URL.canParse(sent, base) ? new URL(sent, base) : undefined;
  // Parsing removes dot segments, which can leave two slashes at the start.
  if (url?.origin !== base || /^\/(\/|sign(in|out)\b)/.test(url.pathname)) return '/';
  return url.pathname + url.search;
}

/** What the sign-in page shows. `name`: what was entered before a refusal. */
interface SignInContent {
  readonly returnTo: string;
  readonly name: string;
  readonly error?: PlatformError;
  /** What led here, as the address names it. */
  readonly done?: unknown;
  readonly mayRegister: boolean;
  /** Whether the installation is the demo. */
  readonly isDemo: boolean;
}

const doneTexts: ReadonlyMap<string, string> = new Map([
  ['password', 'Your password was changed. Sign in with the new one.'],
  ['ended', 'Your session has ended. Sign in to continue where you were.'],
]);

const demoNote = html`<p class="prose soft">This is a demo. The server printed who can sign in, with passwords, when it
first started. <a href="/signin?returnTo=/welcome">Begin with the first steps</a></p>`;

function signInBody({ returnTo, name, error, done, mayRegister, isDemo }: SignInContent): Markup {
  const focus = (isFirst: boolean): Markup | false => isFirst && html` autofocus`;
  return entryFrame(html`<h1>Sign in</h1>
${flashNote(doneTexts, done)}
${error && errorNote(error)}
${
  error?.code === 'NOT_SIGNED_IN' &&
  mayRegister &&
  html`<p class="soft">Did you just register? First open the link in the email that we sent you.</p>`
}
<form method="post" action="/signin">
${hiddenField('returnTo', returnTo)}
${textField({
  label: 'Name',
  name: 'Name',
  id: 'name',
  value: name,
  isRequired: true,
  attributes: html`autocomplete="username" autocapitalize="none" spellcheck="false"${focus(name === '')}`,
})}
${textField({
  label: 'Password',
  name: 'Password',
  id: 'password',
  type: 'password',
  isRequired: true,
  attributes: html`autocomplete="current-password"${focus(name !== '')}`,
})}
${button({ text: 'Sign in', kind: 'primary' })}
</form>
<p class="soft">Forgot your password? Ask your administrator for a new one.</p>
${mayRegister && html`<p class="prose soft">New here? <a href="/register">Register</a></p>`}
${isDemo && demoNote}`);
}

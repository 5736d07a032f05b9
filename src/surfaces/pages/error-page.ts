import type { PlatformError } from '../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../kernel/render/markup.ts';
import { buttonLink } from './design/button.ts';
import { icon, type IconName } from './design/icons.ts';

/** A failed request of a page. */
export interface FailedRequest {
  readonly error: PlatformError;
  readonly correlationId?: string | undefined;
  /** The address, if asking for it again may help: of a page that was read, not of a form that was sent. */
  readonly retry?: string | undefined;
  /** Whether the user is signed in. */
  readonly isSignedIn: boolean;
}

/** What an error page says: what happened, what is safe, and what to do. */
interface ErrorWords {
  readonly icon: IconName;
  readonly title: string;
  readonly happened: HtmlValue;
  readonly safe: string;
  readonly next: HtmlValue;
}

/** Returns the title of a failure's page. */
export function errorTitle(error: PlatformError): string {
  return wordsOf({ error, isSignedIn: true }).title;
}

/** Renders a whole page for a failure: what happened, what is safe, what to do, and what to quote. */
export function errorPage(failed: FailedRequest): Markup {
  const { error, correlationId, retry, isSignedIn } = failed;
  const words = wordsOf(failed);
  const again = retry !== undefined && isTemporary(error);
  return html`<div class="page narrow error-page">
<span class="error-mark${error.status >= 500 && ' broken'}">${icon(words.icon, 20)}</span>
<h1>${words.title}</h1>
<p class="lead">${words.happened}</p>
${error.alerts.length > 0 && html`<ul class="prose">${error.alerts.map(({ text }) => html`<li>${text}</li>`)}</ul>`}
<dl class="error-facts">
<div><dt>What is safe</dt><dd>${words.safe}</dd></div>
<div><dt>What to do</dt><dd>${words.next}</dd></div>
</dl>
<p class="row wrap">
${again && buttonLink({ href: retry, text: 'Try again', kind: 'primary', icon: 'refresh' })}
${
  isSignedIn
    ? buttonLink({ href: '/', text: 'Go to home', kind: again ? 'plain' : 'primary' })
    : buttonLink({ href: '/signin', text: 'Sign in', kind: again ? 'plain' : 'primary' })
}
</p>
${
  correlationId !== undefined &&
  html`<p class="muted small">If you ask for help, quote <code>${error.code}</code> and
<code class="reference">${correlationId}</code></p>`
}
</div>`;
}

function isTemporary({ status, code }: PlatformError): boolean {
  return status >= 500 || code === 'TOO_MANY' || code === 'CONCURRENT_CHANGE' || code === 'TOO_SLOW';
}

function wordsOf({ error, retry }: FailedRequest): ErrorWords {
  const { status, code, message } = error;
  const nothing = 'Nothing was changed.';
  if (code === 'CSRF_REFUSED')
    return {
      icon: 'lock',
      title: 'This form has expired',
      happened: 'The page was opened before you last signed in, or in another browser, so it was not accepted.',
      safe: `${nothing} What you entered is still in your browser: go back to see it.`,
      next: 'Go back, copy what you entered, reload the page and send it again.',
    };
  if (status === 404)
    return {
      icon: 'search',
      title: 'Not found',
      happened: message,
      safe: nothing,
      next: 'Check the address, or search for it. An administrator can restore deleted records.',
    };
  if (status === 403)
    return {
      icon: 'lock',
      title: "You don't have access",
      happened: message,
      safe: nothing,
      next: 'If your work needs it, ask an administrator and quote the lines below.',
    };
  if (code === 'TOO_MANY')
    return {
      icon: 'hold',
      title: 'Too many requests',
      happened: message,
      safe: 'This request was not carried out. Everything before it was.',
      next: waitText(error),
    };
  if (status === 503)
    return {
      icon: 'offline',
      title: 'Not available right now',
      happened: message,
      safe: 'This request was not carried out. Everything that was saved before is safe.',
      next: 'Wait a minute and try again. If it lasts, tell your administrator.',
    };
  if (status >= 500)
    return {
      icon: 'warning',
      title: 'Something went wrong',
      happened: 'The server met an error that it did not expect. The details are in its error log.',
      safe: retry === undefined ? 'The change was not saved.' : nothing,
      next: 'Try again. If it fails again, ask for help and quote the lines below.',
    };
  return {
    icon: 'warning',
    title: 'This was not accepted',
    happened: message,
    safe: nothing,
    next: 'Go back, correct it and send it again. What you entered is still there.',
  };
}

function waitText({ details }: PlatformError): string {
  const seconds = details?.['RetryAfterSeconds'];
  if (typeof seconds !== 'number') return 'Wait a minute and try again.';
  const minutes = Math.ceil(seconds / 60);
  return `Wait ${seconds < 90 ? `${Math.ceil(seconds)} seconds` : `${minutes} minutes`} and try again.`;
}

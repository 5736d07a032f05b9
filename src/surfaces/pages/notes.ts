import type { PlatformError } from '../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../kernel/render/markup.ts';

/** Renders a whole page for a failure: what went wrong, and what to quote to support. */
export function errorPageBody(error: PlatformError, correlationId: string): Markup {
  return html`<h1>${errorTitle(error)}</h1>
${errorNote(error)}
<p class="quiet">
  If you contact support, quote code <code>${error.code}</code> and correlation ID <code>${correlationId}</code>.
</p>
<p><a href="/">Go to home</a></p>`;
}

/** Returns the heading of a failure's page. */
export function errorTitle({ status }: PlatformError): string {
  if (status === 403) return "You don't have access";
  return status === 404 ? 'Not found' : 'Something went wrong';
}

/** Renders a failure inside a page: its message, field and warnings. Screen readers announce it. */
export function errorNote(error: PlatformError): Markup {
  return html`<div class="note refused" role="alert"><p>${error.message}</p>
${error.field !== undefined && !error.message.includes(error.field) && html`<p>Field: <code>${error.field}</code></p>`}
${
  error.code === 'CONFIRM_IDENTITY' &&
  html`<p><a href="/account/confirm" target="_blank">Confirm your password in a new tab</a></p>`
}
${error.alerts.length > 0 && html`<ul>${error.alerts.map((alert) => html`<li>${alert.text}</li>`)}</ul>`}</div>`;
}

/** Renders a confirmation, announced when the reader's screen reader is idle. `more` follows its first paragraph. */
export function statusNote(text: HtmlValue, more?: HtmlValue): Markup {
  return html`<div class="note" role="status"><p>${text}</p>${more}</div>`;
}

/** Renders a refusal that is not an error of an operation, announced at once. */
export function alertNote(text: HtmlValue, more?: HtmlValue): Markup {
  return html`<div class="note refused" role="alert"><p>${text}</p>${more}</div>`;
}

/** Renders the confirmation that the address names (`?done=saved`), or nothing. */
export function flashNote(messages: ReadonlyMap<string, string>, done: unknown): Markup | false {
  const text = typeof done === 'string' ? messages.get(done) : undefined;
  return text !== undefined && statusNote(text);
}

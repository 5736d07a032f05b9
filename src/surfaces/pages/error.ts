import type { PlatformError } from '../../kernel/door/errors.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';

/** What a page says of a failure: the message, the field, its remarks, and what to tell an administrator. */
export function errorBody(error: PlatformError, correlationId: string): Markup {
  return html`<h1>Not possible</h1>
${errorNote(error)}
<p class="quiet">Code <code>${error.code}</code>, correlation id <code>${correlationId}</code>.</p>
<p><a href="/">To the start page</a></p>`;
}

/** The same as a part of a page. It is announced to screen readers. */
export function errorNote(error: PlatformError): Markup {
  return html`<div class="note refused" role="alert"><p>${error.message}</p>
${error.field !== undefined && !error.message.includes(error.field) && html`<p>Field: <code>${error.field}</code></p>`}
${error.alerts.length > 0 && html`<ul>${error.alerts.map((alert) => html`<li>${alert.text}</li>`)}</ul>`}</div>`;
}

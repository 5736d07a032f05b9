import type { PlatformError } from '../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../kernel/render/markup.ts';
import { banner } from './design/banner.ts';

/** Renders a failure inside a page: its message, field and warnings. Screen readers announce it. */
export function errorNote(error: PlatformError): Markup {
  const field = error.field !== undefined && !error.message.includes(error.field);
  return banner({
    tone: 'danger',
    role: 'alert',
    text: error.message,
    more: html`${field && html`<p>Field: <code>${error.field}</code></p>`}${
      error.code === 'CONFIRM_IDENTITY' &&
      html`<p><a class="link" href="/account/confirm" target="_blank">Confirm your password in a new tab</a></p>`
    }${error.alerts.length > 0 && html`<ul>${error.alerts.map((alert) => html`<li>${alert.text}</li>`)}</ul>`}`,
  });
}

/** Renders a confirmation, announced when the reader's screen reader is idle. `more` follows its first paragraph. */
export function statusNote(text: HtmlValue, more?: HtmlValue): Markup {
  return banner({ tone: 'ok', role: 'status', text, ...(more === undefined ? {} : { more }) });
}

/** Renders a refusal that is not an error of an operation, announced at once. */
export function alertNote(text: HtmlValue, more?: HtmlValue): Markup {
  return banner({ tone: 'danger', role: 'alert', text, ...(more === undefined ? {} : { more }) });
}

/** Renders the confirmation that the address names (`?done=saved`), or nothing. */
export function flashNote(messages: ReadonlyMap<string, string>, done: unknown): Markup | false {
  const text = typeof done === 'string' ? messages.get(done) : undefined;
  return text !== undefined && statusNote(text);
}

/** Returns an error's message without the name of its field: the label beside it says that. */
export function sentenceFor(error: PlatformError): string {
  const text = error.masked().message;
  const start = `${error.field ?? ''}: `;
  const rest = text.startsWith(start) ? text.slice(start.length) : text;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

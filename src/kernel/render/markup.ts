import { escapeAttribute } from '../xml/element.ts';

/** Safe markup. Values are inserted only by {@link html}, which escapes them. */
export interface Markup {
  readonly markup: string;
}

/** A value in an HTML template: text, markup or a list of both. Null, undefined and false render nothing. */
export type HtmlValue = string | number | bigint | Markup | null | undefined | false | readonly HtmlValue[];

/**
 * Returns markup with values inserted. Text is escaped for content and for quoted attributes; markup is inserted as is.
 *
 * @example
 * html`<p class="${kind}">${text}</p>`
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup {
  let markup = parts[0] ?? '';
  for (let at = 0; at < values.length; at++) markup += toMarkup(values[at]) + (parts[at + 1] ?? '');
  return { markup };
}

function toMarkup(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeAttribute(value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return 'markup' in value ? value.markup : value.map(toMarkup).join('');
}

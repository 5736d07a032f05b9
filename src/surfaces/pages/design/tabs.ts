import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { count } from './badge.ts';

/** A tab: an address of its own. */
export interface Tab {
  readonly href: string;
  readonly text: HtmlValue;
  readonly count?: HtmlValue;
  readonly isCurrent: boolean;
  /** The key that opens it. */
  readonly key?: string;
}

/** Renders tabs. They are links, because each is a page that can be mailed. */
export function tabs(label: string, of: readonly Tab[]): Markup {
  const link = ({ href, text, count: number, isCurrent, key }: Tab): Markup => {
    const attributes = html`${isCurrent && html` aria-current="page"`}${key !== undefined && html` data-key="${key}"`}`;
    return html`<a href="${href}"${attributes}>${text}${number !== undefined && count(number)}</a>\n`;
  };
  return html`<nav class="tabs scroll" aria-label="${label}">${of.map(link)}</nav>`;
}

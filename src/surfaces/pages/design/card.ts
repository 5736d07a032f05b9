import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';

/** A panel with a title. */
export interface CardParts {
  /** Unique on the page; its title's id is `{id}-title`. */
  readonly id: string;
  readonly title: HtmlValue;
  /** Beside the title: how many, since when. */
  readonly note?: HtmlValue;
  /** At the end of the title's line: links and buttons. */
  readonly actions?: HtmlValue;
  readonly body: HtmlValue;
  /** More attributes of the section, such as `data-live`. */
  readonly attributes?: Markup | false;
}

/** Renders a panel with a frame. */
export function card(parts: CardParts): Markup {
  return section(parts, 'card');
}

/** Renders a panel without a frame, for the columns of a workspace. */
export function panel(parts: CardParts): Markup {
  return section(parts, 'panel');
}

function section({ id, title, note, actions, body, attributes = false }: CardParts, className: string): Markup {
  const more = attributes && html` ${attributes}`;
  return html`<section class="${className}" id="${id}" aria-labelledby="${id}-title"${more}>
<header><h2 id="${id}-title">${title}</h2>
${note !== undefined && note !== false && html`<span class="muted small cut">${note}</span>`}
${actions !== undefined && actions !== false && html`<div class="row end">${actions}</div>`}</header>
${body}
</section>`;
}

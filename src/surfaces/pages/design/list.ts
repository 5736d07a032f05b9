import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';

/** A line of a list that leads somewhere. Cells share the line's width as the list's class says. */
export interface ListLine {
  readonly href: string;
  readonly cells: readonly HtmlValue[];
}

/** Renders a list of links, one line each. `className` sets the columns. */
export function linkList(lines: readonly ListLine[], className = ''): Markup {
  const items = lines.map(
    ({ href, cells }) => html`<li><a href="${href}">${cells.map((cell) => html`<span>${cell}</span>`)}</a></li>\n`,
  );
  return html`<ul class="list ${className}">${items}</ul>`;
}

/** Renders names and values; those whose value is `undefined` or `false` are left out. */
export function facts(of: readonly (readonly [name: HtmlValue, value: HtmlValue])[], className = ''): Markup {
  const shown = of.filter(([, value]) => value !== undefined && value !== false);
  return html`<dl class="facts ${className}">${shown.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`,
  )}</dl>`;
}

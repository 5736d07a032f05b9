import { html, type HtmlValue, type Markup } from '../../kernel/render/markup.ts';

/** The head of a column: its text, or more. `isHidden`: only screen readers are given the text. */
export type ColumnHead =
  | string
  | { readonly text: HtmlValue; readonly isNumber?: boolean | undefined; readonly isHidden?: boolean };

/** What a table is made of. */
export interface DataTable {
  /** Names the table's scrolling region for screen readers. */
  readonly label: string;
  readonly caption?: string | undefined;
  readonly className?: string;
  readonly id?: string;
  /** More attributes of the table's body. */
  readonly body?: Markup;
  readonly heads: readonly (ColumnHead | false)[];
  readonly rows: readonly Markup[];
}

/** Renders a table that scrolls within itself. Heads that are `false` are left out. */
export function dataTable({ label, caption, className, id, body, heads, rows }: DataTable): Markup {
  const region = html`class="scroll" role="region" tabindex="0"${id !== undefined && html` id="${id}"`}`;
  return html`<div ${region} aria-label="${label}">
<table${className !== undefined && html` class="${className}"`}>
${caption !== undefined && html`<caption class="hidden">${caption}</caption>`}
<thead><tr>${heads.map((head) => head !== false && columnHead(head))}</tr></thead>
<tbody${body && html` ${body}`}>${rows}</tbody>
</table>
</div>`;
}

function columnHead(head: ColumnHead): Markup {
  const { text, isNumber = false, isHidden = false } = typeof head === 'string' ? { text: head } : head;
  const shown = isHidden ? html`<span class="hidden">${text}</span>` : text;
  return html`<th scope="col"${isNumber && html` class="number"`}>${shown}</th>`;
}

/** Renders names and values; those whose value is `undefined` or `false` are left out. */
export function factList(
  facts: readonly (readonly [name: HtmlValue, value: HtmlValue])[],
  className = 'fields',
): Markup {
  const shown = facts.filter(([, value]) => value !== undefined && value !== false);
  return html`<dl class="${className}">${shown.map(([name, value]) => fact(name, value))}</dl>`;
}

/** Renders one name with its value. `title`: the tooltip of the name. */
export function fact(name: HtmlValue, value: HtmlValue, title?: string): Markup {
  return html`<div><dt${title !== undefined && html` title="${title}"`}>${name}</dt><dd>${value}</dd></div>\n`;
}

/** Renders an option of a choice. */
export function option(value: string, text: string, isSelected: boolean): Markup {
  return html`<option value="${value}"${isSelected && html` selected`}>${text}</option>`;
}

/** Renders a hidden field of a form. */
export function hiddenField(name: string, value: string | number): Markup {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

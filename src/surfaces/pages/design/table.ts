import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { icon } from './icons.ts';

/** The head of a column. A `href` makes it a link that sorts by the column. */
export interface TableHead {
  readonly text: HtmlValue;
  readonly isNumber?: boolean;
  /** Only screen readers are given the text. */
  readonly isHidden?: boolean;
  readonly href?: string;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  readonly className?: string;
}

/** What a table is made of. */
export interface TableParts {
  /** Names the table, and its scrolling region, for screen readers. */
  readonly label: string;
  readonly heads: readonly (TableHead | string | false)[];
  /** `<tr>` elements. */
  readonly rows: readonly Markup[];
  readonly className?: string;
  readonly id?: string;
  readonly attributes?: Markup | false;
}

/** Renders a table that scrolls within itself, under a head that stays. Heads that are `false` are left out. */
export function table({ label, heads, rows, className, id, attributes = false }: TableParts): Markup {
  return html`<div class="table-scroll scroll" role="region" aria-label="${label}" tabindex="0"${
    id !== undefined && html` id="${id}"`
  }>
<table class="table${className !== undefined && ` ${className}`}"${attributes && html` ${attributes}`}>
<caption class="hidden">${label}</caption>
<thead><tr>${heads.map((head) => head !== false && headCell(head))}</tr></thead>
<tbody>${rows}</tbody>
</table>
</div>`;
}

function headCell(head: TableHead | string): Markup {
  if (typeof head === 'string') return html`<th scope="col">${head}</th>`;
  const { text, isNumber = false, isHidden = false, href, sorted, className } = head;
  const classes = [...(isNumber ? ['number'] : []), ...(className === undefined ? [] : [className])].join(' ');
  const shown = isHidden ? html`<span class="hidden">${text}</span>` : text;
  const arrow = sorted !== undefined && icon(sorted === 'ascending' ? 'arrowUp' : 'arrowDown', 12);
  return html`<th scope="col"${classes !== '' && html` class="${classes}"`}${
    sorted !== undefined && html` aria-sort="${sorted}"`
  }>${href === undefined ? shown : html`<a href="${href}">${shown}${arrow}</a>`}</th>`;
}

import { html, type Markup } from '../../../kernel/render/markup.ts';
import { groupDigits } from '../display-values.ts';

/** A page of a list. */
interface Turn {
  /** Rows before the page. */
  readonly start: number;
  /** Rows that the page shows, rows that a full page has, and rows of all pages. */
  readonly shown: number;
  readonly size: number;
  readonly count: number;
  /** Returns the address of the page that begins after so many rows. */
  readonly to: (start: number) => string;
}

/** Renders which rows of a list are shown, and the links to the pages before and after; nothing for a single page. */
export function pageTurn({ start, shown, size, count, to }: Turn): Markup | false {
  if (count <= size && start === 0) return false;
  const [from, until, all] = [start + 1, start + shown, count].map((each) => groupDigits(String(each)));
  return html`<nav class="page-turn" aria-label="Pages">
${shown > 0 && html`<span>${from} to ${until} of ${all}</span>`}
${start > 0 && html`<a href="${to(Math.max(0, start - size))}" rel="prev">Previous page</a>`}
${start + shown < count && html`<a href="${to(start + size)}" rel="next">Next page</a>`}
</nav>`;
}

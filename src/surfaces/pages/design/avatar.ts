import { html, type Markup } from '../../../kernel/render/markup.ts';

const COLORS = 6;

/** Renders a person's initials. Without `beside`, the name is for screen readers and the tooltip. */
export function avatar(name: string, beside = false): Markup {
  const label = beside ? html`aria-hidden="true"` : html`role="img" aria-label="${name}" title="${name}"`;
  return html`<span class="avatar color-${colorOf(name)}" ${label}>${initials(name)}</span>`;
}

/** Renders a person's initials and name. */
export function person(name: string): Markup {
  return html`<span class="row person">${avatar(name, true)}<bdi class="cut">${name}</bdi></span>`;
}

function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/).filter((word) => /^\p{L}/u.test(word));
  const [first = '?', ...others] = words;
  return `${firstLetter(first)}${firstLetter(others.at(-1) ?? '')}`.toUpperCase();
}

function firstLetter(word: string): string {
  return /^\P{M}\p{M}*/u.exec(word)?.[0] ?? '';
}

/** The same name always has the same color. */
function colorOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum % COLORS) + 1;
}

import { html, type Markup } from '../../../kernel/render/markup.ts';

/** Returns the words of what is searched. */
export function searchWords(text: string): readonly string[] {
  return text.split(/[\s,*]+/).filter((word) => word !== '');
}

/** Returns a pattern that finds the words where words of a text begin with them; undefined without words. */
export function wordPattern(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined;
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join('|')})`, 'giu');
}

/** Marks the words of a text where the words of a label begin with them. */
export function marked(label: string, text: string): Markup {
  const pattern = wordPattern(searchWords(text));
  if (!pattern) return html`${label}`;
  return html`${label.split(pattern).map((part, at) => (at % 2 === 1 ? html`<mark>${part}</mark>` : html`${part}`))}`;
}

import { foldWord, type Word } from './words.ts';
import type { Term } from './text-query.ts';

/** Where a text matches a query, in UTF-16 units. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

/** Stems of words, by word. */
export type Stems = ReadonlyMap<string, string>;

/**
 * Returns the words of a text whose stems decide whether they are hits: those that begin like a stem of the query. In
 * English a word and its stem begin with the same letter.
 */
export function wordsLikeStems(words: readonly Word[], terms: readonly Term[]): string[] {
  const initials = new Set(
    terms.flatMap((term) => (term.kind === 'word' && !term.isExcluded ? term.words.map((word) => word[0]) : [])),
  );
  return [...new Set(words.map(({ word }) => word).filter((word) => initials.has(word[0]) && /^[a-z]+$/.test(word)))];
}

/** Returns the hits of a query in the words of a text, in order and without overlaps. */
export function hitsIn(words: readonly Word[], terms: readonly Term[], stems: Stems): Hit[] {
  const hits: Hit[] = [];
  const required = terms.filter(({ isExcluded }) => !isExcluded);
  for (let at = 0; at < words.length; at++) {
    const length = Math.max(0, ...required.map((term) => lengthOfHit(words, at, term, stems)));
    if (length === 0) continue;
    hits.push({ start: words[at]?.start ?? 0, end: words[at + length - 1]?.end ?? 0 });
    at += length - 1;
  }
  return hits;
}

/** Returns how many words, from one on, are a hit of a term; 0 if none. */
function lengthOfHit(words: readonly Word[], at: number, term: Term, stems: Stems): number {
  const [requested = ''] = term.words;
  if (term.kind === 'word') return isForm(words[at]?.word ?? '', requested, stems) ? 1 : 0;
  if (term.kind === 'prefix') return beginningLength(words, at, term.words);
  if (isSequence(words, at, term.words)) return term.words.length;
  return term.kind === 'identifier' ? joinedLength(words, at, term.words.join(''), false) : 0;
}

function isForm(word: string, requested: string, stems: Stems): boolean {
  return word === requested || stemOf(word, stems) === stemOf(requested, stems);
}

/** Returns how many words match a term, the last of which may match as a prefix. */
function beginningLength(words: readonly Word[], at: number, requested: readonly string[]): number {
  const before = requested.slice(0, -1);
  const last = words[at + before.length]?.word;
  const isBeginning = last?.startsWith(requested.at(-1) ?? '') === true && isSequence(words, at, before);
  return isBeginning ? requested.length : joinedLength(words, at, requested.join(''), true);
}

function stemOf(word: string, stems: Stems): string {
  return stems.get(word) ?? word;
}

function isSequence(words: readonly Word[], at: number, sequence: readonly string[]): boolean {
  return sequence.every((word, index) => words[at + index]?.word === word);
}

/** Returns how many words that follow each other directly make up an identifier, or begin with it. */
function joinedLength(words: readonly Word[], at: number, joined: string, isPrefix: boolean): number {
  const whole = foldWord(joined);
  let text = '';
  for (let next = at; next < words.length; next++) {
    const word = words[next];
    if (!word || (next > at && word.start - (words[next - 1]?.end ?? 0) > 2)) return 0;
    text += word.word;
    if (text === whole || (isPrefix && text.startsWith(whole))) return next - at + 1;
    if (!whole.startsWith(text)) return 0;
  }
  return 0;
}

/** Characters of a snippet, and how far its beginning may be moved to that of a word. */
const SNIPPET_CHARACTERS = 220;
const BEFORE_HIT = 70;
const WORD_SLACK = 25;

/** A part of a text around its hits. */
export interface Snippet {
  /** Pieces in order; those with `isHit` are marked. */
  readonly pieces: readonly { readonly text: string; readonly isHit: boolean }[];
}

/** Returns the part of a text with most hits, or its beginning if it has none. */
export function snippetOf(text: string, hits: readonly Hit[]): Snippet {
  const { start, end } = bestWindow(text, hits);
  const pieces: { text: string; isHit: boolean }[] = [];
  const add = (piece: string, isHit: boolean): void => {
    const shown = piece.replace(/\s+/g, ' ').toWellFormed();
    if (shown !== '') pieces.push({ text: shown, isHit });
  };
  let at = start;
  if (start > 0) add('… ', false);
  for (const hit of hits) {
    if (hit.start < start || hit.end > end) continue;
    add(text.slice(at, hit.start), false);
    add(text.slice(hit.start, hit.end), true);
    at = hit.end;
  }
  add(text.slice(at, end), false);
  if (end < text.length) add(' …', false);
  return { pieces };
}

function bestWindow(text: string, hits: readonly Hit[]): Hit {
  let best: { readonly from: number; readonly count: number } = { from: 0, count: 0 };
  let last = 0;
  for (const [at, hit] of hits.entries()) {
    const from = Math.max(0, hit.start - BEFORE_HIT);
    while ((hits[last]?.end ?? Infinity) <= from + SNIPPET_CHARACTERS) last++;
    if (last - at > best.count || best.count === 0) best = { from, count: last - at };
  }
  const from = best.from === 0 ? 0 : wordStart(text, best.from);
  return { start: from, end: wordEnd(text, Math.min(text.length, from + SNIPPET_CHARACTERS)) };
}

function wordStart(text: string, from: number): number {
  const blank = text.slice(from, from + WORD_SLACK).search(/\s/);
  return blank === -1 ? from : from + blank + 1;
}

function wordEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const blank = text.slice(end, end + WORD_SLACK).search(/\s/);
  return blank === -1 ? end : end + blank;
}

/** Returns a snippet as HTML in which hits are within `<mark>`, and nothing else is markup. */
export function snippetMarkup({ pieces }: Snippet): string {
  return pieces.map(({ text, isHit }) => (isHit ? `<mark>${escapeMarkup(text)}</mark>` : escapeMarkup(text))).join('');
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character] ?? character);
}

/** Returns the pieces of a snippet that {@link snippetMarkup} has written. */
export function parseSnippet(markup: string): Snippet {
  const pieces = markup.split(/<mark>(.*?)<\/mark>/s).map((text, at) => ({ text: plainOf(text), isHit: at % 2 === 1 }));
  return { pieces: pieces.filter(({ text }) => text !== '') };
}

function plainOf(markup: string): string {
  return markup.replace(
    /&(?:amp|lt|gt|quot|#39);/g,
    (reference) => Object.entries(ESCAPED).find(([, escaped]) => escaped === reference)?.[0] ?? reference,
  );
}

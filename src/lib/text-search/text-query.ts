import { foldWord, joinIdentifier, wordsOf } from './words.ts';

/** Most words, phrases and identifiers of a query. */
const TERMS_MAX = 16;
/** Fewest characters before `*`: shorter beginnings match too many words. */
const PREFIX_CHARACTERS_MIN = 4;
/** Most words of a phrase. */
const PHRASE_WORDS_MAX = 32;

/** A part of a query; all parts must hold on a page. */
export interface Term {
  /**
   * `word`: in any grammatical form. `phrase`: these words, one after the other. `prefix`: words that begin with the
   * last one, after the others. `identifier`: these pieces, whatever is between them.
   */
  readonly kind: 'word' | 'phrase' | 'prefix' | 'identifier';
  /** Folded; at least one. */
  readonly words: readonly string[];
  readonly isExcluded: boolean;
}

/** What is wrong with a query; a sentence for people. */
export class BadQuery extends Error {
  override readonly name = 'BadQuery';
}

/** A minus, then a phrase in quotation marks, which may lack its end, or characters without blanks. */
const TERM = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/g;

/** Parses a query: words, "phrases", beginnings* and -exclusions. Throws {@link BadQuery}. */
export function parseQuery(text: string): Term[] {
  const plain = text.replace(/[“”„«»]/g, '"');
  const terms: Term[] = [];
  for (const [, minus, phrase, written] of plain.matchAll(TERM)) {
    const term = phrase === undefined ? writtenTerm(written ?? '') : phraseTerm(phrase);
    if (term) terms.push({ ...term, isExcluded: minus === '-' });
  }
  if (terms.length > TERMS_MAX) throw new BadQuery(`expected at most ${TERMS_MAX} words and phrases`);
  if (!terms.some(({ isExcluded }) => !isExcluded))
    throw new BadQuery(terms.length === 0 ? 'expected at least one word' : 'expected a word that documents must have');
  return terms;
}

function phraseTerm(phrase: string): Omit<Term, 'isExcluded'> | undefined {
  const words = wordsOf(phrase).map(({ word }) => word);
  return words.length === 0 ? undefined : { kind: 'phrase', words: words.slice(0, PHRASE_WORDS_MAX) };
}

function writtenTerm(written: string): Omit<Term, 'isExcluded'> | undefined {
  const isPrefix = written.endsWith('*');
  const words = wordsOf(written).map(({ word }) => word);
  if (words.length === 0) return undefined;
  if (isPrefix) {
    if (words.join('').length < PREFIX_CHARACTERS_MIN)
      throw new BadQuery(`expected at least ${PREFIX_CHARACTERS_MIN} letters or digits before *`);
    return { kind: 'prefix', words };
  }
  if (words.length === 1) return { kind: 'word', words };
  return { kind: joinIdentifier(written) === undefined ? 'phrase' : 'identifier', words };
}

/** Returns the words whose stems a query needs. */
export function wordsToStem(terms: readonly Term[]): string[] {
  return terms.flatMap(({ kind, words }) => (kind === 'word' ? words : [])).filter((word) => /^[a-z]+$/.test(word));
}

/** A query in PostgreSQL's notation. */
export interface IndexQuery {
  /** What the index tests, all of it, without the order of words. It skips most of a frequent one for a rare one. */
  readonly tested: readonly string[];
  /** What is tested on the pages that the index finds. */
  readonly exact: string;
  /** Two words each, divided by a blank, that must follow each other. */
  readonly pairs: readonly string[];
  /** What words begin with in `tested`. */
  readonly beginnings: readonly string[];
}

/** Returns the queries for the lexemes of pages. `stems`: by word; a word without one has no other forms. */
export function indexQuery(terms: readonly Term[], stems: ReadonlyMap<string, string>): IndexQuery {
  // If the words are in another order than in an excluded phrase, only the exact query knows.
  const excluded = terms.filter(({ isExcluded, words }) => isExcluded && words.length === 1);
  return {
    tested: testedQueries(
      terms.filter(({ isExcluded }) => !isExcluded),
      excluded.map((term) => termQuery(term, stems, false)),
      stems,
    ),
    exact: terms.map((term) => (term.isExcluded ? '!' : '') + `(${termQuery(term, stems, true)})`).join(' & '),
    pairs: [...new Set(terms.flatMap(pairsOf))],
    beginnings: [...new Set(terms.flatMap(beginningsOf))],
  };
}

/** Words of a phrase from which on its pairs are so rare that its words need no test. */
const RARE_PHRASE_WORDS = 3;

function testedQueries(
  terms: readonly Term[],
  excluded: readonly string[],
  stems: ReadonlyMap<string, string>,
): string[] {
  const [first, ...others] = terms.flatMap((term) => {
    if (term.kind !== 'phrase') return [`(${termQuery(term, stems, false)})`];
    return term.words.length >= RARE_PHRASE_WORDS && excluded.length === 0
      ? []
      : [...new Set(term.words)].map((word) => `'${word}'`);
  });
  // Alone, a query of what pages must not have reads the whole index.
  return first === undefined ? [] : [first + excluded.map((query) => ` & !(${query})`).join(''), ...others];
}

function pairsOf({ kind, words, isExcluded }: Term): string[] {
  return kind !== 'phrase' || isExcluded ? [] : words.slice(1).map((word, at) => `${words[at] ?? ''} ${word}`);
}

function beginningsOf({ kind, words }: Term): string[] {
  return kind === 'prefix' ? [words.at(-1) ?? '', foldWord(words.join(''))] : [];
}

function termQuery({ kind, words }: Term, stems: ReadonlyMap<string, string>, isExact: boolean): string {
  const between = isExact ? ' <-> ' : ' & ';
  const quoted = words.map((word) => `'${word}'`);
  const joined = foldWord(words.join(''));
  switch (kind) {
    case 'word':
      return wordQuery(words[0] ?? '', stems, isExact);
    case 'phrase':
      return quoted.join(between);
    case 'prefix': {
      const beginning = [...quoted.slice(0, -1), `'${words.at(-1) ?? ''}':*`].join(between);
      return words.length === 1 ? beginning : `'${joined}':* | (${beginning})`;
    }
    case 'identifier':
      return `'${joined}' | (${quoted.join(between)})`;
  }
}

/** A page has a word's stem with a mark if it has another form of the word, and the stem itself if that is a word. */
function wordQuery(word: string, stems: ReadonlyMap<string, string>, isExact: boolean): string {
  const stem = stems.get(word) ?? word;
  const forms = [`'${stem}'`, `'~${stem}'`];
  // The written form makes a page more relevant.
  return (isExact && stem !== word ? [`'${word}'`, ...forms] : forms).join(' | ');
}

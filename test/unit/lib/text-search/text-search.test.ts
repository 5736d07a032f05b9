import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hitsIn, parseSnippet, snippetMarkup, snippetOf } from '../../../../src/lib/text-search/text-hits.ts';
import { BadQuery, indexQuery, parseQuery } from '../../../../src/lib/text-search/text-query.ts';
import { boxesWithin, packBoxes, unpackBoxes } from '../../../../src/lib/text-search/word-boxes.ts';
import { foldWord, identifiersOf, plainBody, wordsOf } from '../../../../src/lib/text-search/words.ts';

const words = (text: string): readonly string[] => wordsOf(text).map(({ word }) => word);

/** The pieces of a text that a query finds; stems of the words are those given. */
function hits(text: string, query: string, stems: Readonly<Record<string, string>> = {}): readonly string[] {
  return hitsIn(wordsOf(text), parseQuery(query), new Map(Object.entries(stems))).map(({ start, end }) =>
    text.slice(start, end),
  );
}

describe('words of texts', () => {
  it('DOC-13 are folded: no case, no accents, one form of each letter', () => {
    assert.deepEqual(words("O'Neil met NAÏVE Müller at Straße Ⅳ, Łódź; ﬁled"), [
      ...['o', 'neil', 'met', 'naive', 'muller', 'at', 'strasse', 'iv', 'lodz', 'filed'],
    ]);
  });

  it('DOC-13 a word is found where it is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        for (const { word, start, end } of wordsOf(text)) {
          assert.match(word, /^[\p{L}\p{N}]+$/u);
          assert.ok(foldWord(text.slice(start, end)).includes(word));
        }
      }),
    );
  });

  it('DOC-13 identifiers are found whole, without their separators', () => {
    assert.deepEqual(identifiersOf('Case 26-CV-1234567 of 2026-03-14, (555) 123-4567; A/B, well-known, $1,234.56'), [
      ...['26cv1234567', '20260314', '1234567', '123456', '5551234567'],
    ]);
  });

  it('DOC-13 text for the database has no NUL and no halves of characters', () => {
    assert.equal(plainBody('a\u0000b\ud800c\u0007\n'), 'ab\ufffdc\n');
  });
});

describe('queries for texts', () => {
  const queryOf = (text: string): ReturnType<typeof indexQuery> =>
    indexQuery(parseQuery(text), new Map([['notices', 'notic']]));

  it('DOC-13 words are searched by their stems, phrases as they are written', () => {
    const none = { pairs: [], beginnings: [] };
    const notices = { tested: ["('notic' | '~notic')"], exact: "('notices' | 'notic' | '~notic')", ...none };
    assert.deepEqual(queryOf('notices'), notices);
    const phrase = { tested: ["'of'", "'default'"], exact: "('of' <-> 'default')", ...none, pairs: ['of default'] };
    assert.deepEqual(queryOf('"of default"'), phrase);
    const beginning = { tested: ["('forec':*)"], exact: "('forec':*)", ...none, beginnings: ['forec'] };
    assert.deepEqual(queryOf('forec*'), beginning);
    assert.deepEqual(queryOf('26-CV-1').tested, ["('26cv1' | ('26' & 'cv' & '1'))"]);
  });

  it('DOC-13 the index excludes single words; the order of excluded phrases is tested on pages', () => {
    assert.deepEqual(queryOf('paid -notices').tested, ["('paid' | '~paid') & !('notic' | '~notic')"]);
    assert.deepEqual(queryOf('paid -"of default"').tested, ["('paid' | '~paid')"]);
    assert.match(queryOf('paid -"of default"').exact, / & !\('of' <-> 'default'\)$/);
    assert.deepEqual(queryOf('paid -"of default" "a b c"').pairs, ['a b', 'b c']);
    assert.deepEqual(queryOf('paid "a b c"').tested, ["('paid' | '~paid')"]);
    assert.deepEqual(queryOf('-paid "a b c"').tested, ["'a' & !('paid' | '~paid')", "'b'", "'c'"]);
  });

  it('DOC-13 refuses queries that would find everything or take too long', () => {
    for (const text of ['', '   ', '-paid', '+', 'abc*', '"', 'a '.repeat(17)])
      assert.throws(() => parseQuery(text), BadQuery, text);
  });

  it('DOC-13 whatever is typed becomes a query of quoted words, or is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        let query;
        try {
          query = indexQuery(parseQuery(text), new Map());
        } catch (error) {
          assert.ok(error instanceof BadQuery);
          return;
        }
        const word = /'~?[\p{L}\p{N}]+'(?::\*)?/gu;
        assert.match(query.exact.replace(word, 'w'), /^(?:[w()!&| ]|<->)+$/);
      }),
    );
  });
});

describe('hits in texts', () => {
  it('DOC-13 are words in any form, phrases in order, beginnings, and numbers however they are written', () => {
    const stems = { notices: 'notic', notice: 'notic' };
    assert.deepEqual(hits('The Notices and noticed', 'notice', stems), ['Notices']);
    assert.deepEqual(hits('relief from\nstay, stay from relief', '"relief from stay"'), ['relief from\nstay']);
    assert.deepEqual(hits('foreclosing on a foreclosure', 'forec*'), ['foreclosing', 'foreclosure']);
    assert.deepEqual(hits('26-CV-1234567, 26CV1234567', '26-cv-1234567'), ['26-CV-1234567', '26CV1234567']);
    assert.deepEqual(hits('26-CV-1234567', '"26CV1234567"'), []);
    assert.deepEqual(hits('paid and not', 'paid -not'), ['paid']);
  });

  it('DOC-13 a snippet shows most of them, and hostile text in it stays text', () => {
    const text = `${'start '.repeat(100)}<img src=x onerror=alert(1)> the lien & the LIEN ${'end '.repeat(100)}`;
    const found = hitsIn(wordsOf(text), parseQuery('lien'), new Map());
    const markup = snippetMarkup(snippetOf(text, found));
    assert.match(
      markup,
      /^… .*&lt;img src=x onerror=alert\(1\)&gt; the <mark>lien<\/mark> &amp; the <mark>LIEN<\/mark> .* …$/,
    );
    assert.ok(markup.length < 500);
  });

  it('DOC-13 a page reads the pieces of a snippet as they were written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ maxLength: 3 }), (text, word) => {
        const written = `${text} ${word || 'x'}`;
        const all = wordsOf(written).map(({ start, end }) => ({ start, end }));
        const snippet = snippetOf(written, all.slice(-2));
        const joined = (pieces: typeof snippet.pieces): string => pieces.map((piece) => piece.text).join('');
        const read = parseSnippet(snippetMarkup(snippet));
        assert.equal(joined(read.pieces), joined(snippet.pieces));
        assert.deepEqual(
          read.pieces.filter((piece) => piece.isHit),
          snippet.pieces.filter((piece) => piece.isHit),
        );
      }),
    );
  });

  it('DOC-13 boxes are packed and returned for the words of a hit', () => {
    const boxes = [0, 6, 12].map((start, at) => ({ start, left: at * 100, top: 10, right: at * 100 + 90, bottom: 30 }));
    assert.deepEqual(unpackBoxes(packBoxes(boxes)), boxes);
    assert.deepEqual(
      boxesWithin(boxes, 6, 11).map(({ left }) => left),
      [100],
    );
    assert.deepEqual(
      boxesWithin(boxes, 3, 14).map(({ left }) => left),
      [0, 100, 200],
    );
  });
});

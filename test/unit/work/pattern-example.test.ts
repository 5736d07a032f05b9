import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { patternExample } from '../../../src/modules/work/importform/lib/pattern-example.ts';

it('FRM-01 an example of a simple pattern matches it; an expression that is not simple has none', () => {
  for (const [pattern, example] of [
    ['[A-Z]{3}-[0-9]+', 'ABC-123'],
    [String.raw`\d{5}(-\d{4})?`, undefined],
    [String.raw`\d{2}/\d{2}/\d{4}`, '12/12/1234'],
    ['NGL-[0-9]{2}-[0-9]{5}', 'NGL-12-12345'],
    [String.raw`[A-Za-z]\.[a-z]*`, 'A.abc'],
    ['a|b', undefined],
    ['[^x]+', undefined],
    [String.raw`\w+`, undefined],
    ['', undefined],
    ['[0-9]{99}', undefined],
  ] as const) {
    assert.equal(patternExample(pattern), example, pattern);
    if (example !== undefined) assert.match(example, new RegExp(`^(?:${pattern})$`), pattern);
  }
});

it('property: whatever the pattern, an example that is returned matches it', () => {
  const piece = fc.constantFrom(
    '[A-Z]',
    '[a-z]',
    '[0-9]',
    String.raw`\d`,
    '[A-Z0-9]',
    '-',
    '/',
    ' ',
    'X',
    String.raw`\.`,
  );
  const count = fc.constantFrom('', '+', '*', '?', '{2}', '{1,3}', '{2,}');
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, count), { maxLength: 6 }), (parts) => {
      const pattern = parts.map(([what, many]) => what + many).join('');
      const example = patternExample(pattern);
      if (example !== undefined) assert.match(example, new RegExp(`^(?:${pattern})$`), pattern);
    }),
  );
});

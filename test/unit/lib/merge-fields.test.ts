import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fillFields, mergeFields, mergeFieldsOfHtml } from '../../../src/lib/merge/merge-fields.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Finds and fills fields one character at a time: slow and plain. */
function slowFill(text: string, valueOf: (expression: string) => string): string {
  let out = '';
  for (let at = 0; at < text.length;) {
    const end = text[at] === '{' ? slowEnd(text, at + 1) : undefined;
    const expression = end === undefined ? '' : text.slice(at + 1, end).trim();
    if (end !== undefined && slowIsField(expression)) {
      out += valueOf(expression);
      at = end + 1;
    } else out += text[at++] ?? '';
  }
  return out;
}

/** Returns where the brace closes that opens before `from`; undefined if it does not, on its line. */
function slowEnd(text: string, from: number): number | undefined {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === '\n') return undefined;
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '{') return undefined;
    else if (sign === '}') return at > from ? at : undefined;
  }
  return undefined;
}

function slowIsField(text: string): boolean {
  if (NAME.test(text)) return true;
  if (!/^(?:\/|\(|@|\.\/|\.\.\/|[A-Za-z_][\w.-]*\s*(?:\/|\[|\(|::))/.test(text)) return false;
  let plain = '';
  let quote = '';
  for (const sign of text) {
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else plain += sign;
  }
  return !plain.includes(';') && !plain.replaceAll('::', '').includes(':');
}

it('MSG-01 the fields of any text are those that a plain reader finds, and the text around them stays', () => {
  const pieces = [
    '{',
    '}',
    'A',
    'Name',
    '//X',
    '[1]',
    "'",
    '"',
    ' ',
    ';',
    ':',
    '::',
    '\n',
    '(',
    ')',
    '@',
    '/',
    '=',
    '.',
    '{A}',
    '{//B[1]}',
  ];
  let seed = 42;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const valueOf = (expression: string): string => `<${expression}>`;
  for (let n = 0; n < 20_000; n++) {
    const text = Array.from({ length: random(14) }, () => pieces[random(pieces.length)] ?? '').join('');
    assert.equal(fillFields(text, mergeFields(text), valueOf), slowFill(text, valueOf), JSON.stringify(text));
  }
});

it('MSG-01 braces of CSS, JSON and prose are text; HTML has its entities in expressions', () => {
  for (const text of ['p { color: red }', '{"a": 1}', '{ not a field }', '{}', '{a:b}', '{{Name', "{Don't}"])
    assert.deepEqual(mergeFields(text), [], text);
  assert.deepEqual(
    mergeFieldsOfHtml('<p>{//X[. &gt; 1 and @a = &quot;b;c&quot;]} {Name}</p>').map(({ expression }) => expression),
    ['//X[. > 1 and @a = "b;c"]', 'Name'],
  );
});

it('MSG-01 a text of a megabyte of braces is read at once', () => {
  for (const text of ['{', "{'", '{"', '{a', "{'}"]) assert.ok(mergeFields(text.repeat(200_000)).length <= 200_000);
});

/** The page of refusals lists every text of the source that refuses or warns, and finds what tests produced of it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collectRefusals } from '../../../tools/refusals/collect.ts';
import { exampleOf, listedTexts, readExamples, refusalKey, refusalsPage } from '../../../tools/refusals/page.ts';
import { matchProduced } from '../../../tools/refusals/produced.ts';

const ERRORS = 'export class PlatformError extends Error {}\n';

/** Collects the texts of one file beside the error class. */
function collect(...lines: string[]) {
  return collectRefusals(
    new Map([
      ['src/kernel/door/errors.ts', ERRORS],
      [
        'src/modules/cases/loan/save.ts',
        ["import { PlatformError } from '../../../kernel/door/errors.ts';", ...lines].join('\n'),
      ],
    ]),
  );
}

const listed = (...lines: string[]): string[] =>
  listedTexts(collect(...lines)).map(({ code, form }) => `${code}: ${form}`);

describe('WEB-03 the page of refusals', () => {
  test('lists a message with its values by name, its conditions and its alternatives', () => {
    assert.deepEqual(
      listed(
        'function save(loan, known) {',
        "  const hint = known.length > 0 ? ` Known: ${known.join(', ')}.` : '';",
        "  throw new PlatformError('NOT_FOUND', {",
        "    message: `Loan: no loan is ${loan.isOpen ? 'open' : 'closed'} with ` + `number ${loan.number}.${hint}`,",
        '  });',
        '}',
      ),
      ['NOT_FOUND: Loan: no loan is (open | closed) with number {number}.[ Known: {known}.]'],
    );
  });

  test('lists what is passed to a function that makes the error, in another file and through another function too', () => {
    const files = new Map([
      ['src/kernel/door/errors.ts', ERRORS],
      [
        'src/kernel/parameters/bad.ts',
        "import { PlatformError } from '../door/errors.ts';\n" +
          'export function bad(name: string, expected: string): PlatformError {\n' +
          "  return new PlatformError('BAD_PARAMETER', { message: `${name}: expected ${expected}.` });\n}\n",
      ],
      [
        'src/modules/cases/loan/save.ts',
        "import { bad } from '../../../kernel/parameters/bad.ts';\n" +
          "const fail = (expected: string): never => {\n  throw bad('Amount', expected);\n};\n" +
          "if (a) fail('a number');\nfail('a number above 0');\n",
      ],
    ]);
    assert.deepEqual(
      listedTexts(collectRefusals(files)).map(({ form }) => form),
      ['Amount: expected a number.', 'Amount: expected a number above 0.'],
    );
  });

  test('lists warnings, refusals of pages, and words that become part of another message', () => {
    assert.deepEqual(
      listed(
        "ctx.alert({ code: 'NOT_SENT', text: `Message ${id} was not sent.` });",
        'const note = alertNote(html`<p>The hold <b>has ended</b>.</p>`);',
        "const found = { ok: false, reason: 'the case is closed' };",
      ),
      ['NOT_SENT: Message {id} was not sent.', '(page): The hold has ended.', '(words): the case is closed'],
    );
  });

  test('keeps the example of each text when it is written again, and says which texts no test produces', () => {
    const texts = collect(
      "if (a) throw new PlatformError('IN_USE', { message: `Loan ${id} | <has> cases.` });",
      "throw new PlatformError('TOO_LARGE', { message: 'The list is too long.' });",
    );
    const [inUse, tooLarge] = texts;
    assert.ok(inUse && tooLarge);
    const examples = new Map([[refusalKey(inUse), exampleOf(inUse, 'Loan 12345 | <has> cases.')]]);
    const page = refusalsPage(texts, examples).join('\n');
    assert.match(page, /2 texts, 1 produced by tests\./);
    assert.match(page, /\| TOO_LARGE \| The list is too long\. \| {2}\|/);
    assert.deepEqual(readExamples(page), examples);
    assert.equal(examples.get(refusalKey(inUse)), 'Loan 000 | <has> cases.');
    assert.equal(exampleOf(tooLarge, 'The list is too long.'), 'yes');
  });

  test('finds the text of a produced error by its place, and reports an error whose place has none', () => {
    const texts = collect(
      "const bad = (what: string): PlatformError => new PlatformError('BAD_PARAMETER', { message: `Day: ${what}.` });",
      "throw isLate ? bad('too late') : bad('too early');",
    );
    const places = ['src/modules/cases/loan/save.ts:2', 'src/modules/cases/loan/save.ts:3'];
    const produced = [
      { code: 'BAD_PARAMETER', message: 'Day: too early.', places },
      { code: 'BAD_PARAMETER', message: 'Hidden.', places: ['src/modules/cases/loan/other.ts:2'] },
    ];
    const { examples, unlisted } = matchProduced(texts, produced);
    assert.deepEqual([...examples], [['cases/loan | BAD_PARAMETER | Day: too early.', 'yes']]);
    assert.deepEqual(
      unlisted.map(({ message }) => message),
      ['Hidden.'],
    );
  });
});

/**
 * `docs/reference/refusals.md`: every text that refuses or warns, by module, with an example that the tests produced.
 *
 * The texts come from the source, so that the page is complete and the same in every run. Examples come from the last
 * whole run of the tests, when `npm run refusals` is called; until then each text keeps the example that it has.
 */
import { table } from '../../src/surfaces/openapi/markdown.ts';
import type { RefusalText } from './collect.ts';

export const REFUSALS_PAGE = 'refusals.md';

/** Examples by {@link refusalKey}. */
export type Examples = ReadonlyMap<string, string>;

const EXAMPLE_CHARACTERS_MAX = 300;
/** The example of a text without values. */
const AS_WRITTEN = 'yes';

/** Returns the page as lines. */
export function refusalsPage(texts: readonly RefusalText[], examples: Examples): string[] {
  const listed = listedTexts(texts);
  const groups = [...new Set(listed.map(groupOf))].sort();
  const produced = listed.filter((text) => examples.has(refusalKey(text))).length;
  return [
    '# Refusals and warnings',
    '',
    'Every text in which the product refuses something or warns, as its source builds it, to be read as a whole.',
    '`{name}` is a value, `[…]` is there or not, `(a | b)` is one of several. The code is that of the',
    '[error](errors.md) or warning; `(words)` are part of a message that another module writes, `(page)` is shown on a',
    'page, and a name such as `UsageError` is the class of an error that has no code. "In tests" has an example that a',
    'test produced, with digits as `0`, or "yes" if the text has no values. It is empty if no test produces the text.',
    'After a whole `npm test`, `npm run refusals` updates the examples.',
    '',
    `${listed.length} texts, ${produced} produced by tests.`,
    '',
    ...groups.flatMap((group) => section(group, listed, examples)),
  ];
}

function section(group: string, listed: readonly RefusalText[], examples: Examples): string[] {
  const rows = listed
    .filter((text) => groupOf(text) === group)
    .map((text) => [text.code, text.form, examples.get(refusalKey(text)) ?? ''])
    .sort((a, b) => (a.join('|') < b.join('|') ? -1 : 1));
  return [`## ${group}`, '', ...table(['Code', 'Text', 'In tests'], rows), ''];
}

/** Returns the texts with words of their own, each once. */
export function listedTexts(texts: readonly RefusalText[]): RefusalText[] {
  const listed = texts.filter(({ form }) => /[a-z]{2}/i.test(form.replaceAll(/\{[^}]*\}/g, '')));
  return [...new Map(listed.map((text) => [refusalKey(text), text])).values()];
}

/** Identifies a text in the page: its group, code and form. */
export function refusalKey(text: RefusalText): string {
  return [groupOf(text), text.code, text.form].join(' | ');
}

/** Returns `area/module` for modules, and the first folders of all other files. */
function groupOf({ file }: RefusalText): string {
  const [, top = '', second = '', third = ''] = file.split('/');
  if (top === 'modules') return third.includes('.') ? second : `${second}/${third}`;
  return second.includes('.') ? top : `${top}/${second}`;
}

/** Reads the examples of a page that {@link refusalsPage} wrote. */
export function readExamples(page: string): Map<string, string> {
  const examples = new Map<string, string>();
  let group = '';
  for (const line of page.split('\n')) {
    group = /^## (.+)$/.exec(line)?.[1] ?? group;
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((each) =>
        each
          .trim()
          .replaceAll(String.raw`\|`, '|')
          .replaceAll('&lt;', '<'),
      );
    const [name = '', form = '', example = ''] = cells;
    const isHead = name === 'Code' || name === '---';
    if (cells.length === 3 && example !== '' && !isHead) examples.set([group, name, form].join(' | '), example);
  }
  return examples;
}

/** Returns a message as an example: one line, digits as 0, of limited length; "yes" if it is the text itself. */
export function exampleOf(text: RefusalText, message: string): string {
  const example = message
    .replaceAll(/\s+/g, ' ')
    // Or the page would be a binary file to Git, editors and grep.
    .replaceAll(/\p{Cc}/gu, '\uFFFD')
    .replaceAll(/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '{guid}')
    .trim();
  if (example === text.form) return AS_WRITTEN;
  return example
    .replaceAll(/\d+/g, (digits) => '0'.repeat(Math.min(digits.length, 3)))
    .slice(0, EXAMPLE_CHARACTERS_MAX);
}

import assert from 'node:assert/strict';
import { UnreadableFile, type PageText, type TextFile, type TextReader } from '../text-reader.ts';

/** What a test knows of a reader: a file with its words in order, and one of its type that is damaged. */
export interface TextReaderSubject {
  readonly reader: TextReader;
  readonly file: TextFile;
  /** Words of the file in the order in which people read them. */
  readonly words: readonly string[];
  /** Pages that people see; undefined for a file without pages. */
  readonly pageCount?: number;
  readonly damaged: TextFile;
}

/** One requirement: a sentence, and a function that throws if the reader does not meet it. */
export interface TextReaderDemand {
  readonly title: string;
  readonly check: (subject: TextReaderSubject) => Promise<void>;
}

/** Requirements of every reader of text. */
export const textReaderConformance: readonly TextReaderDemand[] = [
  {
    title: 'returns the words in order, whether pages are read together or one by one',
    async check(subject) {
      const together = await readAll(subject, 1_000);
      assert.deepEqual(await readAll(subject, 1), together);
      const text = together.map((page) => page.text).join('\n');
      let at = 0;
      for (const word of subject.words) {
        const found = text.indexOf(word, at);
        assert.ok(found >= 0, `${word} is missing after ${at} in ${text.slice(0, 500)}`);
        at = found + word.length;
      }
    },
  },
  {
    title: 'counts the pages that people see, or divides a text without pages',
    async check({ reader, file, pageCount }) {
      const opened = await reader.open(file);
      assert.equal(opened.isPaged, pageCount !== undefined);
      if (pageCount !== undefined) assert.equal(opened.pageCount, pageCount);
      assert.deepEqual(await opened.pages(opened.pageCount + 1, 5), []);
      await opened.close();
    },
  },
  {
    title: 'returns text that a database stores: well-formed, without control characters',
    async check(subject) {
      for (const { text } of await readAll(subject, 1_000)) {
        assert.ok(text.isWellFormed());
        assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/);
      }
    },
  },
  {
    title: 'refuses a damaged file for good, and reads the next one',
    async check(subject) {
      await assert.rejects(
        async () => readAll({ ...subject, file: subject.damaged }, 10),
        (error: unknown) => error instanceof UnreadableFile && /^[A-Z].*\.$/.test(error.message),
      );
      assert.ok((await readAll(subject, 10)).length > 0);
    },
  },
];

async function readAll(
  { reader, file }: Pick<TextReaderSubject, 'reader' | 'file'>,
  count: number,
): Promise<readonly PageText[]> {
  const opened = await reader.open(file);
  try {
    const pages: PageText[] = [];
    for (let page = 1; page <= opened.pageCount; page += count) pages.push(...(await opened.pages(page, count)));
    assert.equal(pages.length, opened.pageCount);
    return pages;
  } finally {
    await opened.close();
  }
}

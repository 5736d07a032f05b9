import assert from 'node:assert/strict';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Converter } from '../converter.ts';
import type { FileContent } from '../file-content.ts';

/** What a converter's test passes to the suite. */
export interface ConverterSubject {
  readonly converter: Converter;
  /** A file that it converts. */
  readonly file: FileContent;
  readonly to: string;
  /** Throws unless another program reads the bytes as a file of their format. */
  readonly read: (bytes: Uint8Array) => Promise<void>;
  /** A file of the right media type that cannot be read; absent if every file of its type can. */
  readonly damaged?: FileContent;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface ConverterDemand {
  readonly title: string;
  readonly check: (subject: ConverterSubject) => Promise<void>;
}

const never = new AbortController().signal;

/** What every converter must do. */
export const converterConformance: readonly ConverterDemand[] = [
  {
    title: 'describes itself, and is ready where its program is installed',
    check: async ({ converter, file, to }) => {
      assert.match(converter.doc, /^[A-Z][^\n]*\.$/);
      assert.ok(converter.formats[file.mime]?.includes(to));
      assert.equal(converter.state().ready, true);
    },
  },
  {
    title: 'returns a whole file of the format, also of several at the same time',
    check: async ({ converter, file, to, read }) => {
      const all = await Promise.all([1, 2].map(() => converter.convert(file, to, { signal: never })));
      for (const { mime, extension, bytes } of all) {
        assert.equal(mime, to);
        assert.match(extension, /^[a-z]{3,4}$/);
        assert.ok(bytes.length > 0);
        await read(bytes);
      }
    },
  },
  {
    title: 'says of a damaged file that it cannot be converted, naming it',
    check: async ({ converter, damaged, to }) => {
      if (!damaged) return;
      await assert.rejects(
        converter.convert(damaged, to, { signal: never }),
        (error: unknown) =>
          error instanceof PlatformError &&
          error.code === 'UNREADABLE_DOCUMENT' &&
          error.message.startsWith(`"${damaged.fileName}" `),
      );
    },
  },
  {
    title: 'ends at its signal and throws the reason',
    check: async ({ converter, file, to }) => {
      const reason = new Error('enough');
      await assert.rejects(converter.convert(file, to, { signal: AbortSignal.abort(reason) }), reason);
    },
  },
];

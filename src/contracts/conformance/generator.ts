import assert from 'node:assert/strict';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { FileContent } from '../file-content.ts';
import type { DocumentData, GeneratedFile, Generator, GeneratorSource } from '../generator.ts';
import { optionValues, plainOptions } from '../provider-options.ts';

/** What a generator's test passes to the suite. */
export interface GeneratorSubject {
  readonly generator: Generator;
  /** Its options, as a query string. */
  readonly options?: string;
  /** Data that it accepts, with hostile text: control characters, markup, quotes, a very long word. */
  readonly data: DocumentData;
  /** A template that fits the data; absent if it takes none. */
  readonly template?: FileContent;
  /** A file of the right media type that it cannot use. Required if it takes templates. */
  readonly brokenTemplate?: FileContent;
  /** Throws unless the file is what it claims to be, as another program reads it. */
  readonly read: (bytes: Uint8Array) => Promise<void>;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface GeneratorDemand {
  readonly title: string;
  readonly check: (subject: GeneratorSubject) => Promise<void>;
}

function sourceOf({ generator, options = '', data, template }: GeneratorSubject, signal: AbortSignal): GeneratorSource {
  return {
    template,
    options: optionValues(generator.options, plainOptions(options)),
    data,
    locale: 'en-US',
    timeZone: 'America/New_York',
    now: '2026-03-10T03:30:00.000Z',
    signal,
  };
}

/** Returns all bytes of a generated file. */
export async function generatedBytes(file: GeneratedFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.bytes()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** For data without pictures. */
export const noDocuments = (id: number): Promise<FileContent> =>
  Promise.reject(new Error(`there is no document ${id}`));

const never = new AbortController().signal;

/** What every generator must do. */
export const generatorConformance: readonly GeneratorDemand[] = [
  {
    title: 'describes itself and its options, each in one sentence',
    check: async ({ generator }) => {
      assert.match(generator.doc, /^[A-Z][^\n]*\.$/);
      for (const [name, { doc }] of Object.entries(generator.options)) assert.match(doc, /^[A-Z][^\n]*\.$/, name);
    },
  },
  {
    title: 'makes a file of its type that another program reads',
    check: async (subject) => {
      const file = await subject.generator.generate(sourceOf(subject, never));
      assert.match(file.mime, /^[a-z]+\/[a-z0-9.+-]+$/);
      assert.match(file.extension, /^[a-z0-9]{1,8}$/);
      await subject.read(await generatedBytes(file));
    },
  },
  {
    title: 'makes two files at the same time without mixing them',
    check: async (subject) => {
      const files = await Promise.all([1, 2].map(() => subject.generator.generate(sourceOf(subject, never))));
      for (const bytes of await Promise.all(files.map(generatedBytes))) await subject.read(bytes);
    },
  },
  {
    title: 'stops when its time is over',
    check: async (subject) => {
      const reason = new Error('stop');
      const source = sourceOf(subject, AbortSignal.abort(reason));
      await assert.rejects(async () => generatedBytes(await subject.generator.generate(source)), reason);
    },
  },
  {
    title: 'finds nothing wrong with a template that fits, and says what is wrong with one that is broken',
    check: async ({ generator, template, brokenTemplate }) => {
      assert.equal(generator.templates.length > 0, generator.check !== undefined);
      if (!generator.check || !template) return;
      assert.deepEqual(await generator.check(template, undefined), []);
      assert.ok(brokenTemplate, 'a generator with templates is tested with a broken one');
      const problems = await generator.check(brokenTemplate, undefined).catch((error: unknown) => {
        assert.ok(error instanceof PlatformError && error.code === 'BAD_TEMPLATE', String(error));
        return [{ text: error.message }];
      });
      assert.ok(problems.length > 0);
      for (const { text } of problems) assert.match(text, /^\S.*[.!?]$/s);
    },
  },
];

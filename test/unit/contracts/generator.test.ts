import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromBufferPromise } from 'yauzl';
import {
  generatorConformance,
  generatedBytes,
  type GeneratorSubject,
} from '../../../src/contracts/conformance/generator.ts';
import type { FileContent } from '../../../src/contracts/file-content.ts';
import type { DataTable } from '../../../src/contracts/generator.ts';
import { optionValues, plainOptions } from '../../../src/contracts/provider-options.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import { delimitedGenerator } from '../../../src/providers/generator/delimited/delimited-generator.ts';
import { distinctNames, zipGenerator } from '../../../src/providers/generator/zip/zip-generator.ts';

const hostile = ['a "quoted", word', 'two\r\nlines', '<b>&amp;', '\u0000\u0001', 'x'.repeat(100_000), 'Müller €'];

function table(rows: readonly Record<string, unknown>[]): DataTable {
  return {
    name: 'Test',
    columns: [
      { name: 'Name', field: f.text({ doc: 'A name.' }) },
      { name: 'Amount', field: f.money({ doc: 'An amount.' }) },
    ],
    async *rows() {
      yield* rows;
    },
  };
}

function file(fileName: string, text: string): FileContent {
  const bytes = Buffer.from(text);
  const stream = async function* (start = 0, end = bytes.length): AsyncIterable<Uint8Array> {
    yield bytes.subarray(start, end);
  };
  return { fileName, mime: 'text/plain', size: bytes.length, open: () => stream(), part: stream };
}

/** Returns the names and texts in a zip file. */
async function unzipped(bytes: Uint8Array): Promise<[string, string][]> {
  const zip = await fromBufferPromise(Buffer.from(bytes));
  const found: [string, string][] = [];
  for await (const entry of zip.eachEntry()) {
    const pieces: Uint8Array[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Uint8Array);
    found.push([entry.fileName, Buffer.concat(pieces).toString()]);
  }
  return found;
}

const subjects: Readonly<Record<string, GeneratorSubject>> = {
  DelimitedGenerator: {
    generator: delimitedGenerator,
    data: { kind: 'tables', tables: [table(hostile.map((Name) => ({ Name, Amount: '12.50' })))] },
    async read(bytes) {
      assert.equal(Buffer.from(bytes).toString().split('12.50').length - 1, hostile.length);
    },
  },
  ZipGenerator: {
    generator: zipGenerator,
    data: { kind: 'documents', documents: hostile.map((text, at) => file(`${at}.txt`, text)) },
    async read(bytes) {
      assert.deepEqual(
        (await unzipped(bytes)).map(([, text]) => text),
        hostile,
      );
    },
  },
};

for (const [name, subject] of Object.entries(subjects))
  describe(name, () => {
    for (const { title, check } of generatorConformance) it(`DOC-02 ${title}`, () => check(subject));
  });

/** Returns the text that the delimited generator makes. */
async function delimited(rows: readonly Record<string, unknown>[], options = ''): Promise<string> {
  const made = await delimitedGenerator.generate({
    template: undefined,
    options: optionValues(delimitedGenerator.options, plainOptions(options)) as Parameters<
      typeof delimitedGenerator.generate
    >[0]['options'],
    data: { kind: 'tables', tables: [table(rows)] },
    locale: 'en-US',
    timeZone: 'UTC',
    now: '2026-03-10T03:30:00.000Z',
    signal: new AbortController().signal,
  });
  return Buffer.from(await generatedBytes(made)).toString();
}

describe('delimited text', () => {
  it('DOC-02 quotes a cell only where its characters would end it', async () => {
    assert.equal(
      await delimited([
        { Name: 'a "b", c', Amount: '1.00' },
        { Name: null, Amount: undefined },
        { Name: 'two\nlines', Amount: 'd;e' },
      ]),
      'Name,Amount\r\n"a ""b"", c",1.00\r\n,\r\n"two\nlines",d;e\r\n',
    );
  });
  it('DOC-02 uses the delimiter, header, line end and byte order mark of its options', async () => {
    const rows = [{ Name: 'a;b', Amount: 'c,d' }];
    assert.equal(await delimited(rows, 'Delimiter=;&Header=false&LineEnd=LF&ByteOrderMark=true'), '\uFEFF"a;b";c,d\n');
    assert.equal(await delimited(rows, 'Delimiter=Tab'), 'Name\tAmount\r\na;b\tc,d\r\n');
  });
});

describe('names in a zip file', () => {
  it('DOC-02 are distinct, ignoring case', () => {
    assert.deepEqual(distinctNames(['a.txt', 'A.txt', 'a (2).txt', 'b', 'b', '.x']), [
      'a.txt',
      'A (2).txt',
      'a (2) (2).txt',
      'b',
      'b (2)',
      '.x',
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import {
  generatedBytes,
  generatorConformance,
  type GeneratorSubject,
} from '../../../../src/contracts/conformance/generator.ts';
import type { DataTable } from '../../../../src/contracts/generator.ts';
import { f } from '../../../../src/kernel/declare/field.ts';
import { parquetColumn } from '../../../../src/providers/generator/parquet/parquet-column.ts';
import { parquetGenerator } from '../../../../src/providers/generator/parquet/parquet-generator.ts';

const hostile = ['a "quoted", word', 'two\r\nlines', '<b>&amp;', '\u0000\u0001', 'x'.repeat(100_000), 'Müller €'];

function table(rows: Iterable<Readonly<Record<string, unknown>>>): DataTable {
  return {
    name: 'Test',
    columns: [
      { name: 'ID', field: f.id({ doc: 'An id.' }) },
      { name: 'Name', field: f.text({ doc: 'A name.' }) },
      { name: 'Amount', field: f.money({ doc: 'An amount.' }) },
      { name: 'Filed', field: f.date({ doc: 'A day.' }) },
      { name: 'SentAt', field: f.timestamp({ doc: 'A time.' }) },
      { name: 'Open', field: f.boolean({ doc: 'A state.' }) },
    ],
    async *rows() {
      yield* rows;
    },
  };
}

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

async function generated(made: DataTable): Promise<ArrayBuffer> {
  const file = await parquetGenerator.generate({
    template: undefined,
    options: {},
    data: { kind: 'tables', tables: [made] },
    locale: 'en-US',
    timeZone: 'UTC',
    now: '2026-03-10T03:30:00.000Z',
    signal: new AbortController().signal,
  });
  return arrayBuffer(await generatedBytes(file));
}

const subject: GeneratorSubject = {
  generator: parquetGenerator,
  data: { kind: 'tables', tables: [table(hostile.map((Name) => ({ Name })))] },
  async read(bytes) {
    const rows = await parquetReadObjects({ file: arrayBuffer(bytes) });
    assert.deepEqual(
      rows.map(({ Name }) => Name as string),
      hostile,
    );
  },
};

describe('ParquetGenerator', () => {
  for (const { title, check } of generatorConformance) it(`DOC-02 ${title}`, () => check(subject));

  it('DOC-02 stores numbers, amounts, days, points in time and states as such, and nothing as null', async () => {
    const row = {
      ID: 9_007_199_254,
      Name: 'Miller',
      Amount: '-1234.5',
      Filed: '2026-11-18',
      SentAt: '2026-11-18T13:12:00.123456Z',
      Open: false,
    };
    const file = await generated(table([row, {}]));
    assert.deepEqual(await parquetReadObjects({ file }), [
      {
        ID: 9_007_199_254n,
        Name: 'Miller',
        Amount: -1234.5,
        Filed: new Date('2026-11-18'),
        SentAt: new Date('2026-11-18T13:12:00.123Z'),
        Open: false,
      },
      { ID: null, Name: null, Amount: null, Filed: null, SentAt: null, Open: null },
    ]);
    const { schema } = parquetMetadata(file);
    const amount = schema.find(({ name }) => name === 'Amount');
    assert.deepEqual([amount?.converted_type, amount?.precision, amount?.scale], ['DECIMAL', 38, 4]);
  });

  it('DOC-02 keeps amounts and points in time exact', () => {
    const amount = parquetColumn('Amount', f.money({ doc: 'An amount.' }));
    assert.equal(amount.stored('999999999999999.9999'), 9_999_999_999_999_999_999n);
    assert.equal(amount.stored('-0.00005'), -1n);
    assert.equal(parquetColumn('At', f.timestamp({ doc: 'A time.' })).stored('1969-12-31T23:59:59.999999Z'), -1n);
    assert.equal(parquetColumn('Day', f.date({ doc: 'A day.' })).stored(''), null);
  });

  it('DOC-02 streams row groups, and writes a file without rows', async () => {
    let read = 0;
    const rows = function* (): Generator<Readonly<Record<string, unknown>>> {
      for (; read < 25_000; read++) yield { ID: read, Name: `Name ${read % 100}` };
    };
    const file = await parquetGenerator.generate({
      template: undefined,
      options: {},
      data: { kind: 'tables', tables: [table(rows())] },
      locale: 'en-US',
      timeZone: 'UTC',
      now: '2026-03-10T03:30:00.000Z',
      signal: new AbortController().signal,
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of file.bytes()) {
      if (pieces.push(piece) === 1)
        assert.equal(read, 9_999, 'the first rows are passed on before the others are read');
    }
    const whole = arrayBuffer(Buffer.concat(pieces));
    assert.deepEqual(
      parquetMetadata(whole).row_groups.map(({ num_rows }) => Number(num_rows)),
      [10_000, 10_000, 5_000],
    );
    assert.equal((await parquetReadObjects({ file: whole })).at(-1)?.['ID'], 24_999n);
    assert.deepEqual(await parquetReadObjects({ file: await generated(table([])) }), []);
  });

  it('DOC-02 names the column of a value that is not of its type', async () => {
    await assert.rejects(generated(table([{ Amount: 'many' }])), { code: 'BAD_PARAMETER', field: 'Amount' });
  });
});

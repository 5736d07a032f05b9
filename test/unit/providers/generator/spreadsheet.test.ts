import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromBufferPromise } from 'yauzl';
import {
  generatedBytes,
  generatorConformance,
  type GeneratorSubject,
} from '../../../../src/contracts/conformance/generator.ts';
import type { DataTable } from '../../../../src/contracts/generator.ts';
import { optionValues, plainOptions } from '../../../../src/contracts/provider-options.ts';
import { f } from '../../../../src/kernel/declare/field.ts';
import { spreadsheetGenerator } from '../../../../src/providers/generator/spreadsheet/spreadsheet-generator.ts';

const hostile = ['=1+1', '<b>&amp;]]>', '\u0000\u0001', '_x0041_', 'x'.repeat(100_000), 'Müller €'];

function table(name: string, rows: readonly Record<string, unknown>[]): DataTable {
  return {
    name,
    columns: [
      { name: 'LastName', field: f.text({ doc: 'A name.' }) },
      { name: 'Amount', field: f.money({ doc: 'An amount.', label: 'Unpaid balance' }) },
      { name: 'Filed', field: f.date({ doc: 'A day.' }) },
      { name: 'SentAt', field: f.timestamp({ doc: 'A time.' }) },
      { name: 'Open', field: f.boolean({ doc: 'A state.' }) },
    ],
    async *rows() {
      yield* rows;
    },
  };
}

async function partsOf(bytes: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const zip = await fromBufferPromise(Buffer.from(bytes));
  const parts = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const pieces: Uint8Array[] = [];
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Uint8Array);
    parts.set(entry.fileName, Buffer.concat(pieces).toString());
  }
  return parts;
}

async function workbook(tables: readonly DataTable[], options = ''): Promise<ReadonlyMap<string, string>> {
  const made = await spreadsheetGenerator.generate({
    template: undefined,
    options: optionValues(spreadsheetGenerator.options, plainOptions(options)) as Parameters<
      typeof spreadsheetGenerator.generate
    >[0]['options'],
    data: { kind: 'tables', tables },
    locale: 'en-US',
    timeZone: 'America/New_York',
    now: '2026-03-10T03:30:00.000Z',
    signal: new AbortController().signal,
  });
  return partsOf(await generatedBytes(made));
}

const row = { LastName: 'Miller', Amount: '1234.50', Filed: '2026-11-18', SentAt: '2026-11-18T13:12:00Z', Open: true };

const subject: GeneratorSubject = {
  generator: spreadsheetGenerator,
  data: {
    kind: 'tables',
    tables: [
      table(
        'Case',
        hostile.map((LastName) => ({ LastName })),
      ),
      table('Fees', [row]),
    ],
  },
  async read(bytes) {
    const parts = await partsOf(bytes);
    const sheet = parts.get('xl/worksheets/sheet1.xml') ?? '';
    assert.equal(sheet.match(/<row /g)?.length, hostile.length + 1);
    assert.ok(sheet.includes('>=1+1</t>') && !sheet.includes('<f>'));
    assert.match(parts.get('xl/worksheets/sheet2.xml') ?? '', /Miller/);
  },
};

describe('SpreadsheetGenerator', () => {
  for (const { title, check } of generatorConformance) it(`DOC-02 ${title}`, () => check(subject));

  it('DOC-02 writes amounts, days, times in the zone and states as such', async () => {
    const sheet = (await workbook([table('Case', [row])])).get('xl/worksheets/sheet1.xml') ?? '';
    assert.match(sheet, /<c r="B2" s="2"><v>1234\.50<\/v>/);
    assert.match(sheet, /<c r="C2" s="3"><v>46344<\/v>/);
    // 08:12 in New York.
    assert.match(sheet, /<c r="D2" s="4"><v>46344\.341666667<\/v>/);
    assert.match(sheet, /<c r="E2" t="b"><v>1<\/v>/);
    assert.match(sheet, /state="frozen"/);
    assert.match(sheet, /Unpaid balance/);
  });

  it('DOC-02 heads columns with names, and scrolls the head, if its options say so', async () => {
    const parts = await workbook([table('Case', [])], 'Header=Names&FreezeHeader=false');
    const sheet = parts.get('xl/worksheets/sheet1.xml') ?? '';
    assert.match(sheet, />Amount<\/t>/);
    assert.doesNotMatch(sheet, /frozen/);
  });

  it('DOC-02 gives each table a sheet and a range by its name, valid and distinct', async () => {
    const long = 'A very long name of a table, longer than sheets may have';
    const tables = [table("Bob's [fees]", [row, row]), table(long, []), table(long, [row]), table('AB12', [])];
    const xml = (await workbook(tables)).get('xl/workbook.xml') ?? '';
    assert.deepEqual(
      [...xml.matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name),
      ['Bob s  fees', 'A very long name of a table, lo', 'A very long name of a table,  2', 'AB12'],
    );
    assert.deepEqual(
      [...xml.matchAll(/<definedName name="([^"]*)">([^<]*)</g)].map(([, name, range]) => [name, range]),
      [
        ['Bob_s__fees_', "'Bob s  fees'!$A$1:$E$3"],
        ['A_very_long_name_of_a_table__longer_than_sheets_may_have', "'A very long name of a table, lo'!$A$1:$E$1"],
        ['A_very_long_name_of_a_table___2', "'A very long name of a table,  2'!$A$1:$E$2"],
        ['_AB12', "'AB12'!$A$1:$E$1"],
      ],
    );
  });

  it('DOC-02 reads a table only when the one before it has been written', async () => {
    const order: string[] = [];
    const traced = (name: string): DataTable => ({
      ...table(name, []),
      async *rows() {
        order.push(`${name} begins`);
        yield* [row, row];
        order.push(`${name} ends`);
      },
    });
    await workbook(['a', 'b', 'c'].map(traced));
    assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('DOC-02 fails with the error of the data', async () => {
    const broken: DataTable = {
      ...table('Case', []),
      async *rows() {
        throw new Error('the database stopped');
      },
    };
    await assert.rejects(workbook([table('Fees', [row]), broken]), /the database stopped/);
  });
});

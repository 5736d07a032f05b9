import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parametersFromJson } from '../../../src/kernel/parameters/parameters.ts';
import { jsonEngine } from '../../../src/providers/import-engine/json/json-engine.ts';
import {
  correctionsOf,
  documentOf,
  issuesOf,
  outcomeOf,
  rowsOf,
  short,
  templateOf,
} from '../../support/imports/reading.ts';
import { heldBufferBytes } from '../../support/held-memory.ts';

const MEGABYTE = 1024 * 1024;
const read = async (content: string | Uint8Array, options: Readonly<Record<string, string>> = {}) =>
  short(await rowsOf(jsonEngine, documentOf(content), templateOf(options)));
const refuses = async (content: string | Uint8Array, message: RegExp): Promise<void> => {
  await assert.rejects(rowsOf(jsonEngine, documentOf(content), templateOf()), message);
  assert.match((await issuesOf(jsonEngine, documentOf(content)))[0]?.message ?? '', message);
};

describe('JSON documents', () => {
  it('IMP-13 are a list of objects, an object per line, consecutive objects, or items in a collection', async () => {
    const expected = [
      { A: '1', B: 'x' },
      { A: '2', B: 'y' },
    ];
    for (const text of [
      '[{"A":1,"B":"x"},{"A":2,"B":"y"}]',
      ' [ { "A" : 1 , "B" : "x" }\n,\n{"A":2,"B":"y"} ] ',
      '\ufeff[{"A":1,"B":"x"},{"A":2,"B":"y"}]',
      '{"A":1,"B":"x"}\n{"A":2,"B":"y"}',
      '\n{"A":1,"B":"x"}\r\n\r\n {"A":2,"B":"y"} \r\n',
      '{\n"A":1,"B":"x"\n}\n{\n"A":2,"B":"y"\n}',
      '{"LoanCollection":{"LoanItem":[{"A":1,"B":"x"},{"A":2,"B":"y"}]}}',
      '{"Alerts":[{"Code":"x"}],"LoanCollection":{"Count":2,"LoanItem":[{"A":1,"B":"x"},{"A":2,"B":"y"}],"More":null}}',
      '{"LoanItem":[{"A":1,"B":"x"},{"A":2,"B":"y"}]}',
      '{"LoanCollection":[{"A":1,"B":"x"},{"A":2,"B":"y"}]}',
    ])
      assert.deepEqual(await read(text), expected, text);
    assert.deepEqual(await read('{"LoanItem":{"A":1,"B":"x"}}'), expected.slice(0, 1));
    assert.deepEqual(
      await read('{"Rows":[{"A":1,"B":"x"}],"Other":{"LoanItem":[{}]}}', { Item: 'rows' }),
      expected.slice(0, 1),
    );
    assert.deepEqual(await read(Buffer.from('\ufeff[{"A":1,"B":"x"}]', 'utf16le')), expected.slice(0, 1));
  });

  it('KRN-09 IMP-13 linked records and collections of children become the names of a save', async () => {
    assert.deepEqual(
      await read(
        '[{"Property":{"City":"Rome","Owner":{"Name":"Ann"}},"Borrowers":[{"LastName":"A"},{"LastName":"B",' +
          '"Methods":[{"Value":"1"}]}],"Notes":{"NoteItem":[{"Text":"t"}]},"One":{"OneItem":{"X":1}},"Empty":[],' +
          '"None":{},"Tags":["a",2,true]}]',
      ),
      [
        {
          Property_City: 'Rome',
          Property_Owner_Name: 'Ann',
          Borrowers_0_LastName: 'A',
          Borrowers_1_LastName: 'B',
          Borrowers_1_Methods_0_Value: '1',
          Notes_0_Text: 't',
          One_0_X: '1',
          Tags: 'a,2,true',
        },
      ],
    );
  });

  it('keeps numbers as written, and decodes texts', async () => {
    assert.deepEqual(
      await read(
        '[{"A":12345678901234567890.120,"B":1e400,"C":-0.10,"D":null,"E":true,"F":"\\u00fc\\n\\"\\\\",' +
          '"G":"\u{1f600}"}]',
      ),
      [{ A: '12345678901234567890.120', B: '1e400', C: '-0.10', D: '', E: 'true', F: 'ü\n"\\', G: '\u{1f600}' }],
    );
  });

  it('fails only a row that is malformed, repeats a name, is nested deeply, or is not an object', async () => {
    const wrong: [string, RegExp][] = [
      ['{"A":1,"A":2}', /A occurs twice/],
      ['{"Name":1,"NAME":2}', /NAME occurs twice/],
      ['{"A":01}', /not well-formed at its character 6; expected a value/],
      ['{"A":1,}', /expected a name/],
      ['{A:1}', /expected a name/],
      ['{"A":"x\ty"}', /control character/],
      ['{"A":"\\x"}', /valid JSON escapes/],
      ['{"A":"\\ud800"}', /half of a surrogate/],
      ['{"A":"\\u0000"}', /NUL/],
      ['{"A":[[1]]}', /list that contains a list/],
      ['{"A":[1,{"B":2}]}', /plain values and objects/],
      ['{"A":["x,y"]}', /contains a comma/],
      ['"text"', /expected \{/],
      ['12', /expected \{/],
      ['[1]', /expected \{/],
      ['{"__proto__":"x"}', /is not a valid name/],
      ['{"":1}', /is not a valid name/],
      [`${'{"A":'.repeat(20)}1${'}'.repeat(20)}`, /nested deeper than the 12 levels/],
      [`{"A":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, /list that contains a list/],
      [`${'{"A":'.repeat(50_000)}1${'}'.repeat(50_000)}`, /nested deeper/],
      ['{"A":1 "B":2}', /expected \}/],
      ['{"A":tru}', /expected a value/],
      ['{"A":1}}'.slice(0, 7).replace('1', '+1'), /expected a value/],
    ];
    for (const [row, message] of wrong) {
      for (const text of [`[{"Z":1},${row},{"Z":2}]`, `{"Z":1}\n${row}\n{"Z":2}`]) {
        const rows = await read(text);
        assert.equal(rows.length, 3, row.slice(0, 50));
        assert.deepEqual([rows[0], rows[2]], [{ Z: '1' }, { Z: '2' }]);
        assert.match(String(rows[1]), message);
      }
    }
    assert.match(
      String((await read(Buffer.concat([Buffer.from('[{"A":"'), Buffer.of(0xe9), Buffer.from('"}]')])))[0]),
      /bytes that are not UTF-8/,
    );
    // In a document of lines even unclosed braces and quotes do not affect the next line.
    for (const row of ['{"A":{', '{"A":"', '}', '[', 'x'])
      assert.equal((await read(`{"Z":1}\n${row}\n{"Z":2}`)).filter((each) => typeof each === 'object').length, 2);
  });

  it('IMP-15 fails only a row with a text of 100 MB', async () => {
    async function* parts(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[{"A":1},{"A":"');
      for (let n = 0; n < 100; n++) yield Buffer.alloc(MEGABYTE, 'x');
      yield Buffer.from('"},{"A":2}]');
    }
    const before = await heldBufferBytes();
    const rows = short(await rowsOf(jsonEngine, { ...documentOf(''), open: parts }));
    assert.ok((await heldBufferBytes()) - before < 64 * MEGABYTE);
    assert.deepEqual(rows, [{ A: '1' }, 'Item 2: it is longer than 16,777,216 bytes.', { A: '2' }]);
    assert.match(
      String((await read(`[{"A":"${'x'.repeat(5 * MEGABYTE)}"}]`))[0]),
      /a text in it is longer than 4,194,304 characters/,
    );
    assert.match(
      String((await read(`[{${Array.from({ length: 200_000 }, (_, n) => `"a${n}":1`).join(',')}}]`))[0]),
      /more than 16,384 values/,
    );
  });

  it('reads the rows before a malformed part around them, and reports its line', async () => {
    for (const [text, message] of [
      ['[{"A":1},\n{"A":2}\n{"A":3}]', /Line 3: .* expected a comma or \]/],
      ['[{"A":1},{"A":2},', /ends too early/],
      ['[{"A":1},{"A":2},\n]x', /expected a value/],
      ['[{"A":1},{"A":2}]\nx', /Line 2: .* there is content after its end/],
      ['{"LoanCollection":{"LoanItem":[{"A":1},{"A":2}],5}}', /expected the name of a member/],
    ] as const) {
      const outcome = await outcomeOf(jsonEngine, documentOf(text));
      assert.deepEqual(short(outcome.rows), [{ A: '1' }, { A: '2' }], text);
      assert.match(outcome.error ?? '', message);
      assert.match((await issuesOf(jsonEngine, documentOf(text)))[0]?.message ?? '', message);
    }
  });

  it('refuses anything that is not JSON, and accepts an empty list as a document without rows', async () => {
    await refuses('', /it is empty/);
    await refuses(' \n', /it is empty/);
    await refuses('A,B\n1,2', /expected a list of objects/);
    await refuses('<a/>', /expected a list of objects/);
    await refuses('12', /expected a list of objects/);
    await refuses('{"ContactCollection":{"ContactItem":[{"A":1}]}}'.slice(0, 30), /ends too early/);
    for (const text of ['[]', ' [ ]\n', '{"LoanCollection":{"LoanItem":[]}}', '{"LoanCollection":{}}']) {
      assert.deepEqual(await read(text), []);
      assert.deepEqual(await issuesOf(jsonEngine, documentOf(text)), []);
    }
    assert.deepEqual(await read('{"ContactCollection":{"ContactItem":[{"A":1}]}}'), [
      'Item 1: it is a ContactItem; expected LoanItem.',
    ]);
  });

  it('IMP-19 returns objects within their surrounding text, malformed ones too, each reason replacing the previous one', async () => {
    const cases = [
      [
        '[{"A":1},{ "A" : 2 },{},7,{"B":01}]',
        '[\n{"ImportReason":"no 2", "A" : 2 },\n{"ImportReason":"no 3"},\n' +
          '{"ImportReason":"no 4","ImportText":"7"},\n{"ImportReason":"no 5","B":01}\n]\n',
      ],
      [
        '{"A":1}\n{ "A" : 2 }\n{}\n7\n{"B":\n',
        '{"ImportReason":"no 2", "A" : 2 }\n{"ImportReason":"no 3"}\n' +
          '{"ImportReason":"no 4","ImportText":"7"}\n{"ImportReason":"no 5","B":\n',
      ],
      [
        '{"LoanCollection":{"LoanItem":[{"A":1},{ "A" : 2 },{},7,{"B":01}]}}',
        '{"LoanCollection":{"LoanItem":[\n{"ImportReason":"no 2", "A" : 2 },\n{"ImportReason":"no 3"},\n' +
          '{"ImportReason":"no 4","ImportText":"7"},\n{"ImportReason":"no 5","B":01}\n]}}\n',
      ],
    ] as const;
    for (const [text, expected] of cases) {
      const first = await correctionsOf(
        jsonEngine,
        documentOf(text, { fileName: 'a.json' }),
        templateOf(),
        [2, 3, 4, 5].map((line) => [line, `no ${line}`] as const),
      );
      assert.equal(first.text, expected);
      assert.equal(first.fileName, 'a-corrections.json');
      const rows = await read(first.bytes);
      assert.deepEqual([rows[0], rows[2]], [{ A: '2' }, { ImportText: '7' }]);
      const again = await correctionsOf(jsonEngine, documentOf(first.bytes), templateOf(), [[1, 'say "again"\n']]);
      assert.equal(again.text.replace(/\s/g, '').match(/ImportReason/g)?.length, 1);
      assert.deepEqual(await read(again.bytes), [{ A: '2' }]);
    }
  });
});

describe('JSON compared with a plain reader', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'C', 'ü'), minLength: 1, maxLength: 3 });
  const scalar = fc.oneof(
    fc.string({ maxLength: 6 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('"', '\\', '\n', '{', ']', ','),
  );
  const object = fc.letrec<{ object: Record<string, unknown> }>((tie) => ({
    object: fc.dictionary(
      name,
      fc.oneof({ depthSize: 'small' }, scalar, tie('object'), fc.array(tie('object'), { maxLength: 3 })),
      { maxKeys: 4, noNullPrototype: true },
    ),
  })).object;

  it('IMP-13 objects become the parameters that the same body of a call has, in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(object, { maxLength: 4 }),
        fc.constantFrom('list', 'lines'),
        fc.integer({ min: 1, max: 60 }),
        async (objects, form, pieceBytes) => {
          if (form === 'lines' && objects.length === 0) return;
          const text =
            form === 'list' ? JSON.stringify(objects, null, 1) : objects.map((each) => JSON.stringify(each)).join('\n');
          const rows = await rowsOf(jsonEngine, documentOf(text, { pieceBytes }));
          assert.equal(rows.length, objects.length);
          rows.forEach((row, index) => {
            // Calls count a list as a separate level.
            if (/(?:_[^_]+){10}/.test(JSON.stringify(row.values)) || row.problem?.includes('deeper')) return;
            const plain = Object.entries(parametersFromJson(objects[index]))
              .filter(([, value]) => !Array.isArray(value))
              .map(([key, value]) => [key, value === null ? '' : String(value)]);
            const names = plain.map(([key]) => key!.toLowerCase());
            // In the body of a call a repeated name makes a list; a row fails.
            if (row.problem !== undefined) return assert.match(row.problem, /twice/);
            assert.equal(new Set(names).size, names.length);
            assert.deepEqual(row.values, Object.fromEntries(plain));
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('mutated documents only ever throw a PlatformError, and read the same in any pieces', async () => {
    const goods = [
      '[{"A":1,"B":{"C":"x\\n"}},\n{"A":[{"B":2}]}]',
      '{"A":1}\n{"A":"y"}\n',
      '{"LoanCollection":{"LoanItem":[{"A":"é"}]}}',
      '{\n"A":1\n}\n{"B":2}',
    ].map((text) => Buffer.from(text));
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Array.from('"{}[],:\\\n').map((sign) => sign.charCodeAt(0))));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...goods),
        fc.array(fc.tuple(fc.nat(100), byte), { maxLength: 5 }),
        fc.oneof(fc.constantFrom(1, 2, 7), fc.integer({ min: 1, max: 60 })),
        async (good, changes, pieceBytes) => {
          const changed = Buffer.from(good);
          for (const [at, value] of changes) changed[at % changed.length] = value;
          assert.deepEqual(
            await outcomeOf(jsonEngine, documentOf(changed, { pieceBytes })),
            await outcomeOf(jsonEngine, documentOf(changed)),
          );
        },
      ),
      { numRuns: 800 },
    );
  });
});

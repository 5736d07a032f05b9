import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parametersFromXml } from '../../../src/kernel/parameters/parameters-xml.ts';
import { parseXml, writeXml, xmlElement, type XmlElement } from '../../../src/kernel/xml/element.ts';
import { xmlEngine } from '../../../src/providers/import-engine/xml/xml-engine.ts';
import {
  correctionsOf,
  documentOf,
  issuesOf,
  outcomeOf,
  rowsOf,
  short,
  templateOf,
} from '../../support/imports/reading.ts';

const MEGABYTE = 1024 * 1024;
const read = async (content: string | Uint8Array, options: Readonly<Record<string, string>> = {}) =>
  short(await rowsOf(xmlEngine, documentOf(content), templateOf(options)));
const refuses = async (content: string | Uint8Array, message: RegExp, template = templateOf()): Promise<void> => {
  await assert.rejects(rowsOf(xmlEngine, documentOf(content), template), message);
  assert.match((await issuesOf(xmlEngine, documentOf(content), template))[0]?.message ?? '', message);
  await xmlEngine.detect(documentOf(content), template);
};

describe('XML documents', () => {
  it('IMP-13 items are rows, with their attributes, linked records and collections of children', async () => {
    const text =
      '<?xml version="1.0"?><!-- x --><LoanCollection Reference="r">' +
      `<LoanItem SubscriberID="s1" xmlns:x="u" x:y="z"><Loan>1</Loan>
      <Property><City>Rome</City><Owner><Name>Ann &amp; Co</Name></Owner></Property>
      <Borrowers><ContactItem SubscriberID="b1"><LastName><![CDATA[<A>]]></LastName></ContactItem>` +
      `<ContactItem><LastName>B</LastName><Methods><ContactMethodItem><Value>1</Value></ContactMethodItem></Methods>` +
      `</ContactItem></Borrowers>
      <Empty/></LoanItem><LoanItem><Loan>2</Loan></LoanItem></LoanCollection>`;
    assert.deepEqual(await rowsOf(xmlEngine, documentOf(text), templateOf()), [
      {
        line: 1,
        values: {
          SubscriberID: 's1',
          Loan: '1',
          Property_City: 'Rome',
          Property_Owner_Name: 'Ann & Co',
          Borrowers_0_SubscriberID: 'b1',
          Borrowers_0_LastName: '<A>',
          Borrowers_1_LastName: 'B',
          Borrowers_1_Methods_0_Value: '1',
          Empty: '',
        },
      },
      { line: 2, values: { Loan: '2' } },
    ]);
    assert.deepEqual(await read('<LoanItem><Loan>1</Loan></LoanItem>'), [{ Loan: '1' }]);
    assert.deepEqual(
      await read('<a><x:LoanItem xmlns:x="u"><x:Loan>1</x:Loan></x:LoanItem><b><LoanItem Loan="2"/></b></a>'),
      [{ Loan: '1' }, { Loan: '2' }],
    );
  });

  it('takes row names from the template, and fails only items of another record', async () => {
    assert.deepEqual(
      await read('<Rows><Row><A>1</A></Row><x><Line><A>2</A></Line></x><LoanItem/></Rows>', { Item: 'row, Line' }),
      [{ A: '1' }, { A: '2' }],
    );
    assert.deepEqual(await read('<a><LoanItem><A>1</A></LoanItem>\n<ContactItem/></a>'), [
      { A: '1' },
      'Item 2 (line 2): it is a ContactItem; expected LoanItem.',
    ]);
    assert.deepEqual(await read('<a><ContactItem><A>1</A></ContactItem></a>', { ClassName: 'Contact' }), [{ A: '1' }]);
  });

  it('reads declared encodings, and refuses others', async () => {
    const of = (encoding: string): string =>
      `<?xml version="1.0" encoding="${encoding}"?><a><LoanItem><A>é</A></LoanItem></a>`;
    for (const bytes of [
      Buffer.from(of('UTF-8')),
      Buffer.from(`\ufeff${of('UTF-8')}`),
      Buffer.from(`\ufeff${of('UTF-16')}`, 'utf16le'),
      Buffer.from(`\ufeff${of('UTF-16')}`, 'utf16le').swap16(),
      Buffer.from(of('ISO-8859-1'), 'latin1'),
      Buffer.from(of('windows-1252'), 'latin1'),
    ]) {
      assert.deepEqual(await read(bytes), [{ A: 'é' }]);
    }
    await refuses(Buffer.from(of('EBCDIC')), /encoding "EBCDIC" is not supported/);
    await refuses(Buffer.from(of('UTF-8'), 'latin1'), /bytes that are (?:not UTF-8|invalid in its encoding)/);
    await refuses(
      Buffer.concat([Buffer.from(`<a>${' '.repeat(2000)}`), Buffer.of(0xff), Buffer.from('<LoanItem/></a>')]),
      /bytes that are invalid in its encoding/,
    );
  });

  it('refuses a DOCTYPE and entities, wherever they are', async () => {
    for (const text of [
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a><LoanItem><A>&x;</A></LoanItem></a>',
      `<!--${' '.repeat(3000)}--><!DOCTYPE a><a><LoanItem/></a>`,
    ])
      await refuses(text, /DOCTYPE/);
    await refuses('<a><LoanItem><A>&x;</A></LoanItem></a>', /not well-formed/);
    await refuses(`<a>${' '.repeat(3000)}<!DOCTYPE b><LoanItem/></a>`, /well-formed|DOCTYPE/);
  });

  it('IMP-15 reads the rows before a malformed part, and reports its line', async () => {
    for (const bad of [
      '<LoanItem><A>3</B></LoanItem></a>',
      '<LoanItem><A>3',
      '',
      '<LoanItem A="<"/></a>',
      '<LoanItem>\0</LoanItem></a>',
      '</b>',
    ]) {
      for (const space of ['', ' '.repeat(70_000)]) {
        const outcome = await outcomeOf(
          xmlEngine,
          documentOf(`<a>\n<LoanItem><A>1</A></LoanItem>\n<LoanItem><A>2</A></LoanItem>${space}\n${bad}`),
        );
        assert.deepEqual(short(outcome.rows), [{ A: '1' }, { A: '2' }]);
        assert.match(outcome.error ?? '', /^Line 4, column \d+: the document cannot be read: it is not well-formed/);
      }
    }
  });

  it('fails only an item that repeats a name, is nested deeply, or contains too much', async () => {
    const deep = (depth: number): string => `${'<A>'.repeat(depth)}x${'</A>'.repeat(depth)}`;
    const wrong: [string, RegExp][] = [
      ['<LoanItem><A>1</A><A>2</A></LoanItem>', /A occurs twice/],
      ['<LoanItem A="1"><a>2</a></LoanItem>', /a occurs twice/],
      ['<LoanItem><__proto__>1</__proto__></LoanItem>', /is not a valid name/],
      [`<LoanItem>${deep(30)}</LoanItem>`, /nested deeper than the 12 levels/],
      [
        `<LoanItem>${Array.from({ length: 20_000 }, (_, n) => `<a${n}/>`).join('')}</LoanItem>`,
        /more than 16,384 elements/,
      ],
      [
        `<LoanItem>${Array.from({ length: 8 }, (_, n) => `<a${n}>${'x'.repeat(2 * MEGABYTE)}</a${n}>`).join('')}` +
          '</LoanItem>',
        /longer than 16,777,216 characters/,
      ],
    ];
    for (const [item, message] of wrong) {
      const rows = await read(`<a><LoanItem><Z>1</Z></LoanItem>${item}<LoanItem><Z>2</Z></LoanItem></a>`);
      assert.deepEqual([rows[0], rows[2], rows.length], [{ Z: '1' }, { Z: '2' }, 3]);
      assert.match(String(rows[1]), message);
    }
    await refuses(`<a>${'<LoanItem>'.repeat(50_000)}`, /nested deeper than 100 levels/);
  });

  it('IMP-15 stops at a text, comment or tag of 100 MB, with the rows before it read', async () => {
    async function* parts(open: string, part: Buffer): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`<a><LoanItem><A>1</A></LoanItem>${open}`);
      for (let n = 0; n < 100; n++) yield part;
      yield Buffer.from('</A></LoanItem></a>');
    }
    for (const open of ['<LoanItem><A>', '<!--', '<LoanItem A="', '<LoanItem><![CDATA[', '<?x ']) {
      const outcome = await outcomeOf(xmlEngine, {
        ...documentOf(''),
        open: () => parts(open, Buffer.alloc(MEGABYTE, 'x')),
      });
      assert.match(outcome.error ?? '', /a text, tag or comment in it is longer than 4,194,304 characters/);
      assert.deepEqual(short(outcome.rows), [{ A: '1' }]);
    }
  });

  it('refuses documents that are not XML or have no rows, and accepts an empty collection as one without rows', async () => {
    await refuses('', /root element|well-formed/);
    await refuses('A,B\n1,2', /well-formed/);
    await refuses('[{"A":1}]', /well-formed/);
    await refuses('<html><body/></html>', /no row element; expected LoanItem/);
    for (const text of ['<LoanCollection/>', '<LoanCollection>\n</LoanCollection>']) {
      assert.deepEqual(await read(text), []);
      assert.deepEqual(await issuesOf(xmlEngine, documentOf(text)), []);
      assert.equal(await xmlEngine.detect(documentOf(text), templateOf()), true);
    }
    assert.equal(await xmlEngine.detect(documentOf('<ContactCollection/>'), templateOf()), false);
    assert.match(
      (await issuesOf(xmlEngine, documentOf('<ContactCollection><ContactItem/></ContactCollection>')))[0]?.message ??
        '',
      /it is a ContactItem; expected LoanItem/,
    );
  });

  it("REF-07 IMP-19 validates a document against the template's schema", async () => {
    const schema =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">' +
      '<xs:element name="LoanCollection"><xs:complexType>' +
      '<xs:sequence><xs:element name="LoanItem" maxOccurs="unbounded">' +
      '<xs:complexType><xs:sequence><xs:element name="Loan" type="xs:integer"/>' +
      '<xs:element name="City" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:sequence>' +
      '</xs:complexType></xs:element></xs:schema>';
    const template = templateOf({}, [], { schema });
    assert.deepEqual(
      await issuesOf(
        xmlEngine,
        documentOf('<LoanCollection><LoanItem><Loan>1</Loan><City>R</City></LoanItem></LoanCollection>'),
        template,
      ),
      [],
    );
    const issues = await issuesOf(
      xmlEngine,
      documentOf(
        '<LoanCollection>\n<LoanItem><City>R</City><Loan>1</Loan></LoanItem>\n' +
          '<LoanItem><Loan>x</Loan><City/></LoanItem></LoanCollection>',
      ),
      template,
    );
    assert.deepEqual(
      issues.map((issue) => issue.line),
      [2, 3],
    );
    assert.match(
      (await issuesOf(xmlEngine, documentOf('<LoanCollection>'), template))[0]?.message ?? '',
      /not well-formed/,
    );
    assert.match(
      (await issuesOf(xmlEngine, documentOf('<LoanCollection/>'), templateOf({}, [], { schema: '<x/>' })))[0]
        ?.message ?? '',
      /Schema: the import type's schema cannot be used/,
    );
    assert.match(
      (await issuesOf(xmlEngine, { ...documentOf('<LoanCollection/>'), size: 17 * MEGABYTE }, template))[0]?.message ??
        '',
      /with a schema at most 16,777,216 can be validated/,
    );
  });

  it('IMP-19 returns items within their surrounding elements, each after its reason', async () => {
    const text =
      '<x:LoanCollection xmlns:x="u&amp;" Reference="r"><x:LoanItem A="1&#10;"/>' +
      '<b><LoanItem><P><C>x</C></P></LoanItem><LoanItem><A>1</A><A>2</A></LoanItem></b>' +
      '<LoanItem><Z>3</Z></LoanItem></x:LoanCollection>';
    const { text: corrected, fileName } = await correctionsOf(
      xmlEngine,
      documentOf(text, { fileName: 'a.b.xml' }),
      templateOf(),
      [
        [1, 'no --> one'],
        [2, 'no 2-'],
        [3, 'no 3\0\ufffe\ud800'],
        [4, 'no 4'],
      ],
    );
    assert.equal(fileName, 'a.b-corrections.xml');
    assert.equal(
      corrected,
      '<?xml version="1.0" encoding="utf-8"?>\n<x:LoanCollection xmlns:x="u&amp;" Reference="r">\n' +
        '<!-- no - -> one -->\n<x:LoanItem A="1&#10;"/>\n<b>\n<!-- no 2-  -->\n<LoanItem><P><C>x</C></P></LoanItem>\n' +
        '<!-- no 3 \ufffd\ufffd -->\n<LoanItem><A>1</A><A>2</A></LoanItem>\n</b>\n<!-- no 4 -->\n' +
        '<LoanItem><Z>3</Z></LoanItem>\n</x:LoanCollection>\n',
    );
    assert.deepEqual(
      (await read(corrected)).map((row) => typeof row),
      ['object', 'object', 'string', 'object'],
    );
    for (const whole of ['<LoanItem><A>1</A></LoanItem>', '<a><LoanItem/></a>'])
      parseXml((await correctionsOf(xmlEngine, documentOf(whole), templateOf(), [])).text);
  });
});

describe('XML compared with a plain reader', () => {
  const leaf = fc
    .tuple(
      fc.constantFrom('A', 'B', 'City', 'Name'),
      fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('<&>"', ' ', 'ü', '\u{1f600}', ']]>', '\r\n')),
    )
    .map(([name, text]) => xmlElement(name, text));
  const record = fc.letrec<{ record: XmlElement }>((tie) => ({
    record: fc
      .tuple(
        fc.constantFrom('ContactItem', 'Property', 'Borrowers'),
        fc.array(fc.oneof({ depthSize: 'small' }, leaf, tie('record')), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('SubscriberID', 'Reference'), fc.string({ maxLength: 4 }), {
          noNullPrototype: true,
        }),
      )
      .map(([name, children, attributes]) => xmlElement(name, children, attributes)),
  })).record;

  it('IMP-13 items become the parameters that the same body of a call has, in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.oneof(leaf, record), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 60 }),
        async (items, pieceBytes) => {
          const text = items.map((children) => writeXml(xmlElement('LoanItem', children)));
          const rows = await rowsOf(
            xmlEngine,
            documentOf(`<LoanCollection>${text.join('\n')}</LoanCollection>`, { pieceBytes }),
            templateOf(),
          );
          assert.equal(rows.length, items.length);
          rows.forEach((row, index) => {
            const plain = parametersFromXml(parseXml(text[index]!));
            // In the body of a call a repeated name makes a list; a row fails.
            if (row.problem !== undefined)
              assert.ok(
                Object.values(plain).some((value) => Array.isArray(value)),
                row.problem,
              );
            else assert.deepEqual(row.values, { ...plain });
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('mutated documents only ever throw a PlatformError, and read the same in any pieces', async () => {
    const good = Buffer.from(
      '<?xml version="1.0" encoding="UTF-8"?><a b="c"><LoanItem x="é"><A>1</A><P><Q/></P></LoanItem>\n' +
        '<!-- - --><LoanItem><![CDATA[x]]></LoanItem></a>',
    );
    const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Array.from('<>/&"!-]').map((sign) => sign.charCodeAt(0))));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), byte), { maxLength: 4 }),
        fc.oneof(fc.constantFrom(1, 2, 7), fc.integer({ min: 1, max: 60 })),
        async (changes, pieceBytes) => {
          const changed = Buffer.from(good);
          for (const [at, value] of changes) changed[at] = value;
          const [one, other] = [
            await outcomeOf(xmlEngine, documentOf(changed, { pieceBytes })),
            await outcomeOf(xmlEngine, documentOf(changed)),
          ];
          assert.deepEqual(one.rows, other.rows);
          assert.equal(one.error === undefined, other.error === undefined);
        },
      ),
      { numRuns: 500 },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { decodeBase64, base64Decoder } from '../../../src/kernel/xml/base64.ts';
import {
  childText,
  elementAt,
  escapeAttribute,
  escapeText,
  parseXml,
  walkXml,
  writeXml,
  xmlElement,
  type XmlElement,
} from '../../../src/kernel/xml/element.ts';
import { maskDigits, quoteValue } from '../../../src/kernel/xml/schema-issue.ts';
import { toUtf8, toUtf8Stream } from '../../../src/kernel/xml/prolog.ts';
import { compileSchema } from '../../../src/kernel/xml/schema.ts';
import { anyCharacter } from '../../support/characters.ts';

function refusal(code: string, message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof PlatformError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };
}

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/).filter((text) => !/^xml/i.test(text));
const legalText = fc
  .string({ unit: anyCharacter, maxLength: 20 })
  .map((text) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ''));
const tree: fc.Arbitrary<XmlElement> = fc.letrec<{ element: XmlElement }>((tie) => ({
  element: fc
    .record({
      name,
      attributes: fc.dictionary(name, legalText, { maxKeys: 3 }),
      children: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('element'), { maxLength: 3 })),
      text: legalText,
      line: fc.constant(0),
    })
    .map((element) => (element.children.length > 0 && element.text.trim() === '' ? { ...element, text: '' } : element)),
})).element;

function withoutLines(element: XmlElement): unknown {
  return {
    name: element.name,
    attributes: { ...element.attributes },
    text: element.text,
    children: element.children.map(withoutLines),
  };
}

describe('parseXml and writeXml', () => {
  it('reads names, attributes, text, CDATA and the line of each start tag', () => {
    const root = parseXml(
      '<?xml version="1.0"?>\n<a x="1&amp;2"\n  y="3">\n <b\n>t&lt;<![CDATA[<c>]]></b><!-- no -->\r\n <b/></a>',
    );
    assert.deepEqual(withoutLines(root), {
      name: 'a',
      attributes: { x: '1&2', y: '3' },
      text: '',
      children: [
        { name: 'b', attributes: {}, text: 't<<c>', children: [] },
        { name: 'b', attributes: {}, text: '', children: [] },
      ],
    });
    assert.deepEqual([root.line, ...root.children.map((child) => child.line)], [2, 4, 6]);
    assert.equal(childText(root, 'b'), 't<<c>');
    assert.equal(childText(root, 'c'), undefined);
  });

  it('reads back what was written, for any tree', () => {
    fc.assert(
      fc.property(tree, (element) => {
        assert.deepEqual(withoutLines(parseXml(writeXml(element))), withoutLines(element));
        assert.deepEqual(withoutLines(parseXml(Buffer.from(writeXml(element)))), withoutLines(element));
      }),
      { numRuns: 300 },
    );
  });

  it('writes any text as well-formed XML, with U+FFFD for characters that XML cannot represent', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          const root = parseXml(writeXml(xmlElement('a', text, { b: text })));
          assert.equal(root.text, root.attributes['b']);
          assert.equal(root.text.length, text.length);
        },
      ),
      { numRuns: 300 },
    );
    assert.equal(escapeText('a\0\ud800]]>&\r'), 'a\ufffd\ufffd]]&gt;&amp;&#13;');
    assert.equal(escapeText('\u{1f600}'), '\u{1f600}');
    assert.equal(escapeAttribute('"\'\n\t<'), '&quot;&#39;&#10;&#9;&lt;');
  });

  it('refuses to write a name that would change the structure', () => {
    for (const bad of ['', 'a b', 'a>', '1a', 'a/', 'a"']) {
      assert.throws(() => writeXml(xmlElement(bad)), TypeError);
      assert.throws(() => writeXml(xmlElement('a', '', { [bad]: '' })), TypeError);
    }
  });

  it('gives each element a path that finds it again', () => {
    fc.assert(
      fc.property(tree, (root) => {
        walkXml(root, (element, path) => {
          assert.equal(elementAt(root, path), element);
        });
      }),
      { numRuns: 100 },
    );
    assert.equal(elementAt(parseXml('<a><b/></a>'), '/a/b[2]'), undefined);
    assert.equal(elementAt(parseXml('<a><b/></a>'), '/*'), undefined);
  });

  it('treats names such as __proto__ as plain data', () => {
    const root = parseXml('<a __proto__="x"><__proto__/><constructor toString="y"/></a>');
    assert.equal(root.attributes['__proto__'], 'x');
    assert.equal(root.attributes['toString'], undefined);
    assert.equal(root.children[0]?.name, '__proto__');
  });
});

describe('what parseXml refuses', () => {
  it('a DOCTYPE, and with it entity bombs and external entities', () => {
    const bomb =
      `<!DOCTYPE a [<!ENTITY x "${'y'.repeat(1000)}">` +
      `${Array.from({ length: 9 }, (_, i) => `<!ENTITY x${i} "${`&x${i - 1};`.repeat(10)}">`).join('')}]>` +
      '<a>&x8;</a>';
    for (const text of [
      bomb,
      '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
      '\n<!-- c --><?p i?>\n<!doctype a><a/>',
      '<?xml version="1.0"?><!DOCTYPE a><a/>',
    ]) {
      for (const source of [
        text,
        Buffer.from(text),
        Buffer.from(`\ufeff${text.replace('<?xml version="1.0"?>', '')}`, 'utf16le'),
      ]) {
        assert.throws(() => parseXml(source), refusal('BAD_XML', /DOCTYPE/));
      }
    }
    assert.throws(() => parseXml('\n<!-- c -->\n<!DOCTYPE a><a/>'), refusal('BAD_XML', /^Line 3: /));
  });

  it('entities that XML itself does not define', () => {
    assert.throws(() => parseXml('<a>\n&nbsp;</a>'), refusal('BAD_XML', /^Line 2, .*undefined entity/));
  });

  it('deep nesting, too many elements, too many bytes', () => {
    assert.throws(() => parseXml('<a>'.repeat(50_000)), refusal('BAD_XML', /deeper than 100/));
    assert.throws(
      () => parseXml(`<a>${'<b/>'.repeat(20)}</a>`, { elementsMax: 20 }),
      refusal('TOO_LARGE', /more than 20 elements/),
    );
    assert.throws(() => parseXml('<a>xxxxxxxxx</a>', { bytesMax: 10 }), refusal('TOO_LARGE', /10 bytes/));
    assert.equal(parseXml(`<a>${'x'.repeat(2_000_000)}</a>`).text.length, 2_000_000);
  });

  it('malformed documents, with line and column', () => {
    for (const text of [
      '',
      ' ',
      'text',
      '<a>',
      '<a></b>',
      '<a/><b/>',
      '<a b=c/>',
      '<a b="1" b="2"/>',
      '<a>\u0001</a>',
      '<a>&#0;</a>',
      '<a>]]></a>',
      '<a',
      '<a><![CDATA[</a>',
      '<a><!-- -- --></a>',
      '<a>\ud800</a>',
      '<a/>x',
    ]) {
      assert.throws(() => parseXml(text), refusal('BAD_XML', /./), text);
    }
    assert.throws(() => parseXml('<a>\n <b></a>'), refusal('BAD_XML', /^Line 2, column 8: .*unexpected close tag/));
    assert.throws(() => parseXml('<?xml version="1.1"?><a/>'), refusal('BAD_XML', /version "1.1"; expected 1.0/));
    assert.throws(
      () => parseXml(Buffer.from('<?xml encoding="utf-8"?><a/>')),
      refusal('BAD_XML', /declaration is malformed/),
    );
  });

  it('any bytes at all, only ever with BAD_XML or TOO_LARGE', () => {
    const nearly = fc
      .array(
        fc.constantFrom(
          '<',
          '>',
          '/',
          'a',
          '"',
          "'",
          '=',
          '&',
          ';',
          '#',
          '!',
          '-',
          '[',
          ']',
          '?',
          'CDATA',
          'DOCTYPE',
          'xml',
          ' ',
          '\n',
          '\r',
          '\0',
          '\ufeff',
          'é',
          'encoding="utf-16"',
        ),
        { maxLength: 40 },
      )
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), nearly), (bytes) => {
        for (const read of [
          () => parseXml(bytes),
          () => parseXml(Buffer.from(bytes).toString('latin1')),
          () => schema.validate(bytes),
        ]) {
          try {
            read();
          } catch (error) {
            assert.ok(
              error instanceof PlatformError && (error.code === 'BAD_XML' || error.code === 'TOO_LARGE'),
              String(error),
            );
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('encodings', () => {
  const body = '<a>Müller € “x”</a>';
  const declared = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>${body}`;
  const windows = (text: string): Buffer =>
    Buffer.from(text.replace('€', '\x80').replace('“', '\x93').replace('”', '\x94'), 'latin1');

  const accepted: readonly (readonly [string, Buffer])[] = [
    ['UTF-8 without a declaration', Buffer.from(body)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${declared('UTF-8')}`)],
    ['UTF-8 by another name', Buffer.from(declared('utf8'))],
    ['UTF-16, little end first', Buffer.from(`\ufeff${declared('utf-16')}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${declared('UTF-16BE')}`, 'utf16le').swap16()],
    ['windows-1252', windows(declared('windows-1252'))],
    ['ISO-8859-1, which senders use for windows-1252', windows(declared('ISO-8859-1'))],
  ];

  it('accepts UTF-8, UTF-16 with a BOM, ISO-8859-1 and windows-1252, whole and in pieces', async () => {
    for (const [what, bytes] of accepted) {
      assert.equal(parseXml(bytes).text, 'Müller € “x”', what);
      for (const size of [1, 5, 4096]) {
        const pieces: Uint8Array[] = [];
        for await (const piece of toUtf8Stream(inPieces(bytes, size))) pieces.push(piece);
        assert.deepEqual(Buffer.concat(pieces), Buffer.from(toUtf8(bytes)), what);
      }
    }
  });

  it('transcodes a long document the same in pieces as whole', async () => {
    for (const [what, bytes] of accepted) {
      const wide = what.startsWith('UTF-16');
      const filler = Buffer.from('<!--filler-->'.repeat(200), wide ? 'utf16le' : 'latin1');
      const long = Buffer.concat([bytes, what.includes('big') ? filler.swap16() : filler]);
      const pieces: Uint8Array[] = [];
      for await (const piece of toUtf8Stream(inPieces(long, 333))) pieces.push(piece);
      assert.deepEqual(Buffer.concat(pieces), Buffer.from(toUtf8(long)), what);
    }
  });

  it('does not copy text that is already UTF-8', () => {
    const bytes = Buffer.from(body);
    assert.equal(toUtf8(bytes).buffer, bytes.buffer);
  });

  it('refuses other encodings and contradictions, saying what is expected', () => {
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [Buffer.from(declared('EBCDIC-CP-US')), /"EBCDIC-CP-US" is not supported; expected UTF-8, UTF-16/],
      [Buffer.from(declared('UTF-7')), /"UTF-7" is not supported/],
      [Buffer.from(declared('utf-16')), /says encoding "utf-16" but the document is written in single bytes/],
      [Buffer.from(`\ufeff${declared('utf-8')}`, 'utf16le'), /says encoding "utf-8" but the document is UTF-16/],
      [Buffer.from(`\ufeff${declared('utf-16be')}`, 'utf16le'), /"utf-16be" but the document is UTF-16LE/],
      [Buffer.from(`\ufeff${declared('iso-8859-1')}`), /"iso-8859-1" but the document is UTF-8 by its byte order mark/],
      [Buffer.from(declared('us-ascii')), /US-ASCII but the document contains other bytes/],
      [Buffer.from(body, 'utf16le'), /UTF-16 without a byte order mark/],
      [Buffer.from('0000feff0000003c', 'hex'), /UTF-32/],
      [Buffer.from('<a>\n\xe9</a>', 'latin1'), /^Line 2: .*not UTF-8/],
      [
        Buffer.concat([
          Buffer.from('\ufeff<a>', 'utf16le'),
          Buffer.from('00d8', 'hex'),
          Buffer.from('</a>', 'utf16le'),
        ]),
        /not UTF-16/,
      ],
      [Buffer.from(`<?xml version="1.0"${' '.repeat(2000)}?><a/>`), /declaration is malformed/],
    ];
    for (const [bytes, message] of cases) assert.throws(() => parseXml(bytes), refusal('BAD_XML', message));
  });
});

describe('base64', () => {
  /** The slow oracle: XML Schema's grammar of base64Binary as one regular expression. */
  const strict = (text: string): Buffer | undefined => {
    const bare = text.replace(/[ \t\r\n]/g, '');
    const ok = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/.test(bare);
    return ok ? Buffer.from(bare, 'base64') : undefined;
  };
  const nearly = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc
      .array(fc.constantFrom('A', 'Q', 'Z', '9', '+', '/', '=', ' ', '\r\n', '-', '_', '*', 'é'), { maxLength: 16 })
      .map((parts) => parts.join('')),
  );

  it('decodes what the grammar allows and reports everything else', () => {
    fc.assert(
      fc.property(nearly, (text) => {
        const expected = strict(text);
        const result = decodeBase64(text);
        assert.deepEqual(result.bytes && Buffer.from(result.bytes), expected);
        assert.equal(result.problem === undefined, expected !== undefined, text);
      }),
      { numRuns: 3_000 },
    );
    assert.equal(decodeBase64('***').problem, 'contains "*", which is not a base64 character');
  });

  it('decodes the same in pieces', () => {
    fc.assert(
      fc.property(nearly, fc.integer({ min: 1, max: 7 }), (text, size) => {
        const bytes = Buffer.from(text);
        const decoder = base64Decoder();
        const parts: Uint8Array[] = [];
        for (let i = 0; i < bytes.length; i += size) parts.push(decoder.write(bytes.subarray(i, i + size)));
        decoder.end();
        assert.equal(decoder.problem, decodeBase64(text).problem);
        if (decoder.problem === undefined) assert.deepEqual(Buffer.concat(parts), Buffer.from(text, 'base64'));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('values in messages', () => {
  it('mask anything that looks like an SSN, and all text in an element that should hold one', () => {
    assert.equal(maskDigits('900-12-3456'), '***-**-3456');
    assert.equal(maskDigits('see 900123456.'), 'see *****3456.');
    assert.equal(maskDigits('2024-03-01 1250.00'), '2024-03-01 1250.00');
    assert.equal(maskDigits('9001-2-34567', 'USSSN'), '****-*-*4567');
    assert.equal(maskDigits('1234', 'USSSN'), '****');
    assert.equal(quoteValue(' \n '), 'empty');
    assert.equal(quoteValue(`${'x'.repeat(55)} 900-12-3456`), `"${'x'.repeat(55)} ***-…"`);
  });
});

const schema = compileSchema({
  name: 'Main.xsd',
  files: {
    'Main.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="Types.xsd"/>
      <xs:element name="R"><xs:complexType><xs:sequence>
        <xs:element name="Amount" type="Amount"/><xs:element name="Code" type="Code" minOccurs="0"/>
        <xs:element name="Note" type="Short" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence><xs:attribute name="ID" type="Short" use="required"/></xs:complexType></xs:element></xs:schema>`,
    'Types.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
      <xs:simpleType name="Amount">
        <xs:annotation><xs:documentation>an amount of money</xs:documentation></xs:annotation>
        <xs:restriction base="xs:decimal"><xs:fractionDigits value="2"/><xs:minInclusive value="0"/></xs:restriction>
      </xs:simpleType>
      <xs:simpleType name="Code">
        <xs:annotation><xs:documentation>a code such as AB-1</xs:documentation></xs:annotation>
        <xs:restriction base="xs:string"><xs:pattern value="[A-Z]+-\\d"/></xs:restriction>
      </xs:simpleType>
      <xs:simpleType name="Short">
        <xs:restriction base="xs:string"><xs:minLength value="1"/><xs:maxLength value="5"/></xs:restriction>
      </xs:simpleType></xs:schema>`,
  },
});

describe('schemas', () => {
  const issuesOf = (text: string): string[] =>
    schema.validate(Buffer.from(text)).map((issue) => `${issue.line} ${issue.path} ${issue.message}`);

  it('report every fault in plain words, with line and path', () => {
    assert.deepEqual(issuesOf('<R ID="1"><Amount>5</Amount></R>'), []);
    assert.deepEqual(
      issuesOf('<R Other="1">\n<Amount>x</Amount>\n<Code>900-12-3456</Code>\n<Note>\nfar too long</Note><Note/></R>'),
      [
        '1 /R/@Other R has the attribute Other, which it does not take.',
        '1 /R/@ID R lacks the attribute ID, which is required.',
        '2 /R/Amount Amount is "x"; expected an amount of money.',
        '3 /R/Code Code is "***-**-3456"; expected a code such as AB-1.',
        '4 /R/Note[1] Note is "far too long" (with white space around it) of 13 characters; expected at most 5.',
        '5 /R/Note[2] Note is empty; expected a value.',
      ],
    );
    assert.deepEqual(issuesOf('<R ID="123456"><Code>A-1</Code></R>'), [
      '1 /R/@ID The attribute ID of R is "123456" of 6 characters; expected at most 5.',
      '1 /R/Code Code does not belong here: expected Amount. Elements come in the order of the schema.',
    ]);
    assert.deepEqual(issuesOf('<R ID="1"><Amount>1.234</Amount></R>'), [
      '1 /R/Amount Amount is "1.234"; expected at most 2 digits after the decimal point.',
    ]);
    assert.deepEqual(issuesOf('<R ID="1"><Amount>-1</Amount></R>'), [
      '1 /R/Amount Amount is "-1"; expected at least 0.',
    ]);
    assert.deepEqual(issuesOf('<R ID="1">text<Amount>1</Amount></R>'), [
      '1 /R R contains the text "text": expected elements only.',
    ]);
    assert.deepEqual(issuesOf('<R ID="1"/>'), ['1 /R R is empty: expected Amount.']);
    assert.match(
      issuesOf('<S/>').join(),
      /The root element S is not of this operation: expected R, without a namespace/,
    );
  });

  it('are compiled once for the same content, and report where they themselves are wrong', () => {
    const files = {
      'A.xsd': '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"/></xs:schema>',
    };
    assert.equal(compileSchema({ name: 'A.xsd', files }), compileSchema({ name: 'A.xsd', files: { ...files } }));
    assert.throws(() => compileSchema({ name: 'B.xsd', files }), /B\.xsd is not among its files: A\.xsd/);
    assert.throws(
      () =>
        compileSchema({
          name: 'A.xsd',
          files: {
            'A.xsd':
              '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="b"/></xs:schema>',
          },
        }),
      /does not compile/,
    );
    assert.throws(
      () =>
        compileSchema({
          name: 'A.xsd',
          files: {
            'A.xsd':
              '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">' +
              '<xs:include schemaLocation="/etc/passwd"/></xs:schema>',
          },
        }),
      /does not compile/,
    );
  });

  it('give line numbers beyond 65,535', () => {
    assert.deepEqual(
      issuesOf(`<R ID="1">${'\n'.repeat(70_000)}<Amount>x</Amount></R>`).map((text) => text.split(' ')[0]),
      ['70001'],
    );
  });

  it('collect issues up to a limit, and the time for many faulty siblings grows with their number, not its square', () => {
    const bad = (count: number): Buffer =>
      Buffer.from(`<R ID="1"><Amount>1</Amount>${'<Note>too long</Note>'.repeat(count)}</R>`);
    assert.equal(schema.validate(bad(300)).length, 200);
    assert.equal(schema.validate(bad(300), { issuesMax: 7 }).length, 7);
    // With the library's own collector this takes a minute.
    const started = performance.now();
    assert.equal(schema.validate(bad(200_000)).length, 200);
    assert.ok(performance.now() - started < 15_000);
  });

  it('refuse malformed and oversized documents, and one text over 10 MB unless it is allowed', () => {
    assert.throws(
      () => schema.validate(Buffer.from('<R')),
      refusal('BAD_XML', /^Line 1, column \d+: The document is not well-formed/),
    );
    assert.throws(() => schema.validate(Buffer.from('<!DOCTYPE R><R/>')), refusal('BAD_XML', /DOCTYPE/));
    assert.throws(() => schema.validate(Buffer.from('<x:R/>')), refusal('BAD_XML', /prefix x/));
    assert.throws(() => schema.validate(Buffer.from('<R ID="1"/>'), { bytesMax: 5 }), refusal('TOO_LARGE', /5 bytes/));
    assert.throws(
      () => schema.validate(Buffer.from('<a>'.repeat(3_000) + '</a>'.repeat(3_000))),
      refusal('BAD_XML', /nested more than \d+ levels deep/),
    );
    const long = Buffer.from(`<R ID="1"><Amount>1</Amount><!--${' '.repeat(10_500_000)}--></R>`);
    assert.throws(() => schema.validate(long), refusal('BAD_XML', /too big/i));
    assert.deepEqual(schema.validate(long, { huge: true }), []);
  });

  it('do not retain memory of documents', () => {
    const document = Buffer.from(`<R ID="1"><Amount>1</Amount>${'<Note>abc</Note>'.repeat(2_000)}</R>`);
    for (let i = 0; i < 100; i++) schema.validate(document);
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 1_500; i++) schema.validate(document);
    // 1,500 such documents take 700 MB if they are not disposed.
    assert.ok(process.memoryUsage().rss - before < 150 * 1024 * 1024);
  });
});

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

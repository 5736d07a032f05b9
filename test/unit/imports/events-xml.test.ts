import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { event } from '../../../src/modules/cases/records/event.record.ts';
import type { RowBatch } from '../../../src/modules/imports/lib/events/file/row-batch.ts';
import { eventLayout } from '../../../src/modules/imports/lib/events/file/event-layout.ts';
import { parsedBatches, scannedBatches, xmlBatches } from '../../../src/modules/imports/lib/events/file/xml-batches.ts';
import { layoutNames, xmlOf } from '../../support/imports/events.ts';
import { documentOf } from '../../support/imports/reading.ts';

const layout = eventLayout(event);

/** The rows of a document as delimited text, each after its number and its error; and what ended the reading. */
interface Read {
  readonly rows: readonly string[];
  readonly error: string | undefined;
  /** Whether the scanner read all of it; undefined if it was not used. */
  readonly isComplete: boolean | undefined;
}

async function read(batches: AsyncGenerator<RowBatch, unknown, undefined>): Promise<Read> {
  const rows: string[] = [];
  let text = '';
  try {
    for (;;) {
      const step = await batches.next();
      if (step.done === true)
        return {
          rows: [...rows, text],
          error: undefined,
          isComplete: (step.value as { isComplete: boolean } | undefined)?.isComplete,
        };
      // A batch is valid until the next is requested.
      text += step.value.bytes.toString();
      rows.push(...step.value.lines.map((line, n) => `${line} ${step.value.problems.get(n) ?? ''}`));
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return { rows: [...rows, text], error: error.message, isComplete: undefined };
  }
}

/** Reads a document with the scanner and the parser; both must agree. Returns whether the scanner could read it all. */
async function bothRead(document: string | Uint8Array, pieceBytes = 64 * 1024): Promise<boolean> {
  const source = documentOf(document, { pieceBytes });
  const reported = `${Buffer.from(document).toString('latin1').slice(0, 4_000)} in pieces of ${pieceBytes}`;
  const parsed = await read(parsedBatches(source, layout));
  const scanned = await read(scannedBatches(source, layout));
  if (scanned.isComplete === true) assert.deepEqual({ ...scanned, isComplete: undefined }, parsed, reported);
  const either = await read(xmlBatches(source, layout));
  assert.deepEqual({ rows: either.rows, error: either.error }, { rows: parsed.rows, error: parsed.error }, reported);
  return scanned.isComplete === true;
}

const bodyOf = (inside: string): string => `<Events><Body>${inside}</Body></Events>`;

/** Special constructs, or refused ones, for any place in a document. */
const pitfalls = [
  '<',
  '>',
  '&',
  ']]>',
  ']]',
  ']',
  '-->',
  '--',
  '&amp;',
  '&lt;',
  '&#13;',
  '&#10;',
  '&#x41;',
  '&#X41;',
  '&#0;',
  '&#xD800;',
  '&#x110000;',
  '&#000000000065;',
  '&nbsp;',
  '&amp',
  '&;',
  '&#;',
  '\r\n',
  '\r',
  '\n',
  '\t',
  ' ',
  '"',
  "'",
  '=',
  '/',
  '/>',
  '<!-- c -->',
  '<!-- a -- b -->',
  '<!-->',
  '<!--->',
  '<!',
  '<![CDATA[x]]>',
  '<![CDATA[]]>',
  '<![CDATA[a]]b\r\n<&]]]>',
  '<![CDATA[',
  '<?pi x?>',
  '<?xml version="1.0"?>',
  '<!DOCTYPE a>',
  '<RecordType>',
  '</RecordType>',
  '<RecordType/>',
  '<RecordType>EVENT</RecordType>',
  '<RecordType a="1">E</RecordType >',
  '<RecordType a="1" a="2"/>',
  '<RecordType a="1"b="2"/>',
  '<RecordType a = "1"/>',
  "<RecordType a='<'/>",
  '<RecordType a="&amp;"/>',
  '<RecordType toString="" __proto__="x"/>',
  '<RecordType a/>',
  '<x:RecordType xmlns:x="u">E</x:RecordType>',
  '<recordtype/>',
  '<a:b:c/>',
  '<Other>x</Other>',
  '<ProviderCode><RecordType/></ProviderCode>',
  '<Header/>',
  '<n:FOOTER>x</n:FOOTER>',
  '</Body>',
  '<Body>',
  '</Body><Body>',
  '</Events>',
  '<\u00e9/>',
  '< a/>',
  '</ Body>',
  '</Body\n>',
  '\u0000',
  '\u0001',
  '\u001f',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\ud7ff',
  '\ufeff',
  '\ufffd',
  '\ufffe',
  '\uffff',
  '\u2028',
  '\u{1f600}',
  '\u{10ffff}',
  'plain',
  '1900-01-01',
];

/** Documents of some events, with pitfalls inserted anywhere. */
const document = fc
  .record({
    declaration: fc.constantFrom(
      '',
      '<?xml version="1.0"?>',
      "<?xml version='1.0' encoding='utf-8' standalone=\"yes\" ?>\r\n",
      '<?xml  version="1.0"?>',
      '<?xml version="1.0" ?><!-- by hand -->',
      '\ufeff<?xml version="1.0" encoding="UTF-8"?>',
      '\n',
      '<?xml version="1.1"?>',
      '<?xml version="1.0"',
    ),
    open: fc.constantFrom('<Events>', '<Events xmlns="urn:x" xmlns:xsi=\'http://y\'>\n', '<Events\n>'),
    events: fc.array(
      fc.array(
        fc.tuple(
          fc.integer({ min: 0, max: 109 }),
          fc.oneof(
            fc.constantFrom(...pitfalls.slice(0, 36)),
            fc.constantFrom('EVENT', '&amp;', '1\r\n2', '2024-05-06', 'A & B', ''),
          ),
        ),
        { maxLength: 5 },
      ),
      { maxLength: 3 },
    ),
    ordered: fc.boolean(),
    close: fc.constantFrom(
      '</Events>',
      '</Events>',
      '</Events>',
      '</Events>\n',
      '</Events><!-- end --> ',
      '</Events>x',
      '',
    ),
    put: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(...pitfalls)), { maxLength: 1 }),
  })
  .map(({ declaration, open, events, ordered, close, put }) => {
    const bodies = events.map((cells) => {
      const elements = (ordered ? cells.toSorted(([a], [b]) => a - b) : cells).map(([column, text]) => {
        const name = layoutNames[column] ?? '';
        return `<${name}>${text}</${name}>`;
      });
      return `<Body>${elements.join('\r\n')}</Body>`;
    });
    let text = `${declaration}${open}${bodies.join('\n')}${close}`;
    for (const [at, what] of put) text = text.slice(0, at * text.length) + what + text.slice(at * text.length);
    return text;
  });

describe('events in XML, read by the scanner and by the parser', () => {
  it('EVT-01 documents as systems write them are read by the scanner alone', async () => {
    const events = Array.from({ length: 12 }, (_, n) => ({
      RecordType: 'EVENT',
      ProviderCode: `P${n}`,
      PrimaryBorrowerLastName: n % 7 === 0 ? `O"Neil & <Sön>\n${n} \u{1f600}` : 'Smith',
    }));
    const plain = xmlOf(events).replaceAll(/<(?!Se)(\w+)><\/\1>/g, '');
    const sparse =
      '<?xml version="1.0"?>\r\n' +
      '<Events xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\r\n' +
      '  <!-- first -->\r\n' +
      '  <x:Event id="1">\r\n' +
      '    <ProcessorName>A</ProcessorName>\r\n' +
      '    <RecordType >EVENT</RecordType\t><DelayTypeCode xsi:nil="true" />\r\n' +
      '    <DelayDetails>one\r\ntwo\rthree&#13;<!-- x -->&#x1F600;<![CDATA[<4>]]>&quot;</DelayDetails>' +
      '</x:Event>\r\n</Events>\r\n';
    for (const pieceBytes of [1, 7, 1_000, 64 * 1024]) {
      assert.equal(await bothRead(plain, pieceBytes), true);
      assert.equal(await bothRead(sparse, pieceBytes), true);
      assert.equal(await bothRead('<Events/>', pieceBytes), true);
      assert.equal(
        await bothRead(
          Buffer.from(plain.replaceAll(/[\u{1f600}]/gu, '').replace('utf-8', 'ISO-8859-1'), 'latin1'),
          pieceBytes,
        ),
        true,
      );
    }
    const { rows } = await read(scannedBatches(documentOf(sparse), layout));
    assert.deepEqual(rows[0], '1 ');
    const values: Record<string, string> = {
      RecordType: 'EVENT',
      ProcessorName: 'A',
      DelayDetails: '"one\ntwo\nthree\r\u{1f600}<4>"""',
    };
    assert.equal(rows[1], `${layoutNames.map((name) => values[name] ?? '').join('\x1f')}\n`);
  });

  it('EVT-01 every special construct, wherever it is, is read or refused as the parser does', async () => {
    let scanned = 0;
    for (const text of pitfalls) {
      for (const place of [
        bodyOf(`<RecordType>EV${text}ENT</RecordType>`),
        bodyOf(`<RecordType>EVENT</RecordType>${text}<ProviderCode>1</ProviderCode>`),
        `<Events>${text}<Body/>${text}</Events>`,
        `${text}<Events><Body/></Events>`,
        `<Events><Body/></Events>${text}`,
        `<Events><Body ${text}></Body></Events>`,
        `<Events><Bo${text}dy></Body></Events>`,
      ]) {
        for (const pieceBytes of [1, 64 * 1024]) if (await bothRead(place, pieceBytes)) scanned++;
      }
    }
    // If the scanner never read any, this would prove nothing.
    assert.ok(scanned > 100, String(scanned));
  });

  it('EVT-01 any document, cut into any pieces, gives the same rows and the same error', async () => {
    let scanned = 0;
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom(1, 3, 50, 64 * 1024), async (text, pieceBytes) => {
        if (await bothRead(text, pieceBytes)) scanned++;
      }),
      { numRuns: 500 },
    );
    assert.ok(scanned > 40, String(scanned));
  });

  it('EVT-01 changed, lost or inserted bytes give the same rows and the same error', async () => {
    const bytes = Buffer.from(
      xmlOf([
        { RecordType: 'EVENT', ProviderCode: 'Söhne & "Co"', DelayDetails: 'a\nb' },
        { RecordType: 'EVENT', PrimaryBorrowerLastName: '\u{1f600}\ufeff' },
      ]).replaceAll(/<(\w+)><\/\1>/g, ''),
    );
    const change = fc.tuple(
      fc.integer({ min: 0, max: bytes.length - 1 }),
      fc.constantFrom('change', 'lose', 'put', 'cut'),
      fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...Buffer.from('<>&;/!-[]"\'= \r\n\x00'))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        let changed = bytes;
        for (const [at, how, byte] of changes)
          changed = Buffer.concat([
            changed.subarray(0, at),
            how === 'cut'
              ? Buffer.of()
              : Buffer.concat([
                  how === 'lose' ? Buffer.of() : Buffer.of(byte),
                  changed.subarray(how === 'put' ? at : at + 1),
                ]),
          ]);
        await bothRead(changed);
      }),
      { numRuns: 500 },
    );
  });

  it('EVT-01 a large document with a late fault gives each event once, and a construct beyond every limit is left to the parser', async () => {
    const events = Array.from({ length: 1_500 }, (_, n) => ({
      RecordType: 'EVENT',
      ProviderCode: `P${n}`,
      DelayDetails: 'x'.repeat(400),
    }));
    const xml = xmlOf(events);
    const at = xml.lastIndexOf('<Body>');
    assert.equal(await bothRead(xml), true);
    for (const late of ['<Footer/>', '<Body><Other/></Body>', '<?pi?>'])
      assert.equal(await bothRead(`${xml.slice(0, at)}${late}${xml.slice(at)}`), false);
    // A row returned before a fault is returned once; the parser returns fewer of the rows before it.
    const { rows, error } = await read(xmlBatches(documentOf(`${xml.slice(0, at)}<Body></Events>`), layout));
    assert.match(String(error), /^Line 1502: the document cannot be read: it is not well-formed/);
    const numbers = rows.slice(0, -1).map(Number);
    assert.ok(numbers.length > 500 && numbers.every((number, n) => number === n + 1));
    const long = 'y'.repeat(1_100_000);
    for (const text of [
      bodyOf(`<DelayDetails>${long}</DelayDetails>`),
      `<Events><!--${long}--><Body/></Events>`,
      `<Events>${' '.repeat(1_100_000)}<Body/></Events>`,
      `<Events>${'<!-- nothing -->\n'.repeat(70_000)}</Events>`,
    ]) {
      for (const pieceBytes of [64 * 1024, 2_000_000]) assert.equal(await bothRead(text, pieceBytes), false);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { decodeBase64 } from '../../../src/kernel/xml/base64.ts';
import { parseXml, walkXml, type XmlElement } from '../../../src/kernel/xml/element.ts';
import {
  liftContent,
  liftedIndex,
  tokenOf,
  type LiftOptions,
  type LiftResult,
} from '../../../src/modules/imports/import/lib/lift.ts';

const collect = async (_index: number, bytes: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
};

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

function lift(
  document: string | Uint8Array,
  size = 64,
  more: Partial<LiftOptions<Buffer>> = {},
): Promise<LiftResult<Buffer>> {
  return liftContent(inPieces(typeof document === 'string' ? Buffer.from(document) : document, size), {
    element: 'Content',
    parent: 'AttachmentItem',
    sink: collect,
    ...more,
  });
}

/** The plain oracle: the whole document as a tree, contents decoded at once and replaced by tokens. */
function oracle(document: string): { tree: unknown; files: string[]; faults: string[] } {
  const root = parseXml(document);
  const files: string[] = [];
  const faults: string[] = [];
  let count = 0;
  const replaced = new Map<XmlElement, string>();
  walkXml(root, (element, path, parent) => {
    if (element.name !== 'Content' || parent?.name !== 'AttachmentItem') return;
    if (element.text === '') return; // An empty tag has no text to lift.
    if (element.children.length > 0) throw new Error('the oracle does not take this');
    replaced.set(element, tokenOf(count++));
    const decoded = decodeBase64(element.text);
    if (decoded.bytes) files.push(Buffer.from(decoded.bytes).toString('hex'));
    else faults.push(`${element.line} ${path}`);
  });
  const plain = (element: XmlElement): unknown => ({
    name: element.name,
    line: element.line,
    attributes: { ...element.attributes },
    text: replaced.get(element) ?? element.text,
    children: element.children.map(plain),
  });
  return { tree: plain(root), files, faults };
}

function plainTree(element: XmlElement): unknown {
  return {
    name: element.name,
    line: element.line,
    attributes: { ...element.attributes },
    text: element.text,
    children: element.children.map(plainTree),
  };
}

const breaks = fc.constantFrom('', '', '\n', '\r\n', '\r', ' ');
const misleading = fc.constantFrom(
  '<!-- <AttachmentItem><Content>AAAA</Content> > -->',
  '<!---->',
  '<?pi <Content> ?>',
  '<![CDATA[<AttachmentItem><Content>]]>',
  'x&amp;y]',
  '&#13;',
  '<a b="<AttachmentItem>" c=\'/>\'/>'.replace(/</g, (m, at: number) => (at === 0 ? m : '&lt;')),
  '<Content>plain</Content>',
  '<Content d=">"/>',
  '<AttachmentItem/>',
  '<Contents>x</Contents>',
  'é\u{1f600}',
);
const base64Text = fc
  .tuple(
    fc.uint8Array({ minLength: 1, maxLength: 90 }),
    fc.constantFrom('\n', '\r\n', '', '&#10;', '&#xD;\n', '<!--c\nc-->', '<?p?>', ']]><![CDATA['),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([bytes, between, cdata, spoiled]) => {
    const text = Buffer.from(bytes).toString('base64') + (spoiled ? '*' : '');
    // References, comments and instructions are markup only outside CDATA; inside, they are invalid base64, tested too.
    const pieces = (text.match(/.{1,16}/g) ?? []).join(cdata || between !== ']]><![CDATA[' ? between : '\n');
    return cdata ? `<![CDATA[${pieces}]]>` : pieces;
  });
const attachment = fc
  .tuple(base64Text, breaks, breaks, fc.array(misleading, { maxLength: 2 }))
  .map(
    ([text, before, after, others]) =>
      `<AttachmentItem x="a>b">${before}<FileName>f</FileName>` +
      `<Content${before}>${before}${text}${after}</Content${after}>${after}<Tail/>` +
      `${others.join('')}</AttachmentItem>`,
  );
const documentText = fc
  .tuple(breaks, fc.array(fc.oneof(attachment, misleading, breaks), { maxLength: 6 }))
  .map(
    ([lead, parts]) =>
      `<?xml version="1.0" encoding="UTF-8"?>${lead}<R><Attachments>${parts.join('')}</Attachments></R>`,
  );

describe('liftContent', () => {
  it('gives the same files and the same remaining tree, line for line, as reading everything at once', async () => {
    await fc.assert(
      fc.asyncProperty(documentText, fc.integer({ min: 1, max: 40 }), async (document, size) => {
        const expected = oracle(document);
        const result = await lift(document, size);
        assert.deepEqual(plainTree(parseXml(result.xml)), expected.tree);
        assert.deepEqual(
          result.lifted.map((file) => file.value.toString('hex')),
          expected.files,
        );
        assert.deepEqual(
          result.issues.map((issue) => `${issue.line} ${issue.path}`),
          expected.faults,
        );
      }),
      { numRuns: 600 },
    );
  });

  it('never turns a malformed document into an acceptable one', async () => {
    // A cut inside a surrogate pair is repaired: UTF-8 cannot express it, so the two sides would read different
    // documents.
    const spoilt = fc
      .tuple(
        documentText,
        fc.array(
          fc.tuple(
            fc.nat(),
            fc.constantFrom(
              '',
              '<',
              '>',
              '&',
              '"',
              ']]>',
              '-->',
              '<!--',
              '<![CDATA[',
              '</Content>',
              '<Content>',
              '\0',
              '&#0;',
              '&x;',
              '/',
              '?>',
            ),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(([text, cuts]) =>
        cuts
          .reduce(
            (now, [at, put]) =>
              now.slice(0, at % now.length) + put + now.slice((at % now.length) + (put === '' ? 3 : 0)),
            text,
          )
          .toWellFormed(),
      );
    await fc.assert(
      fc.asyncProperty(spoilt, fc.integer({ min: 1, max: 60 }), async (document, size) => {
        let wellFormed = true;
        try {
          parseXml(document);
        } catch {
          wellFormed = false;
        }
        let accepted = true;
        try {
          const result = await lift(document, size);
          parseXml(result.xml);
          accepted = result.issues.length === 0;
        } catch (error) {
          assert.ok(error instanceof PlatformError, String(error));
          accepted = false;
        }
        assert.ok(wellFormed || !accepted);
      }),
      { numRuns: 1_500 },
    );
  });

  it('reports base64 that is wrong, empty or mixed with elements by line and path, and keeps nothing of it', async () => {
    const stored: number[] = [];
    const result = await lift(
      '<R>\n<AttachmentItem><Content>AAAA****</Content></AttachmentItem>\n<AttachmentItem><Content> ' +
        '</Content></AttachmentItem>\n<AttachmentItem><Content>AAAA<b/></Content></AttachmentItem>\n' +
        '<AttachmentItem><Content>QUJD</Content></AttachmentItem>\n' +
        '<AttachmentItem><Content>AAAAA</Content></AttachmentItem></R>',
      3,
      {
        sink: async (index, bytes) => {
          const value = await collect(index, bytes);
          stored.push(index);
          return value;
        },
      },
    );
    assert.deepEqual(stored, [3]);
    assert.deepEqual(
      result.lifted.map(({ index, token, value, bytes, line }) => [index, token, value.toString(), bytes, line]),
      [[3, 'lifted:3', 'ABC', 3, 5]],
    );
    assert.deepEqual(
      result.issues.map((issue) => [issue.line, issue.path, issue.element, issue.message]),
      [
        [
          2,
          '/R/AttachmentItem[1]/Content',
          'Content',
          'Content contains "*", which is not a base64 character; expected the file in base64.',
        ],
        [3, '/R/AttachmentItem[2]/Content', 'Content', 'Content is empty; expected the file in base64.'],
        [4, '/R/AttachmentItem[3]/Content', 'Content', 'Content holds markup; expected the file in base64.'],
        [
          6,
          '/R/AttachmentItem[5]/Content',
          'Content',
          'Content ends in the middle of a group of four characters; expected the file in base64.',
        ],
      ],
    );
    assert.equal(liftedIndex(' lifted:12 '), 12);
    assert.equal(liftedIndex('lifted:x'), undefined);
  });

  it('continues reading when the sink stops early, and passes on what the sink throws', async () => {
    const document =
      `<R><AttachmentItem><Content>${'QUJD'.repeat(500)}</Content></AttachmentItem>` +
      '<AttachmentItem><Content>QUJD</Content></AttachmentItem></R>';
    const result = await lift(document, 10, {
      sink: async (_index, bytes) => {
        for await (const part of bytes) return Buffer.from(part);
        return Buffer.alloc(0);
      },
    });
    assert.deepEqual(
      result.lifted.map((file) => [file.bytes, parseXml(result.xml).children[file.index]?.children[0]?.text]),
      [
        [1500, 'lifted:0'],
        [3, 'lifted:1'],
      ],
    );
    await assert.rejects(
      lift(document, 10, {
        sink: async () => {
          throw new Error('the disk is full');
        },
      }),
      /the disk is full/,
    );
  });

  it('refuses a DOCTYPE, endless tags and anything beyond a limit, and closes the source', async () => {
    await assert.rejects(lift('<!DOCTYPE a><R/>'), { code: 'BAD_XML', message: /DOCTYPE/ });
    await assert.rejects(lift(`<!--${' '.repeat(2000)}-->\n<!DOCTYPE a><R/>`), {
      code: 'BAD_XML',
      message: /^Line 2: .*DOCTYPE/,
    });
    await assert.rejects(lift(`<R a="${'x'.repeat(70_000)}"/>`, 1024), {
      code: 'BAD_XML',
      message: /longer than 65536/,
    });
    await assert.rejects(lift(`<R>${'x'.repeat(2000)}</R>`, 64, { remainderBytesMax: 1000 }), { code: 'TOO_LARGE' });
    const one = '<AttachmentItem><Content>QUJD</Content></AttachmentItem>';
    await assert.rejects(lift(`<R>${one}${one}</R>`, 64, { liftedCountMax: 1 }), {
      code: 'TOO_LARGE',
      message: /more than 1 Content/,
    });
    await assert.rejects(lift(`<R>${one}</R>`, 64, { liftedBytesMax: 2 }), {
      code: 'TOO_LARGE',
      message: /larger than 2 bytes/,
    });
    let closed = false;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(100, '<R>');
      } finally {
        closed = true;
      }
    };
    await assert.rejects(
      liftContent(source(), { element: 'Content', parent: 'AttachmentItem', sink: collect, remainderBytesMax: 500 }),
      { code: 'TOO_LARGE' },
    );
    assert.ok(closed);
  });

  it('transcodes while it lifts', async () => {
    const text =
      '<?xml version="1.0" encoding="utf-16"?><R n="é"><AttachmentItem><Content>QUJD</Content></AttachmentItem></R>';
    const result = await lift(Buffer.from(`\ufeff${text}`, 'utf16le'), 7);
    assert.equal(result.lifted[0]?.value.toString(), 'ABC');
    assert.equal(parseXml(result.xml).attributes['n'], 'é');
  });

  it('holds no more than a few chunks of a 40 MB attachment in memory', async () => {
    const chunk = Buffer.from(Buffer.alloc(48 * 1024, 7).toString('base64'));
    const chunks = Math.ceil((40 * 1024) / 48);
    let sent = 0;
    let received = 0;
    let heldMost = 0;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('<R><AttachmentItem><Content><![CDATA[');
      for (; sent < chunks; sent++) yield chunk;
      yield Buffer.from(']]></Content></AttachmentItem></R>');
    };
    const result = await liftContent(source(), {
      element: 'Content',
      parent: 'AttachmentItem',
      sink: async (_index, bytes) => {
        for await (const part of bytes) {
          received += part.length;
          heldMost = Math.max(heldMost, (sent + 1) * 48 * 1024 - received);
        }
        return received;
      },
    });
    assert.deepEqual(
      result.lifted.map((file) => file.bytes),
      [chunks * 48 * 1024],
    );
    assert.ok(heldMost <= 2 * 48 * 1024, `${heldMost} bytes were read ahead`);
    assert.ok(result.xml.length < 200);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rewrittenItems } from '../../../src/modules/imports/import/lib/parts/rewrite-items.ts';
import type { ChildrenAt } from '../../../src/modules/imports/import/lib/parts/schema-children.ts';

const order: Readonly<Record<string, readonly string[]>> = {
  Item: ['A', 'B', 'C', 'Loan'],
  'Item/Loan': ['Agency', 'Loan', 'UPB'],
};
const childrenAt: ChildrenAt = (path) => (order[path.slice(1).join('/')] ?? []).map((name) => ({ name, isLeaf: true }));

/** Rewrites a document that arrives in pieces of this size. */
async function rewrite(
  items: string,
  values: Readonly<Record<number, Readonly<Record<string, string>>>>,
  { only, size = 7 }: { readonly only?: readonly number[]; readonly size?: number } = {},
): Promise<string> {
  const bytes = Buffer.from(`<?xml version="1.0"?>\n<ImportCollection Reference="r">${items}</ImportCollection>`);
  async function* source(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const parts: Uint8Array[] = [];
  const rewritten = rewrittenItems(source(), {
    itemName: 'Item',
    items: only && new Set(only),
    values: new Map(Object.entries(values).map(([item, changed]) => [Number(item), changed])),
    childrenAt,
  });
  for await (const part of rewritten) parts.push(Buffer.from(part));
  return Buffer.concat(parts)
    .toString()
    .replace('<?xml version="1.0" encoding="UTF-8"?>\n<ImportCollection Reference="r">', '')
    .replace('\n</ImportCollection>\n', '');
}

describe('rewriting items of a submission', () => {
  it('WEB-03 replaces a text, escaped, and keeps everything else byte for byte', async () => {
    const item = '<Item Reference="1"><A>old</A><!-- <A>not this</A> --><B><![CDATA[<A>x</A>]]></B></Item>';
    for (const size of [1, 3, 1000])
      assert.equal(
        await rewrite(item, { 1: { A: 'a <b> & c' } }, { size }),
        `\n${item.replace('<A>old</A>', '<A>a &lt;b&gt; &amp; c</A>')}`,
      );
  });

  it('WEB-03 replaces a text in a CDATA section or with a comment inside, and fills an empty element', async () => {
    assert.equal(
      await rewrite('<Item><A><![CDATA[x]]><!-- c --></A><B/></Item>', { 1: { A: 'y', B: 'z' } }),
      '\n<Item><A>y</A><B>z</B></Item>',
    );
  });

  it('REF-07 WEB-03 adds absent elements where the schema expects them, also in an empty element', async () => {
    const added = { '+B': 'b', '+A': 'a', 'Loan/+Loan': 'n' };
    assert.equal(
      await rewrite('<Item><C>c</C><Loan><Agency>i</Agency><UPB>1</UPB></Loan></Item>', { 1: added }),
      '\n<Item><A>a</A><B>b</B><C>c</C><Loan><Agency>i</Agency><Loan>n</Loan><UPB>1</UPB></Loan></Item>',
    );
    assert.equal(
      await rewrite('<Item><Loan/></Item>', { 1: { 'Loan/+UPB': '2' } }),
      '\n<Item><Loan><UPB>2</UPB></Loan></Item>',
    );
  });

  it('WEB-03 leaves out an element that gets an empty text, and moves one that is removed and added', async () => {
    assert.equal(await rewrite('<Item><A>1</A><B>2</B></Item>', { 1: { B: '' } }), '\n<Item><A>1</A></Item>');
    assert.equal(
      await rewrite('<Item><B>2</B><A>1</A></Item>', { 1: { A: '', '+A': '1' } }),
      '\n<Item><A>1</A><B>2</B></Item>',
    );
  });

  it('REF-20 WEB-03 changes attributes, and distinguishes siblings of one name', async () => {
    assert.equal(
      await rewrite('<Item Reference="long"><L><X>1</X></L><L><X>2</X></L></Item>', {
        1: { '@Reference': 's"hort', 'L[2]/X': '3' },
      }),
      '\n<Item Reference="s&quot;hort"><L><X>1</X></L><L><X>3</X></L></Item>',
    );
  });

  it('WEB-03 writes only the named items', async () => {
    assert.equal(
      await rewrite(
        '<Item><A>1</A></Item><Item><A>2</A></Item><Item><A>3</A></Item>',
        { 2: { A: '4' } },
        { only: [2, 3] },
      ),
      '\n<Item><A>4</A></Item>\n<Item><A>3</A></Item>',
    );
  });
});

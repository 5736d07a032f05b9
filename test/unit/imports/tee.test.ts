import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tee } from '../../../src/modules/imports/import/lib/tee.ts';

const PIECES = ['a', 'b', 'c', 'd'];

/** A source that counts how many of its pieces were read, and whether it was closed. */
function countedSource(pieces: readonly string[] = PIECES): {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly read: () => number;
  readonly isClosed: () => boolean;
} {
  let read = 0;
  let closed = false;
  async function* bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (const piece of pieces) {
        read++;
        yield Buffer.from(piece);
      }
    } finally {
      closed = true;
    }
  }
  return { bytes: bytes(), read: () => read, isClosed: () => closed };
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of bytes) text += Buffer.from(piece).toString();
  return text;
}

/** Lets everything run that can run without further input. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a stream for a reader and a copy', () => {
  it('gives both the same bytes, whoever starts first', async () => {
    for (const readerFirst of [true, false]) {
      const { bytes, copy } = tee(countedSource().bytes);
      const sides = readerFirst ? [bytes, copy] : [copy, bytes];
      assert.deepEqual(await Promise.all(sides.map(textOf)), ['abcd', 'abcd']);
    }
  });

  it('gives both the end of an empty source', async () => {
    const { bytes, copy } = tee(countedSource([]).bytes);
    assert.deepEqual(await Promise.all([textOf(bytes), textOf(copy)]), ['', '']);
  });

  it('reads nothing before the reader asks, and no further while the copy has not taken a piece', async () => {
    const source = countedSource();
    const { bytes, copy } = tee(source.bytes);
    const copied = copy[Symbol.asyncIterator]();
    const waiting = copied.next();
    await settle();
    assert.equal(source.read(), 0);
    const reader = bytes[Symbol.asyncIterator]();
    const first = reader.next();
    assert.equal(Buffer.from((await waiting).value as Uint8Array).toString(), 'a');
    let isReturned = false;
    void first.then(() => (isReturned = true));
    await settle();
    assert.deepEqual([source.read(), isReturned], [1, false], 'the copy still works on the piece');
    void copied.next();
    assert.equal(Buffer.from((await first).value as Uint8Array).toString(), 'a');
    await settle();
    assert.equal(source.read(), 1, 'at most one piece is held');
  });

  it('completes the copy although the reader stopped early', async () => {
    const { bytes, copy, drain } = tee(countedSource().bytes);
    const copied = textOf(copy);
    for await (const _ of bytes) break;
    await drain();
    assert.equal(await copied, 'abcd');
  });

  it('has nothing left to drain after the reader reached the end', async () => {
    const { bytes, copy, drain } = tee(countedSource().bytes);
    await Promise.all([textOf(bytes), textOf(copy)]);
    await drain();
  });

  it('lets the reader continue to the end although the copy stopped while it worked on a piece', async () => {
    const { bytes, copy } = tee(countedSource().bytes);
    const stopped = (async () => {
      for await (const _ of copy) break;
    })();
    assert.equal(await textOf(bytes), 'abcd');
    await stopped;
  });

  it('lets the reader continue to the end although the copy failed before its first piece', async () => {
    const { bytes, endCopy } = tee(countedSource().bytes);
    const text = textOf(bytes);
    await settle();
    endCopy();
    assert.equal(await text, 'abcd');
  });

  it('ends the copy with an error and closes the source once it is abandoned', async () => {
    const source = countedSource();
    const { bytes, copy, abandon } = tee(source.bytes);
    const copied = textOf(copy);
    for await (const _ of bytes) break;
    abandon();
    await assert.rejects(copied, /could not be read to its end/);
    await settle();
    assert.equal(source.isClosed(), true);
  });

  it('ends a copy with an error that starts only after it was abandoned', async () => {
    const { copy, abandon } = tee(countedSource().bytes);
    abandon();
    await assert.rejects(textOf(copy), /could not be read to its end/);
  });

  it('releases a reader that waits for the copy when it is abandoned', async () => {
    const { bytes, copy, abandon } = tee(countedSource().bytes);
    const copied = copy[Symbol.asyncIterator]();
    const waiting = copied.next();
    const reader = bytes[Symbol.asyncIterator]();
    const first = reader.next();
    await waiting;
    abandon();
    await assert.rejects(copied.next(), /could not be read to its end/);
    assert.equal((await first).done, false);
  });

  it('gives the reader the error of the source', async () => {
    const failure = new Error('the connection was lost');
    async function* broken(): AsyncGenerator<Uint8Array, void, undefined> {
      yield Buffer.from('a');
      throw failure;
    }
    const { bytes, copy, abandon } = tee(broken());
    const copied = textOf(copy);
    await assert.rejects(textOf(bytes), failure);
    abandon();
    await assert.rejects(copied, /could not be read to its end/);
  });
});

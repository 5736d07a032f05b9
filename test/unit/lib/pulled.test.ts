import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pulled } from '../../../src/lib/pulled.ts';

describe('pulled pieces', () => {
  it('arrive in order, each only when the reader asks for it', async () => {
    const pushed: number[] = [];
    const read: number[] = [];
    for await (const piece of pulled<number>(async (take) => {
      for (const each of [1, 2, 3]) {
        pushed.push(each);
        await take(each);
      }
    })) {
      assert.equal(pushed.length, read.length + 1);
      read.push(piece);
    }
    assert.deepEqual(read, [1, 2, 3]);
  });

  it('end with the error of their producer', async () => {
    const read: number[] = [];
    await assert.rejects(async () => {
      for await (const piece of pulled<number>(async (take) => {
        await take(1);
        throw new Error('broken');
      }))
        read.push(piece);
    }, /broken/);
    assert.deepEqual(read, [1]);
  });

  it('stop their producer when the reader stops', async () => {
    const ended = Promise.withResolvers<unknown>();
    for await (const piece of pulled<number>(async (take) => {
      try {
        for (let each = 0; ; each++) await take(each);
      } catch (error) {
        ended.resolve(error);
        throw error;
      }
    }))
      if (piece === 2) break;
    assert.match(String(await ended.promise), /the reader has disconnected/);
  });
});

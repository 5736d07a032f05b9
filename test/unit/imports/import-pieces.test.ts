import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { piecesOf, type ItemPiece } from '../../../src/contracts/import-pieces.ts';

async function* batchesOf<T>(batches: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  yield* batches;
}

async function collect<T>(pieces: AsyncIterable<ItemPiece<T>>): Promise<ItemPiece<T>[]> {
  const all: ItemPiece<T>[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

const limits = { itemsMax: 2, charactersMax: 10, charactersOf: (item: string) => item.length };

describe('the pieces of a source', () => {
  it('are complete at the most items or the most characters, and the last one has the rest', async () => {
    assert.deepEqual(await collect(piecesOf(batchesOf([['a', 'b', 'c'], ['0123456789'], ['d']]), limits, 0)), [
      { items: ['a', 'b'], done: 2, isLast: false },
      { items: ['c', '0123456789'], done: 4, isLast: false },
      { items: ['d'], done: 5, isLast: true },
    ]);
  });

  it('end with an empty piece if the source ends where a piece is complete, or has no items', async () => {
    assert.deepEqual(await collect(piecesOf(batchesOf([['a', 'b']]), limits, 0)), [
      { items: ['a', 'b'], done: 2, isLast: false },
      { items: [], done: 2, isLast: true },
    ]);
    assert.deepEqual(await collect(piecesOf(batchesOf<string>([]), limits, 0)), [{ items: [], done: 0, isLast: true }]);
  });

  it('IMP-15 have each item after the processed ones once and in order, however the source is divided', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ maxLength: 6 }), { maxLength: 7 }), { maxLength: 7 }),
        fc.nat(20),
        fc.integer({ min: 1, max: 5 }),
        async (batches, done, itemsMax) => {
          const all = batches.flat();
          const pieces = await collect(piecesOf(batchesOf(batches), { ...limits, itemsMax }, done));
          assert.deepEqual(
            pieces.flatMap((piece) => piece.items),
            all.slice(done),
          );
          assert.deepEqual(
            pieces.map((piece) => piece.isLast),
            pieces.map((_, n) => n === pieces.length - 1),
          );
          let end = Math.min(done, all.length);
          for (const piece of pieces) {
            assert.ok(piece.items.length <= itemsMax);
            end += piece.items.length;
            assert.equal(piece.done, end);
          }
        },
      ),
    );
  });

  it('close the source if their consumer fails', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<readonly string[]> {
      try {
        yield ['a', 'b', 'c', 'd'];
      } finally {
        closed = true;
      }
    }
    const failure = new Error('the piece failed');
    await assert.rejects(async () => {
      for await (const _ of piecesOf(source(), limits, 0)) throw failure;
    }, failure);
    assert.equal(closed, true);
  });
});

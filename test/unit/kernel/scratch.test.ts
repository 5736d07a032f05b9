import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReachCache } from '../../../src/kernel/door/reach-cache.ts';
import { SavepointUndo } from '../../../src/kernel/door/savepoint-undo.ts';
import { marks, scratch, ScratchValues } from '../../../src/kernel/door/scratch.ts';

const loan = { name: 'Loan' };

/** Runs a function in a save point that is rolled back. */
async function rolledBack(undo: SavepointUndo, run: () => void): Promise<void> {
  const failing = undo.within(async () => {
    run();
    throw new Error('rolled back');
  });
  await assert.rejects(failing, /rolled back/);
}

describe('scratch values of a transaction', () => {
  it('a token has one value per transaction, created when it is first needed', () => {
    const seen = scratch('ids seen', () => new Set<number>());
    const [one, other] = [new ScratchValues(new SavepointUndo()), new ScratchValues(new SavepointUndo())];
    one.get(seen).add(1);
    assert.deepEqual([...one.get(seen)], [1]);
    assert.deepEqual([...other.get(seen)], []);
  });

  it('two tokens with the same purpose do not share a value', () => {
    const values = new ScratchValues(new SavepointUndo());
    const [one, other] = [marks<number>('ids'), marks<number>('ids')];
    values.get(one).add(1);
    assert.equal(values.get(other).has(1), false);
  });

  it('a rolled-back save point removes the marks and values that it added, and only those', async () => {
    const undo = new SavepointUndo();
    const values = new ScratchValues(undo);
    const [changed, late] = [marks<number>('changed'), scratch('late', () => ({ count: 0 }))];
    values.get(changed).add(1);
    await rolledBack(undo, () => {
      values.get(changed).add(1);
      values.get(changed).add(2);
      values.get(late).count = 5;
    });
    assert.deepEqual(
      [values.get(changed).has(1), values.get(changed).has(2), values.get(late).count],
      [true, false, 0],
    );
    assert.equal(values.get(changed).add(2), true);
  });

  it('what a released save point added is removed with the one around it', async () => {
    const undo = new SavepointUndo();
    const changed = new ScratchValues(undo).get(marks<number>('changed'));
    const outer = undo.within(async () => {
      await undo.within(() => Promise.resolve(changed.add(1)));
      assert.equal(changed.has(1), true);
      throw new Error('rolled back');
    });
    await assert.rejects(outer, /rolled back/);
    assert.equal(changed.isEmpty, true);
  });
});

describe('the reach cache', () => {
  it('has the records that were granted or created, by record type', () => {
    const reach = new ReachCache({ elevation: 0 }, new SavepointUndo());
    reach.grant(loan, 1);
    reach.noteCreated(loan, 2);
    assert.deepEqual([reach.has(loan, 1), reach.has(loan, 2), reach.has({ name: 'Contact' }, 1)], [true, true, false]);
    assert.deepEqual([reach.hasCreated(loan, 1), reach.hasCreated(loan, 2)], [false, true]);
  });

  it('a rolled-back save point removes the grants of what it created and read', async () => {
    const undo = new SavepointUndo();
    const reach = new ReachCache({ elevation: 0 }, undo);
    reach.grant(loan, 1);
    await rolledBack(undo, () => {
      reach.grant(loan, 1);
      reach.grant(loan, 2);
      reach.noteCreated(loan, 3);
    });
    assert.deepEqual(
      [1, 2, 3].map((id) => reach.has(loan, id)),
      [true, false, false],
    );
    assert.equal(reach.hasCreated(loan, 3), false);
  });

  it('grants nothing that was found while row security was off', () => {
    const transaction = { elevation: 0 };
    const reach = new ReachCache(transaction, new SavepointUndo());
    transaction.elevation = 1;
    reach.grant(loan, 1);
    reach.noteCreated(loan, 2);
    transaction.elevation = 0;
    assert.deepEqual([reach.has(loan, 1), reach.has(loan, 2), reach.hasCreated(loan, 2)], [false, false, true]);
  });

  it('a delete forgets the record and everything that was only read', async () => {
    const undo = new SavepointUndo();
    const reach = new ReachCache({ elevation: 0 }, undo);
    reach.grant(loan, 1);
    reach.noteCreated(loan, 2);
    reach.noteCreated(loan, 3);
    await rolledBack(undo, () => reach.forgetDeleted(loan, [3]));
    assert.deepEqual(
      [1, 2, 3].map((id) => reach.has(loan, id)),
      [false, true, true],
    );
    reach.forgetDeleted(loan, [3]);
    assert.deepEqual([reach.has(loan, 2), reach.has(loan, 3)], [true, false]);
  });
});

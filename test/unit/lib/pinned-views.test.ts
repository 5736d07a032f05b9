import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedPins, pinnedInOrder } from '../../../src/lib/pinned-views.ts';

const views = [
  { ViewID: 1, Pinned: false },
  { ViewID: 2, Pinned: true },
  { ViewID: 3, Pinned: true },
  { ViewID: 4, Pinned: null },
];
const shown = (chosen: string | null): number[] => pinnedInOrder(views, chosen).map(({ ViewID }) => ViewID);

describe('pinned views', () => {
  it('WEB-01 without a choice the sidebar has the views that are pinned for all', () => {
    assert.deepEqual(shown(null), [2, 3]);
    assert.deepEqual(shown(''), [2, 3]);
  });

  it('WEB-01 a pinned view comes last, a moved one to its place, and an unpinned one stays away', () => {
    const pinned = changedPins(views, null, { id: 4, isPinned: true });
    assert.deepEqual(shown(pinned), [2, 3, 4]);
    const moved = changedPins(views, pinned, { id: 4, isPinned: true, position: 0 });
    assert.deepEqual(shown(moved), [4, 2, 3]);
    const left = changedPins(views, moved, { id: 2, isPinned: false });
    assert.deepEqual(shown(left), [4, 3]);
    assert.equal(left, '4,3,-2');
    assert.deepEqual(shown(changedPins(views, left, { id: 2, isPinned: true })), [4, 3, 2]);
  });

  it('WEB-01 views that are gone or no longer shared are left out, and newly pinned ones added', () => {
    assert.deepEqual(shown('9,4,-3'), [4, 2]);
    assert.equal(changedPins(views, '9,4,-3', { id: 4, isPinned: true }), '4,2,-3');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { overloadedPeople } from '../../../src/surfaces/pages/team/team-page.ts';

const member = (PersonID: number, Open: number, IsMember = true) => ({ PersonID, Open, IsMember });

describe('the load of the people of a team', () => {
  it('WEB-02 is too much from one and a half times the mean of the members, and from five items', () => {
    assert.deepEqual([...overloadedPeople([member(1, 12), member(2, 2), member(3, 2)])], [1]);
    assert.deepEqual([...overloadedPeople([member(1, 4), member(2, 0)])], []);
    assert.deepEqual([...overloadedPeople([member(1, 6), member(2, 6)])], []);
    assert.deepEqual([...overloadedPeople([member(1, 9), member(2, 3)])], [1]);
  });

  it('WEB-02 says nothing of people who only have items of the team, nor of nobody', () => {
    assert.deepEqual([...overloadedPeople([member(1, 50, false), member(2, 1)])], []);
    assert.deepEqual([...overloadedPeople([])], []);
  });
});

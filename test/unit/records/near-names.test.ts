import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { spellingDistance, typingErrors } from '../../../src/modules/records/record/lib/near-names.ts';

describe('names that are spelled nearly like a text', () => {
  it('WEB-01 counts letters that are inserted, left out, replaced or swapped', () => {
    assert.equal(typingErrors('delgado', 'delgado'), 0);
    assert.equal(typingErrors('delgdao', 'delgado'), 1);
    assert.equal(typingErrors('degado', 'delgado'), 1);
    assert.equal(typingErrors('dellgado', 'delgado'), 1);
    assert.equal(typingErrors('dalgado', 'delgado'), 1);
    assert.equal(typingErrors('', 'abc'), 3);
    assert.equal(typingErrors('kitten', 'sitting'), 3);
  });

  it('WEB-01 compares each word with the nearest word of the name, also with the beginning of it', () => {
    assert.equal(spellingDistance('Delgdao', 'Delgado, Marisol'), 1);
    assert.equal(spellingDistance('marisl delgdao', 'Delgado, Marisol'), 2);
    assert.equal(spellingDistance('Delgda', 'Delgado, Marisol'), 1.5);
    assert.equal(spellingDistance('Müller', 'Muller, Anna'), 0);
    assert.equal(spellingDistance('Whitfield', 'Delgado, Marisol'), undefined);
  });

  it('WEB-01 allows no error in a short word: it would be near too many names', () => {
    assert.equal(spellingDistance('Lee', 'Lea, Ann'), undefined);
    assert.equal(spellingDistance('Lee', 'Lee, Ann'), 0);
  });
});

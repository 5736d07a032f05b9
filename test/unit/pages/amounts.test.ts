import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { enteredAmount, sumOfAmounts } from '../../../src/surfaces/pages/shared/amounts.ts';

describe('sums of amounts on pages', () => {
  it('LED-12 are exact, with signs, and count a text that is no amount as 0', () => {
    assert.equal(sumOfAmounts(['0.1', '0.2']), '0.3000');
    assert.equal(sumOfAmounts(['-1240.5', '186.75', '1500']), '446.2500');
    assert.equal(sumOfAmounts(['-0.05', '0.01']), '-0.0400');
    assert.equal(sumOfAmounts(['99999999999999999.99', '0.0001']), '99999999999999999.9901');
    assert.equal(sumOfAmounts(['', 'abc', '7']), '7.0000');
    assert.equal(sumOfAmounts([]), '0.0000');
  });
});

describe('amounts that people enter', () => {
  it('LED-11 lose a dollar sign and the commas between thousands, and no other comma', () => {
    for (const [text, amount] of [
      [' $1,250.00 ', '1250.00'],
      ['1,250,000', '1250000'],
      ['12,50', '12,50'],
      ['1,2500', '1,2500'],
      ['1,25,000', '1,25,000'],
      ['1250,000', '1250,000'],
      ['-1,250', '-1250'],
      ['0.5,000', '0.5,000'],
      ['-5', '-5'],
      ['', ''],
    ] as const)
      assert.equal(enteredAmount(text), amount);
  });
});

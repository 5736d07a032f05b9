import assert from 'node:assert/strict';
import { it } from 'node:test';
import { containsCardNumber, isCardNumber } from '../../../src/kernel/security/card-number.ts';
import { cardNumber, generator, otherNumbers, withCheckDigit, writings } from '../../support/ledgers/card-numbers.ts';

const ROUNDS = 300;

it('LED-11 a card number is found in every notation, in any sentence', () => {
  const from = generator(20261124);
  for (let round = 0; round < ROUNDS; round++) {
    const card = cardNumber(from);
    assert.ok(isCardNumber(card), card);
    for (const written of writings(card))
      for (const text of [
        written,
        `Borrower paid with ${written}; call 404-555-0123.`,
        `2026-11-24: ${written}\n$12.50`,
      ])
        assert.ok(containsCardNumber(text), JSON.stringify(text));
    // Another check digit.
    const other = card.slice(0, -1) + String((Number(card.at(-1)) + 1 + from.below(9)) % 10);
    assert.ok(!containsCardNumber(`Number ${other}.`), other);
  }
});

it('LED-11 loan, docket and telephone numbers, dates, IDs and tables are not mistaken for card numbers', () => {
  const from = generator(20261125);
  for (let round = 0; round < 5 * ROUNDS; round++)
    for (const number of otherNumbers(from))
      for (const text of [number, `Payoff of ${number} is due.`])
        assert.ok(!containsCardNumber(text), JSON.stringify(text));
  // A fraction is not a number of its own.
  assert.ok(!containsCardNumber(`L0.${withCheckDigit('401288888888188')}`));
  // 15 digits with a check digit are American Express only if they begin like it.
  assert.ok(!containsCardNumber(withCheckDigit('61234567890123')));
});

it('LED-11 a long text is searched in time that grows with its length', () => {
  for (const piece of ['4242 4242 4242 ', '4 ', '4242424242424', '\u200b4', '4-4.', '<a ', '&#52', '4<b>'])
    assert.equal(containsCardNumber(piece.repeat(Math.ceil(500_000 / piece.length))), false, piece);
});

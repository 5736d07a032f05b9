import assert from 'node:assert/strict';
import { it } from 'node:test';
import { majorAmount, minorUnits } from '../../../src/contracts/payment-money.ts';
import { assertCustomer, assertGatewayId, withoutCardNumbers } from '../../../src/contracts/payment-validation.ts';

/** Numbers that card networks publish for tests, of 13, 14, 15, 16 and 19 digits. */
const cards = ['4222222222222', '36227206271667', '378282246310005', '4242424242424242', '6205500000000000004'];

it('LED-11 card numbers are recognized in any writing, and other numbers are not', () => {
  for (const card of cards) {
    assert.throws(() => assertGatewayId('Token', card), { code: 'BAD_PARAMETER', field: 'Token' }, card);
    assert.throws(() => assertGatewayId('Token', card.replace(/(\d{4})/g, '$1-').replace(/-$/, '')), card);
    assert.equal(withoutCardNumbers(`Card ${card}, declined`), 'Card …, declined');
    assert.equal(withoutCardNumbers(`Card ${card.replace(/(\d{4})\B/g, '$1 ')}.`), 'Card ….');
    assert.throws(() => assertCustomer({ name: `Anna ${card}` }), { code: 'BAD_PARAMETER', field: 'Name' });
    assert.throws(() => assertCustomer({ name: 'Anna', phone: card }), { code: 'BAD_PARAMETER', field: 'Telephone' });
  }
  for (const id of [
    'pi_3PabcDEF',
    'tok_visa',
    '4242424242424241',
    '1234567890123456',
    '424242424242',
    'a4242424242424242',
  ])
    assertGatewayId('Payment', id);
  for (const phone of ['202 555 0123', '+49 1512 3456789', '(202) 555-0123', '020 7946 0958'])
    assertCustomer({ name: 'Anna', phone });
  assert.equal(
    withoutCardNumbers('Case 2026-11-23 of loan 1234567890123456'),
    'Case 2026-11-23 of loan 1234567890123456',
  );
});

it('amounts are exact in the minor unit of their currency', () => {
  const units = (amount: string, currency: string) => minorUnits({ amount, currency });
  assert.deepEqual(
    [units('0.01', 'USD'), units('12.5', 'USD'), units('12.500', 'USD'), units('7', 'JPY'), units('1.001', 'KWD')],
    [1, 1250, 1250, 7, 1001],
  );
  assert.equal(units('9999999999.99', 'USD'), 999_999_999_999);
  for (const amount of [
    '0',
    '0.00',
    '-1',
    '+1',
    '1e3',
    '0x10',
    ' 1',
    '1.',
    '.5',
    '1,5',
    '0.001',
    '10000000000',
    '',
    'NaN',
  ])
    assert.throws(() => units(amount, 'USD'), { code: 'BAD_PARAMETER', field: 'Amount' }, amount);
  for (const currency of ['usd', 'US', 'USDX', ''])
    assert.throws(() => units('1', currency), { code: 'BAD_PARAMETER', field: 'Currency' }, currency);
  assert.deepEqual(
    [majorAmount(5, 2), majorAmount(1250, 2), majorAmount(7, 0), majorAmount(1001, 3), majorAmount(0, 2)],
    ['0.05', '12.50', '7', '1.001', '0'],
  );
});

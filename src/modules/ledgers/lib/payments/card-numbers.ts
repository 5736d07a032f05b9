import { hasCardNumber } from '../../../../contracts/payment-validation.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';

/**
 * Refuses texts with what looks like a card number, which is never stored. The message does not repeat it.
 *
 * @throws BAD_PARAMETER naming the field
 */
export function assertNoCardNumber(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && hasCardNumber(value)) throw bad(name, 'text without a card number');
}

import type { Row } from '../../door/answer.ts';
import type { Context } from '../../door/context.ts';
import type { SavePlan } from './plan.ts';

/** Code of the warning that a masked number was sent that is not the stored one. */
export const MASKED_NUMBER = 'MASKED_NUMBER';

/**
 * Warns of protected numbers that were sent masked, such as in a file that was exported before, unless they are masks
 * of the stored ones: a mask cannot be stored. `row` is the record after the save.
 */
export function warnMaskedNumbers(ctx: Pick<Context, 'alert'>, { maskedNumbers }: SavePlan, row: Row): void {
  for (const { column, field, last } of maskedNumbers) {
    const stored = row[String(column.field.last)] ?? null;
    if (stored === last) continue;
    ctx.alert({
      code: MASKED_NUMBER,
      text:
        `${field}: the number was sent masked and is not stored; ` +
        (stored === null ? 'the record has none.' : 'the stored number ends in other digits and was not changed.') +
        ' Send all nine digits to store it.',
    });
  }
}

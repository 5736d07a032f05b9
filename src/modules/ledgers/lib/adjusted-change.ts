import type { LineRules } from './ledger-template.ts';
import { moneyText, moneyUnits } from './money.ts';
import type { ProjectedValues } from './project-line.ts';

type Counted = Pick<ProjectedValues, 'AmountMoney' | 'IsDebit' | 'IsTotaled'>;
type Defaults = Pick<LineRules, 'isDebit' | 'isTotaled'> | undefined;

/** Returns by how much new values of a line would change the adjusted balance of its ledger. */
export function adjustedChange(stored: Counted | undefined, values: Counted, rules: Defaults): string {
  return moneyText(counted(values, rules) - (stored ? counted(stored, rules) : 0n));
}

/** Returns what a line counts for in the adjusted balance, in ten-thousandths. */
function counted({ AmountMoney: amount, IsDebit: isDebit, IsTotaled: isTotaled }: Counted, rules: Defaults): bigint {
  if (!(isTotaled ?? rules?.isTotaled ?? false)) return 0n;
  const units = moneyUnits(amount ?? '0');
  return (isDebit ?? rules?.isDebit ?? false) ? units : -units;
}

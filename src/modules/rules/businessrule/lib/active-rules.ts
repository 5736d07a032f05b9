import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** An active rule as a process caches it. */
export interface ActiveRule {
  readonly id: number;
  /** Its position among all rules. */
  readonly position: number;
  readonly name: string;
  /** The table, as the rule spells it. */
  readonly appliesTo: string;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly validator: string | null;
  readonly text: string | null;
}

/** Active rules by lower-case `table/operation`, each list in evaluation order. */
export type ActiveRules = ReadonlyMap<string, readonly ActiveRule[]>;

interface StoredRule extends Omit<ActiveRule, 'position'> {
  readonly operation: string;
}

/** Reads all active rules. Their dates are checked when they run. */
export async function loadActiveRules(db: Db): Promise<ActiveRules> {
  const rows = await db.query<StoredRule>(
    `select businessruleid as id, coalesce(businessrule, '') as name, appliesto as "appliesTo", operation, startdate
      as "startDate", enddate as "endDate", rulevalidator as validator, stylesheet as text
    from businessrule where status = 'Active' and appliesto is not null and operation is not null
    order by sequence nulls last, businessruleid`,
  );
  const known = new Map<string, ActiveRule[]>();
  for (const [place, { operation, ...row }] of rows.entries()) {
    const rule: ActiveRule = { ...row, position: place };
    for (const name of new Set(splitCommaList(operation).flatMap(changeNames))) {
      const key = `${rule.appliesTo}/${name}`.toLowerCase();
      known.set(key, [...(known.get(key) ?? []), rule]);
    }
  }
  return known;
}

/** Returns the change names of an operation: by the time rules run, a save is an insert or an update. */
function changeNames(operation: string): string[] {
  return operation.toLowerCase() === 'save' ? ['insert', 'update'] : [operation.toLowerCase()];
}

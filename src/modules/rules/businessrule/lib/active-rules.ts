import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** An active rule as a process remembers it. */
export interface ActiveRule {
  readonly id: number;
  /** Where it stands among all rules. */
  readonly position: number;
  readonly name: string;
  /** The table as the rule says it. */
  readonly appliesTo: string;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly validator: string | null;
  readonly text: string | null;
}

/** The active rules by `table/operation` in lower case, each list in its order. */
export type ActiveRules = ReadonlyMap<string, readonly ActiveRule[]>;

interface StoredRule extends ActiveRule, Record<string, unknown> {
  readonly operation: string;
}

/** Reads all active rules; which of them are asked today is decided when they are. */
export async function loadActiveRules(db: Db): Promise<ActiveRules> {
  const rows = await db.query<StoredRule>(
    `select businessruleid as id, coalesce(businessrule, '') as name, appliesto as "appliesTo", operation, startdate as "startDate", enddate as "endDate", rulevalidator as validator, stylesheet as text
    from businessrule where status = 'Active' and appliesto is not null and operation is not null order by sequence nulls last, businessruleid`,
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

/** A save is an insert or an update by the time that rules are asked. */
function changeNames(operation: string): string[] {
  return operation.toLowerCase() === 'save' ? ['insert', 'update'] : [operation.toLowerCase()];
}

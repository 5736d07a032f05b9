import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import type { Db } from '../../../../kernel/database/store.ts';

/** An active rule as a process remembers it. */
export interface Rule {
  readonly id: number;
  /** Where it stands among all rules. */
  readonly place: number;
  readonly name: string;
  /** The table as the rule says it. */
  readonly appliesTo: string;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly validator: string | null;
  readonly text: string | null;
}

/** The active rules by `table/operation` in lower case, each list in its order. */
export type KnownRules = ReadonlyMap<string, readonly Rule[]>;

interface Stored extends Rule, Record<string, unknown> {
  readonly operation: string;
}

/** Reads all active rules; which of them are asked today is decided when they are. */
export async function loadRules(db: Db): Promise<KnownRules> {
  const rows = await db.query<Stored>(
    `select businessruleid as id, coalesce(businessrule, '') as name, appliesto as "appliesTo", operation, startdate as "startDate", enddate as "endDate", rulevalidator as validator, stylesheet as text
    from businessrule where status = 'Active' and appliesto is not null and operation is not null order by sequence nulls last, businessruleid`,
  );
  const known = new Map<string, Rule[]>();
  for (const [place, { operation, ...row }] of rows.entries()) {
    const rule: Rule = { ...row, place };
    for (const name of new Set(splitCommaList(operation).flatMap(asked))) {
      const key = `${rule.appliesTo}/${name}`.toLowerCase();
      known.set(key, [...(known.get(key) ?? []), rule]);
    }
  }
  return known;
}

/** A save is an insert or an update by the time that rules are asked. */
function asked(operation: string): string[] {
  return operation.toLowerCase() === 'save' ? ['insert', 'update'] : [operation.toLowerCase()];
}

import type { LetterReport } from '../../../../contracts/delivery.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { changeOfReport, type LetterChange, type LetterStatus } from './letter-state.ts';
import { publishLetters } from './publish-letters.ts';

/** Result of applying reports. */
export interface AppliedReports {
  /** Letters whose status changed. */
  readonly changed: number;
  /** Keys of no letter that this mail house has. */
  readonly unknownKeys: readonly string[];
}

/**
 * Applies the reports of a mail house to its letters, in this call's transaction. Reports about letters of other mail
 * houses, and about letters that were never transmitted, are not applied.
 */
export async function applyReports(
  own: Context,
  mailHouse: string,
  reports: readonly LetterReport[],
): Promise<AppliedReports> {
  const letters = await own.db.query<{ id: number; key: string; status: LetterStatus }>(
    `select deliveryid as id, letterkey as key, status
     from delivery
     where letterkey = any($1::text[]) and mailhouse = $2::text and begundate is not null
     order by deliveryid
     for update`,
    [arrayLiteral(reports.map(({ key }) => key)), mailHouse],
  );
  const byKey = new Map(letters.map((letter) => [letter.key, { ...letter }]));
  let changed = 0;
  for (const report of reports) {
    const letter = byKey.get(report.key);
    if (!letter) continue;
    const change = changeOfReport(letter.status, report);
    await writeChange(own, letter.id, change);
    if (change.status === undefined) continue;
    letter.status = change.status;
    changed++;
  }
  const unknownKeys = [...new Set(reports.map(({ key }) => key))].filter((key) => !byKey.has(key));
  return { changed, unknownKeys };
}

/** Writes what a report changes, if anything: mail houses repeat their reports. */
async function writeChange(own: Context, id: number, change: LetterChange): Promise<void> {
  const dated = `${change.dated}Date` as const;
  const column = dated.toLowerCase();
  const rows = await own.db.query(
    `update delivery
     set status = coalesce($2::text, status), ${column} = coalesce(${column}, $3::timestamptz),
       reason = case when $2::text is null then reason else $4::text end,
       unknowndate = case when $2::text is null then unknowndate end,
       reference = coalesce($5::text, reference), trackingnumber = coalesce($6::text, trackingnumber),
       cost = coalesce($7::numeric, cost), updateddate = $8::timestamptz, updatedpersonid = $9::bigint,
       version = version + 1
     where deliveryid = $1::bigint and ($2::text is not null or ${column} is null
       or coalesce($5::text, reference) is distinct from reference
       or coalesce($6::text, trackingnumber) is distinct from trackingnumber
       or coalesce($7::numeric, cost) is distinct from cost)
     returning 1`,
    [
      id,
      change.status ?? null,
      change.date,
      change.reason ?? null,
      change.reference ?? null,
      change.trackingNumber ?? null,
      change.costCents === undefined ? null : (change.costCents / 100).toFixed(2),
      own.clock.now(),
      own.user.personId,
    ],
  );
  const state = change.status === undefined ? [] : (['Status', 'Reason', 'UnknownDate'] as const);
  if (rows.length > 0) await publishLetters(own, [id], [...state, dated, 'Reference', 'TrackingNumber', 'Cost']);
}

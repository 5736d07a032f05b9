import { MAIL_HOUSE, type LetterInquiry } from '../../../../contracts/delivery.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { applyReports } from './apply-reports.ts';
import { holdClaim, type MailingClaim } from './claim.ts';
import { publishLetters } from './publish-letters.ts';

/** Letters that are checked together. */
const ASKED_MAX = 100;

interface BegunLetter {
  readonly key: string;
  readonly submission: string;
}

/**
 * Asks the mail house about letters of a claimed mailing whose transmission began without a known outcome. Those that
 * it never had can be submitted again.
 * @throws UNAVAILABLE if it cannot be reached; CONCURRENT_CHANGE if the claim was lost
 */
export async function settleUnknown(ctx: Context, claim: MailingClaim): Promise<void> {
  let after = '';
  for (;;) {
    const letters = await ctx.db.query<BegunLetter>(
      `select letterkey as key, submissionkey as submission
       from delivery
       where deliverybatchid = $1::bigint and status in ('Queued', 'Unknown') and begundate is not null
         and letterkey > $2::text
       order by letterkey limit ${ASKED_MAX}`,
      [claim.id, after],
    );
    const last = letters.at(-1);
    if (!last) return;
    after = last.key;
    const answers = await ctx.providers.get(MAIL_HOUSE, claim.mailHouse).inquire(letters, ctx.clock.now());
    await ctx.inTransaction(async (own) => {
      await holdClaim(own, claim);
      await recordInquiries(own, claim.mailHouse, answers);
    });
  }
}

/** Records what a mail house answered about letters whose outcome is not known. */
export async function recordInquiries(
  own: Context,
  mailHouse: string,
  answers: readonly LetterInquiry[],
): Promise<number> {
  const { changed } = await applyReports(
    own,
    mailHouse,
    answers.flatMap((answer) => (answer.status === 'found' ? [answer.report] : [])),
  );
  const others = answers.filter((answer) => answer.status !== 'found');
  const rows = await own.db.query<{ id: number }>(
    `update delivery d
     set status = case a.status when 'absent' then 'Queued' else 'Unknown' end,
       begundate = case a.status when 'absent' then null else d.begundate end,
       unknowndate = case a.status when 'absent' then null else coalesce(d.unknowndate, $2::timestamptz) end,
       reason = a.detail, updateddate = $2::timestamptz, version = d.version + 1
     from jsonb_to_recordset($1::text::jsonb) as a (key text, status text, detail text)
     where d.letterkey = a.key and d.status in ('Queued', 'Unknown') and d.begundate is not null
       and (a.status = 'absent' or d.status <> 'Unknown' or d.reason is distinct from a.detail)
     returning d.deliveryid as id`,
    [JSON.stringify(others), own.clock.now()],
  );
  await publishLetters(
    own,
    rows.map(({ id }) => id),
    ['Status', 'BegunDate', 'UnknownDate', 'Reason'],
  );
  return changed + rows.length;
}

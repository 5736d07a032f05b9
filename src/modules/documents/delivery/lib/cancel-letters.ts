import { MAIL_HOUSE, type LetterOutcome, type SubmittedLetter } from '../../../../contracts/delivery.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { publishLetters, publishMailings } from './publish-letters.ts';

/** Result of a cancellation. */
export interface Cancellation {
  readonly canceled: number;
  readonly requested: number;
  readonly refused: readonly { readonly id: number; readonly text: string }[];
}

interface SentLetter {
  readonly id: number;
  readonly key: string;
  readonly submission: string;
  readonly reference: string | null;
  readonly mailHouse: string;
  readonly status: string;
}

/** Cancels letters: those here at once, those at a mail house if it agrees. */
export async function cancelLetters(ctx: Context, ids: readonly number[]): Promise<Cancellation> {
  const here = await ctx.inTransaction((own) => cancelHere(own, ids));
  const rest = ids.filter((id) => !here.has(id));
  const sent = await ctx.db.query<SentLetter>(
    `select deliveryid as id, letterkey as key, coalesce(submissionkey, '') as submission, reference,
       mailhouse as "mailHouse", status
     from delivery where deliveryid = any($1::bigint[]) order by deliveryid`,
    [arrayLiteral(rest)],
  );
  const refused = sent
    .filter(({ status }) => status !== 'Submitted')
    .map(({ id, status }) => ({ id, text: refusalOf(id, status) }));
  let [canceled, requested] = [here.size, 0];
  const atHouses = Map.groupBy(
    sent.filter(({ status }) => status === 'Submitted'),
    ({ mailHouse }) => mailHouse,
  );
  for (const [mailHouse, letters] of atHouses) {
    const outcomes = await ctx.providers.get(MAIL_HOUSE, mailHouse).cancel(letters.map(submitted));
    await ctx.inTransaction((own) => recordCancellations(own, outcomes));
    for (const [at, { status, detail }] of outcomes.entries()) {
      if (status === 'accepted') canceled++;
      else if (status === 'refused') refused.push({ id: letters[at]?.id ?? 0, text: detail ?? 'It is too late.' });
      else requested++;
    }
  }
  return { canceled, requested, refused };
}

function refusalOf(id: number, status: string): string {
  if (status === 'Queued' || status === 'Unknown')
    return `Letter ${id} is being submitted, or it is not known whether the mail house has it; track it first.`;
  return `Letter ${id} is ${status.toLowerCase()}; it was skipped.`;
}

function submitted({ key, submission, reference }: SentLetter): SubmittedLetter {
  return { key, submission, ...(reference === null ? {} : { reference }) };
}

/** Cancels letters of which nothing was transmitted; returns which. A mailing without other letters is canceled too. */
async function cancelHere(own: Context, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await own.db.query<{ id: number; batchId: number }>(
    `update delivery
     set status = 'Canceled', canceleddate = $2::timestamptz, updateddate = $2::timestamptz,
       updatedpersonid = $3::bigint, version = version + 1
     where deliveryid = any($1::bigint[]) and status in ('Preparing', 'Prepared', 'Queued') and begundate is null
     returning deliveryid as id, deliverybatchid as "batchId"`,
    [arrayLiteral(ids), own.clock.now(), own.user.personId],
  );
  const batches = await own.db.query<{ id: number }>(
    `update deliverybatch b
     set status = 'Canceled', nextattempt = null, updateddate = $2::timestamptz, updatedpersonid = $3::bigint,
       version = version + 1
     where b.deliverybatchid = any($1::bigint[]) and b.status in ('Preparing', 'Prepared', 'Waiting')
       and not exists (select from delivery d where d.deliverybatchid = b.deliverybatchid and d.status <> 'Canceled')
     returning b.deliverybatchid as id`,
    [arrayLiteral(rows.map(({ batchId }) => batchId)), own.clock.now(), own.user.personId],
  );
  const canceled = rows.map(({ id }) => id);
  await publishLetters(own, canceled, ['Status', 'CanceledDate']);
  await publishMailings(
    own,
    batches.map(({ id }) => id),
    ['Status', 'NextAttempt'],
  );
  return new Set(canceled);
}

async function recordCancellations(own: Context, outcomes: readonly LetterOutcome[]): Promise<void> {
  const rows = await own.db.query<{ id: number }>(
    `update delivery d
     set status = case o.status when 'accepted' then 'Canceled' else d.status end,
       canceleddate = case o.status when 'accepted' then $2::timestamptz end, reason = o.detail,
       updateddate = $2::timestamptz, updatedpersonid = $3::bigint, version = d.version + 1
     from jsonb_to_recordset($1::text::jsonb) as o (key text, status text, detail text)
     where d.letterkey = o.key and d.status = 'Submitted' and o.status <> 'refused'
     returning d.deliveryid as id`,
    [JSON.stringify(outcomes), own.clock.now(), own.user.personId],
  );
  await publishLetters(
    own,
    rows.map(({ id }) => id),
    ['Status', 'CanceledDate', 'Reason'],
  );
}

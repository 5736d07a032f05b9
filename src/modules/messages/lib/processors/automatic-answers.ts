import type { Context } from '../../../../kernel/door/context.ts';

/** Hours within which a sender gets one automatic answer in a conversation. */
const ANSWER_HOURS = 24;

/** A mail that a rule may answer. */
interface AnswerableMail {
  readonly threadId: number;
  readonly values: ReadonlyMap<string, unknown>;
  readonly unanswerable: string | undefined;
}

/**
 * Claims the right to answer a mail automatically; returns why it may not be answered. A sender gets one such answer a
 * day in a conversation, and a program none: two programs would answer each other for ever.
 */
export async function mayAnswer(own: Context, mail: AnswerableMail): Promise<string | undefined> {
  if (mail.unanswerable !== undefined) return mail.unanswerable;
  const address = mail.values.get('fromaddress');
  if (typeof address !== 'string' || address === '') return 'The email has no sender to answer.';
  const rows = await own.db.query(
    `insert into mailanswer (threadid, address, answereddate) values ($1::bigint, $2::text, $3::timestamptz)
     on conflict (threadid, address) do update set answereddate = excluded.answereddate
       where mailanswer.answereddate <= excluded.answereddate - make_interval(hours => ${ANSWER_HOURS})
     returning 1`,
    [mail.threadId, address.toLowerCase(), own.clock.now()],
  );
  return rows.length > 0 ? undefined : `Its sender got an automatic answer less than ${ANSWER_HOURS} hours ago.`;
}

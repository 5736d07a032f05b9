import type { Db } from '../../../../kernel/database/store.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { identifiersOf, writtenWords } from '../../../../lib/text-search/words.ts';
import { messageText, PARTS_SQL, type MessageParts } from './message-text.ts';

/** Messages whose words are written at a time. */
const BATCH_MESSAGES = 100;
/** How long one run writes words. */
const RUN_MILLISECONDS = 10_000;
/** Messages of an installation from before their words were written, noted at a time. */
const BACKFILL_MESSAGES = 500;

interface DueMessage extends MessageParts {
  readonly due: number;
  readonly firm: number | null;
}

/** Writes the words of messages that are due, the newest first. Returns how many. */
async function indexMessages(db: Db): Promise<number> {
  const due = await db.query<DueMessage>(
    `select t.due, t.reachorganizationid as firm, ${PARTS_SQL}
     from messagetext t join message m on m.messageid = t.messageid
     where t.due > 0 and t.page = 0
     order by t.messageid desc
     limit ${BATCH_MESSAGES}`,
  );
  if (due.length === 0) return 0;
  const rows = due.map((message) => {
    const { subject, others, hidden } = messageText(message);
    const all = hidden === '' ? '' : `${others}\n${hidden}`;
    return {
      id: message.id,
      due: message.due,
      firm: message.firm,
      subject: writtenWords(subject),
      subjectids: identifiersOf(subject),
      others: writtenWords(others),
      otherids: identifiersOf(others),
      hidden: writtenWords(all),
      hiddenids: identifiersOf(all),
    };
  });
  // What changed meanwhile stays due.
  await db.query(
    `with p as materialized (
       select * from jsonb_to_recordset($1::text::jsonb) p (id bigint, due integer, firm bigint, subject text,
         subjectids jsonb, others text, otherids jsonb, hidden text, hiddenids jsonb)
     ), done as (
       update messagetext t set due = 0, words = ${wordsSql('others', 'otherids', 'p.firm')}
       from p
       where t.messageid = p.id and t.page = 0 and t.due = p.due and t.reachorganizationid is not distinct from p.firm
       returning t.messageid
     ), gone as (
       delete from messagetext t using p where t.messageid = p.id and t.page = 1 and p.hidden = ''
     )
     insert into messagetext (messageid, page, due, words)
     select p.id, 1, 0, ${wordsSql('hidden', 'hiddenids', 'null')} from p join done on done.messageid = p.id
     where p.hidden <> ''
     on conflict (messageid, page) do update set words = excluded.words`,
    [JSON.stringify(rows)],
  );
  return due.length;
}

/** SQL: the lexemes of the subject and another text of `p`. */
function wordsSql(text: string, identifiers: string, firm: string): string {
  return `setweight(casewright_page_words(p.subject::tsvector, array(select jsonb_array_elements_text(p.subjectids)),
      p.id, ${firm}::bigint), 'A')
    || casewright_page_words(p.${text}::tsvector, array(select jsonb_array_elements_text(p.${identifiers})), p.id,
      ${firm}::bigint)`;
}

/** Housekeeping: writes the words by which messages are found. */
export const indexMessageTexts = {
  name: 'words of messages',
  everyMinutes: 1 / 20,
  async run({ store }: Pick<Platform, 'store'>): Promise<number> {
    const deadline = performance.now() + RUN_MILLISECONDS;
    let count = 0;
    for (;;) {
      const written = await indexMessages(store);
      count += written;
      if (written < BATCH_MESSAGES || performance.now() >= deadline) break;
    }
    return count > 0 ? count : backfill(store);
  },
} as const;

/** Notes messages that were stored before words were written, the newest first. Returns how many. */
async function backfill(db: Db): Promise<number> {
  const rows = await db.query(
    `insert into messagetext (messageid, reachorganizationid)
     select messageid, reachorganizationid from message
     where messageid < coalesce((select min(messageid) from messagetext), 9223372036854775807)
     order by messageid desc limit ${BACKFILL_MESSAGES}
     on conflict do nothing
     returning messageid`,
  );
  return rows.length;
}

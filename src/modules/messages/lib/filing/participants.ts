import freeMailDomains from 'free-email-domains';
import type { Db } from '../../../../kernel/database/store.ts';
import type { FiledRecord } from './filing.ts';

/**
 * Domains at which anybody gets an address: two of their addresses have nothing in common. Others are those of an
 * organization, such as a law office whose staff answer for one another.
 */
const publicDomains: ReadonlySet<string> = new Set(freeMailDomains);

/** Who may answer: the conversation and the record on which it is filed. */
export interface Participation {
  readonly threadId?: number;
  readonly record?: FiledRecord;
}

/** How near a sender is to a conversation: one of its people, of the organization of one, or neither. */
export type Nearness = 'participant' | 'colleague' | 'stranger';

/**
 * Returns how near a sender is to a conversation or a case: a sender or recipient of one of its messages, or a contact
 * of the case or its loan, is a participant.
 */
export async function nearness(db: Db, sender: string, { threadId, record }: Participation): Promise<Nearness> {
  const address = sender.trim().toLowerCase();
  const domain = address.split('@')[1] ?? '';
  if (domain === '') return 'stranger';
  const [row] = await db.query<{ isParticipant: boolean; isColleague: boolean }>(PARTICIPANTS, [
    threadId ?? null,
    record?.object ?? null,
    record?.objectId ?? null,
    address,
    domain,
  ]);
  if (row?.isParticipant === true) return 'participant';
  return row?.isColleague === true && !publicDomains.has(domain) ? 'colleague' : 'stranger';
}

const PARTICIPANTS = `with people (address) as (
    select m.fromaddress::text from message m where m.threadid = $1::bigint
    union select r.messagerecipient::text from message m join messagerecipient r on r.messageid = m.messageid
      where m.threadid = $1::bigint
    union select m.fromaddress::text from message m
      where m.object = $2::text and m.objectid = $3::bigint and m.status is distinct from 'Draft'
    union select r.messagerecipient::text from message m join messagerecipient r on r.messageid = m.messageid
      where m.object = $2::text and m.objectid = $3::bigint and m.status is distinct from 'Draft'
    union select w.contactvalue::text from contact c join contactmethod w on w.contactid = c.contactid
      where w.methodtype = 'Email' and (c.object = $2::text and c.objectid = $3::bigint
        or $2::text in ('Foreclosure', 'Bankruptcy', 'Process') and c.object = 'Loan'
          and c.objectid = (select p.loanid from process p where p.processid = $3::bigint)))
  select coalesce(bool_or(lower(address collate "C") = $4::text), false) as "isParticipant",
    coalesce(bool_or(split_part(lower(address collate "C"), '@', 2) = $5::text), false) as "isColleague"
  from people where address is not null`;

import type { Db } from '../../../../kernel/database/store.ts';
import { nearness } from './participants.ts';

/** Characters at the beginning of a subject that the index has. */
const START_CHARACTERS = 16;
/** Most messages that are compared. */
const MESSAGES_MAX = 200;

/** A message whose earlier conversation is looked for. */
export interface LaterMessage {
  readonly id: number;
  readonly subject: string;
  /** Null where the sender is not proven, and so counts for nothing. */
  readonly fromAddress: string | null;
  /** The firm whose mailbox received it; null for the installation's own, or a message of ours. */
  readonly firm: number | null;
}

/** The earlier message of a conversation. */
export interface SubjectParent {
  readonly messageId: number;
  readonly threadId: number;
  readonly object: string;
  readonly objectId: number;
}

/**
 * Returns the newest earlier message that is filed, and whose subject has more than `length` characters and appears in
 * that of a message. Only messages on records of the firm whose mailbox received it count; where the mailbox is not of
 * a firm and subjects of several firms match, only those in which the sender has a part.
 */
export async function findSubjectParent(
  db: Db,
  later: LaterMessage,
  length: number,
): Promise<SubjectParent | undefined> {
  const found = await db.query<SubjectParent & { firms: string }>(SUBJECT_PARENTS, [
    later.id,
    later.subject,
    length,
    Math.min(length + 1, START_CHARACTERS),
    later.firm,
  ]);
  if (later.firm !== null || new Set(found.map(({ firms }) => firms)).size <= 1) return found[0];
  const own: (typeof found)[number][] = [];
  for (const parent of found)
    if (later.fromAddress !== null && (await isParticipant(db, later.fromAddress, parent))) own.push(parent);
  return new Set(own.map(({ firms }) => firms)).size === 1 ? own[0] : undefined;
}

async function isParticipant(db: Db, sender: string, { threadId }: SubjectParent): Promise<boolean> {
  return (await nearness(db, sender, { threadId })) === 'participant';
}

/**
 * The beginnings of all parts of the subject find candidates by the index; the rest of each is then compared. Subjects
 * of fewer characters than the index has are looked for as a whole.
 */
const SUBJECT_PARENTS = `with later as (
    select casewright_fold($2::text) collate "C" as subject, coalesce(receiveddate, createddate) as date
    from message where messageid = $1::bigint),
  part as (
    select distinct substr(later.subject, position, size) as start
    from later, generate_series($4::integer, ${START_CHARACTERS}) size,
      generate_series(1, length(later.subject) - size + 1) position)
  select m.messageid as "messageId", coalesce(m.threadid, m.messageid) as "threadId", m.object,
    m.objectid as "objectId", coalesce(casewright_reach_below(m.object, m.objectid), '{}')::text as firms
  from part
  join message m on left(casewright_fold(m.message::text) collate "C", ${START_CHARACTERS}) = part.start
  cross join later
  where m.messageid <> $1::bigint and m.object is not null and m.status is distinct from 'Draft'
    and length(m.message) > $3::integer
    and strpos(later.subject, casewright_fold(m.message::text) collate "C") > 0
    and (m.messageid < $1::bigint or coalesce(m.receiveddate, m.createddate) < later.date)
    and ($5::bigint is null or $5::bigint = any(casewright_reach_below(m.object, m.objectid)))
  order by coalesce(m.receiveddate, m.sentdate, m.createddate) desc, m.messageid desc
  limit ${MESSAGES_MAX}`;

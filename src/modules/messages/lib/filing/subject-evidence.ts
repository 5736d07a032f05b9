import { arrayLiteral, type Db } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { detailText, type FiledRecord, type Filing, type MailToFile } from './filing.ts';
import { nearness } from './participants.ts';
import { senderCounts, senderProofOf } from './sender-proof.ts';
import { numbersIn } from './subject-text.ts';

/** Most cases that are considered for one subject. */
const CASES_MAX = 20;

interface NumberedCase extends FiledRecord {
  readonly number: string;
  readonly isOpen: boolean;
}

/**
 * Returns the filing by a case number in the subject. A number alone proves nothing: it is certain only if it names a
 * single case, and the sender is proven and has a part in that case. Otherwise it is a proposal, if it names a single
 * case.
 */
export async function filingBySubject(ctx: Context, { mail, mailbox }: MailToFile): Promise<Filing | undefined> {
  const numbers = numbersIn(mail.subject);
  if (numbers.length === 0) return undefined;
  const found = await casesOfNumbers(ctx.db, numbers, mailbox.organizationId);
  const open = found.filter(({ isOpen }) => isOpen);
  const cases = open.length > 0 ? open : found;
  const sender = mail.from?.address;
  const near: NumberedCase[] = [];
  if (sender !== undefined)
    for (const each of cases) if ((await nearness(ctx.db, sender, { record: each })) === 'participant') near.push(each);
  const [only] = near.length > 0 ? near : cases;
  if (!only || (near.length > 0 ? near : cases).length > 1) return undefined;
  const isGenuine = senderCounts(mailbox, senderProofOf(mailbox, mail).proof);
  const isCertain = near.length === 1 && isGenuine;
  const about = `Its subject contains the number ${only.number}`;
  const participant = isGenuine
    ? `${about}, and its sender is a participant of that case.`
    : `${about}. Its sender's address is that of a participant, but it is not proven.`;
  const detail = near.length === 1 ? participant : strangersNumber(only.number);
  const record = { object: only.object, objectId: only.objectId };
  return { isCertain, evidence: { filedBy: 'Subject', detail: detailText(detail), record } };
}

/** Says why mail whose subject has the number of a case is not filed there: its sender has no part in the case. */
export function strangersNumber(number: string): string {
  return `Its subject contains the number ${number}. Its sender is not a participant of that case.`;
}

/** Returns the cases whose number, court case number or loan number is one of these, of one firm or of all. */
async function casesOfNumbers(db: Db, numbers: readonly string[], firm: number | null): Promise<NumberedCase[]> {
  return db.query<NumberedCase>(
    `with number (text) as (select casewright_fold(n) collate "C" from unnest($1::text[]) n),
     named (processid, text) as (
       select p.processid, p.process::text collate "C" from number n
         join process p on casewright_fold(p.process::text) collate "C" = n.text
       union select b.bankruptcyid, n.text collate "C" from unnest($1::text[]) n (text)
         join bankruptcy b on b.bkcaseno = n.text
       union select p.processid, n.text collate "C" from unnest($1::text[]) n (text) join loan l on l.loan = n.text
         join process p on p.loanid = l.loanid)
     select p.recordclass as object, p.processid as "objectId", min(named.text) as number,
       p.dateclosed is null as "isOpen"
     from named
     join process p on p.processid = named.processid
     where $2::bigint is null or p.organizationid = $2::bigint
     group by p.processid
     order by p.processid desc
     limit ${CASES_MAX}`,
    [arrayLiteral(numbers), firm],
  );
}

import { createHash } from 'node:crypto';
import type { LetterSubmission, MailClass, OutboundLetter } from '../../../../contracts/delivery.ts';
import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import type { StoredDocument } from '../../attachment/attachment.record.ts';
import { readRecord } from '../../../../kernel/records/search/read.ts';
import type { MailingClaim } from './claim.ts';
import { publishLetters } from './publish-letters.ts';

/** A letter that is to be submitted. */
export interface QueuedLetter {
  readonly id: number;
  readonly key: string;
  readonly attachmentId: number | null;
  readonly hash: string;
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly mailClass: MailClass;
  readonly pages: number;
}

/** Returns the next letters of a mailing of which nothing was transmitted, after those already tried. */
export function nextLetters(ctx: Context, { id }: MailingClaim, after: number, most: number): Promise<QueuedLetter[]> {
  return ctx.db.query<QueuedLetter>(
    `select deliveryid as id, letterkey as key, attachmentid as "attachmentId", filehash as hash,
       recipientname as name, street, city, state, postalcode as "postalCode", mailclass as "mailClass", pages
     from delivery
     where deliverybatchid = $1::bigint and status = 'Queued' and begundate is null and deliveryid > $2::bigint
     order by deliveryid limit $3::integer`,
    [id, after, most],
  );
}

/**
 * Opens the document of a letter.
 * @throws STATE_REFUSES if it is no longer the one that was prepared, NOT_FOUND if it is gone
 */
export async function outboundLetter(ctx: Context, letter: QueuedLetter): Promise<OutboundLetter> {
  const { key, attachmentId, hash, name, street, city, state, postalCode, mailClass, pages } = letter;
  const row: StoredDocument = await readRecord(ctx.db, ctx.registry.recordType('Attachment'), attachmentId ?? 0);
  if (row.FileHash !== hash || row.Sealed === true)
    throw new PlatformError('STATE_REFUSES', {
      message: 'The document was replaced after the letter was prepared; prepare it again.',
    });
  const file = await ctx.documents.content(row);
  return { key, to: { name, street, city, state, postalCode }, mailClass, pages, file, hash };
}

/** Returns the submission of letters. The same letters always have the same key. */
export function submissionOf(claim: MailingClaim, letters: readonly OutboundLetter[]): LetterSubmission {
  const keys = letters.map(({ key }) => key).sort();
  const hash = createHash('sha256').update(keys.join()).digest('hex').slice(0, 16);
  return { key: `${claim.id}-${hash}`, name: claim.name, date: claim.requestedDate, letters };
}

/**
 * Records that the transmission of letters begins: from here on they are looked up at the mail house before any is
 * sent again.
 * @throws CONCURRENT_CHANGE if one of them was canceled meanwhile; nothing is transmitted then
 */
export async function recordBegun(
  own: Context,
  letters: readonly Pick<QueuedLetter, 'id'>[],
  submission: string,
): Promise<void> {
  const ids = letters.map(({ id }) => id);
  const rows = await own.db.query(
    `update delivery
     set begundate = $2::timestamptz, submissionkey = $3::text, updateddate = $2::timestamptz,
       version = version + 1
     where deliveryid = any($1::bigint[]) and status = 'Queued' and begundate is null
     returning 1`,
    [arrayLiteral(ids), own.clock.now(), submission],
  );
  if (rows.length < letters.length) throw new PlatformError('CONCURRENT_CHANGE');
  await publishLetters(own, ids, ['BegunDate', 'SubmissionKey']);
}

import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import type { OpenLink } from './secure-links.ts';

/** How long a code can be used, in minutes. */
export const CODE_MINUTES = 10;
/** How often a code can be entered before another one must be mailed. */
const TRIES_MAX = 5;
const CODE_DIGITS = 6;

/** Stores a new code for a link, in place of an earlier one, and returns it. Only its keyed hash is stored. */
export async function newCode(own: Context, link: OpenLink): Promise<string> {
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
  const now = own.clock.milliseconds();
  await own.db.query(
    `insert into securelinkcode (securelinkid, codehash, expirydate, tries, createddate)
     values ($1::bigint, $2::text, $3::timestamptz, 0, $4::timestamptz)
     on conflict (securelinkid) do update set codehash = excluded.codehash, expirydate = excluded.expirydate, tries = 0,
       createddate = excluded.createddate`,
    [
      link.id,
      own.cipher.blindIndex(PURPOSE, codeText(link, code)).toString('hex'),
      new Date(now + CODE_MINUTES * 60_000).toISOString(),
      new Date(now).toISOString(),
    ],
  );
  return code;
}

/** Whether a code is the one that was mailed. Each call is a try; a code that is right is used up. */
export async function redeemCode(own: Context, link: OpenLink, entered: string): Promise<boolean> {
  // The try is counted first, so that concurrent ones cannot all be the last.
  const [stored] = await own.db.query<{ hash: string }>(
    `update securelinkcode set tries = tries + 1
     where securelinkid = $1::bigint and tries < ${TRIES_MAX} and expirydate > $2::timestamptz
     returning codehash as hash`,
    [link.id, own.clock.now()],
  );
  if (!stored) return false;
  const hash = Buffer.from(stored.hash, 'hex');
  const isRight = own.cipher
    .blindIndexes(PURPOSE, codeText(link, entered.replace(/\D/g, '')))
    .some((each) => each.length === hash.length && timingSafeEqual(each, hash));
  if (isRight) await own.db.query('delete from securelinkcode where securelinkid = $1::bigint', [link.id]);
  return isRight;
}

const PURPOSE = 'securelinkcode.codehash';

function codeText({ id }: OpenLink, code: string): string {
  return `${id} ${code}`;
}

import { createHash } from 'node:crypto';
import type { Cipher } from '../security/cipher.ts';
import type { Clock } from '../time/clock.ts';
import { PlatformError } from './errors.ts';
import { sqlState, type Db } from '../database/store.ts';

/** An answer as it went over the wire, kept to be repeated. */
export interface RenderedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body is XML that a stylesheet makes into a page when it is sent, outside of any transaction; `wellFormed`: into XML again. */
  readonly transform?: { readonly wellFormed: boolean };
}

/** A request that carries an Idempotency-Key. */
export interface IdempotentRequest {
  readonly key: string;
  /** What identifies the request: another one under the same key is refused. */
  readonly request: string;
  /** Of a queued call: its message. The claim then lasts as long as the message, and is taken up again where it was cut off. */
  readonly messageId?: string;
  /** The message was delivered before; whether its call was made must be seen first. */
  readonly redelivered?: boolean;
}

/** How long an answer is repeated. */
export const IDEMPOTENCY_HOURS = 24;
/** The longest key. */
export const IDEMPOTENCY_KEY_MAX = 200;

/** What kept answers are bound to. */
export const ANSWER_PURPOSE = 'idempotency.answer';

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Claims a key for a person in the call's transaction. A second caller with the same key waits here until the first
 * transaction ends; it then gets the first answer, or, if the first was undone, the claim.
 */
export async function claimKey(
  db: Db,
  cipher: Cipher,
  clock: Clock,
  personId: number,
  remembered: IdempotentRequest,
): Promise<RenderedAnswer | undefined> {
  const key = digest(remembered.key);
  const request = digest(remembered.request);
  const made = await db.query(
    `insert into idempotency as i (personid, key, request, createddate, messageid) values ($1::bigint, $2::bytea, $3::bytea, $4::timestamptz, $5::uuid)
     on conflict (personid, key) do update set request = excluded.request, answer = null, createddate = excluded.createddate where i.messageid is null and i.createddate <= excluded.createddate - interval '${IDEMPOTENCY_HOURS} hours'
     returning 1`,
    [personId, key, request, clock.now(), remembered.messageId ?? null],
  );
  if (made.length > 0) return undefined;
  const [kept] = await db.query<{ request: Uint8Array; answer: Uint8Array | null }>(
    'select request, answer from idempotency where personid = $1::bigint and key = $2::bytea',
    [personId, key],
  );
  if (!kept) throw new PlatformError('CONCURRENT_CHANGE');
  if (!request.equals(kept.request)) throw new PlatformError('IDEMPOTENCY_MISMATCH', { field: 'Idempotency-Key' });
  // Only operations with transactions of their own leave a claim without an answer: their worker died, or is thought to have.
  if (kept.answer === null && remembered.messageId !== undefined) return undefined;
  if (kept.answer === null)
    throw new PlatformError('CONCURRENT_CHANGE', {
      field: 'Idempotency-Key',
      message:
        'A call with this Idempotency-Key is still running, or was cut off; look for its result before sending another.',
    });
  return JSON.parse(cipher.open(ANSWER_PURPOSE, kept.answer).toString()) as RenderedAnswer;
}

/** Keeps the answer under the claimed key; it may hold personal data and is sealed. */
export async function storeAnswer(
  db: Db,
  cipher: Cipher,
  personId: number,
  remembered: IdempotentRequest,
  answer: RenderedAnswer,
): Promise<void> {
  await db.query(...storeAnswerStatement(cipher, personId, remembered, answer));
}

/** The statement of {@link storeAnswer}, for a transaction that sends it together with its commit. */
export function storeAnswerStatement(
  cipher: Cipher,
  personId: number,
  remembered: IdempotentRequest,
  answer: RenderedAnswer,
): readonly [text: string, values: readonly unknown[]] {
  return [
    'update idempotency set answer = $3::bytea where personid = $1::bigint and key = $2::bytea',
    [personId, digest(remembered.key), cipher.seal(ANSWER_PURPOSE, JSON.stringify(answer))],
  ];
}

/**
 * The statement that keeps an answer without a claim before it. `refuse`: where there is one already it fails, and the
 * transaction with it; see {@link isAlreadyAnswered}. `replace`: the last answer stands, which is for calls that change nothing.
 */
export function insertAnswerStatement(
  cipher: Cipher,
  clock: Clock,
  personId: number,
  remembered: IdempotentRequest,
  answer: RenderedAnswer,
  again: 'refuse' | 'replace',
): readonly [text: string, values: readonly unknown[]] {
  return [
    `insert into idempotency (personid, key, request, answer, createddate, messageid) values ($1::bigint, $2::bytea, $3::bytea, $4::bytea, $5::timestamptz, $6::uuid)
     ${again === 'replace' ? 'on conflict (personid, key) do update set answer = excluded.answer' : ''}`,
    [
      personId,
      digest(remembered.key),
      digest(remembered.request),
      cipher.seal(ANSWER_PURPOSE, JSON.stringify(answer)),
      clock.now(),
      remembered.messageId ?? null,
    ],
  ];
}

/** Whether a transaction failed because the answer of its call was kept already. */
export function isAlreadyAnswered(error: unknown): boolean {
  return sqlState(error) === '23505' && (error as { table_name?: string }).table_name === 'idempotency';
}

/** Gives a claim up, where the call failed outside of the claim's own transaction. */
export async function releaseClaim(db: Db, personId: number, remembered: IdempotentRequest): Promise<void> {
  await db.query('delete from idempotency where personid = $1::bigint and key = $2::bytea and answer is null', [
    personId,
    digest(remembered.key),
  ]);
}

/** The body of the answer kept under a key, or null. */
export async function storedAnswerBody(db: Db, cipher: Cipher, personId: number, key: string): Promise<string | null> {
  const [row] = await db.query<{ answer: Uint8Array | null }>(
    'select answer from idempotency where personid = $1::bigint and key = $2::bytea',
    [personId, digest(key)],
  );
  return row?.answer ? (JSON.parse(cipher.open(ANSWER_PURPOSE, row.answer).toString()) as RenderedAnswer).body : null;
}

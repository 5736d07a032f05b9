import { createHash } from 'node:crypto';
import { sqlState } from '../database/sql-state.ts';
import type { Db } from '../database/store.ts';
import type { Cipher } from '../security/cipher.ts';
import type { HashedBody } from '../parameters/hashed-body.ts';
import type { Clock } from '../time/clock.ts';
import { PlatformError } from './errors.ts';

/** An answer as it was sent to the caller, stored to be repeated. */
export interface RenderedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * The body is XML that a stylesheet turns into a page when it is sent, outside any transaction.
   * `wellFormed`: into XML.
   */
  readonly transform?: { readonly wellFormed: boolean };
}

/** A request with an Idempotency-Key. */
export interface IdempotentRequest {
  readonly key: string;
  /** Identifies the request; a different one under the same key is refused. */
  readonly request: string;
  /** A raw body, which is part of the request. It is known only when it is read, by the operation or to compare it. */
  readonly body?: HashedBody | undefined;
  /** Message id of a queued call. Its claim lasts as long as the message, and is taken over after an interruption. */
  readonly messageId?: string;
  /** The message was delivered before: check first whether its call was already made. */
  readonly redelivered?: boolean;
}

/** The answer of an earlier call with the same key. */
export interface StoredAnswer {
  readonly answer: RenderedAnswer;
  /** SHA-256 of that call's raw body, if it had one. */
  readonly bodyHash: Uint8Array | null;
}

/** Whose key it is, and what seals and dates the stored answer. */
export interface AnswerOwner {
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly personId: number;
}

/** Text and parameters of an SQL statement. */
type Statement = readonly [text: string, values: readonly unknown[]];

/** How long an answer is repeated. */
export const IDEMPOTENCY_HOURS = 24;
/** Longest key, in characters. */
export const IDEMPOTENCY_KEY_MAX = 200;

/** Purpose that stored answers are sealed for. */
export const ANSWER_PURPOSE = 'idempotency.answer';

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Returns the same key for each repetition of a user's request; see `Context.requestKey`. */
export function requestKeyOf({ personId }: Pick<AnswerOwner, 'personId'>, { key, request }: IdempotentRequest): string {
  return digest(JSON.stringify([personId, key, request])).toString('hex');
}

/**
 * Claims a key in the given transaction. Returns undefined once claimed, or the stored answer of an earlier call. A
 * second caller with the same key waits until the first one's transaction ends, and gets its answer, or the claim if it
 * was rolled back.
 * @throws IDEMPOTENCY_MISMATCH for a different request, CONCURRENT_CHANGE while the first call is running
 */
export async function claimKey(
  db: Db,
  { cipher, clock, personId }: AnswerOwner,
  claimed: IdempotentRequest,
): Promise<StoredAnswer | undefined> {
  const key = digest(claimed.key);
  const request = digest(claimed.request);
  const inserted = await db.query(
    `insert into idempotency as i (personid, key, request, createddate, messageid)
     values ($1::bigint, $2::bytea, $3::bytea, $4::timestamptz, $5::uuid)
     on conflict (personid, key) do update
       set request = excluded.request, answer = null, bodyhash = null, createddate = excluded.createddate
       where i.messageid is null and i.createddate <= excluded.createddate - interval '${IDEMPOTENCY_HOURS} hours'
     returning 1`,
    [personId, key, request, clock.now(), claimed.messageId ?? null],
  );
  if (inserted.length > 0) return undefined;
  const [stored] = await db.query<{ request: Uint8Array; answer: Uint8Array | null; bodyHash: Uint8Array | null }>(
    `select request, answer, bodyhash as "bodyHash" from idempotency where personid = $1::bigint and key = $2::bytea`,
    [personId, key],
  );
  if (!stored) throw new PlatformError('CONCURRENT_CHANGE');
  if (!request.equals(stored.request)) throw otherRequest();
  if (stored.answer !== null) return { answer: openAnswer(cipher, stored.answer), bodyHash: stored.bodyHash };
  // Only operations with their own transactions leave a claim without an answer: their worker died, or seems to have.
  if (claimed.messageId !== undefined) return undefined;
  throw new PlatformError('CONCURRENT_CHANGE', {
    field: 'Idempotency-Key',
    message:
      'A call with this Idempotency-Key is still running, or was interrupted; ' +
      'check for its result before sending another one.',
  });
}

/**
 * Returns the answer to repeat, after reading the repeat's raw body to its end.
 * @throws IDEMPOTENCY_MISMATCH if it differs from the body of the first call
 */
export async function repeatedAnswer(
  claimed: IdempotentRequest,
  { answer, bodyHash }: StoredAnswer,
): Promise<RenderedAnswer> {
  if (claimed.body && bodyHash !== null && !(await claimed.body.sha256()).equals(bodyHash)) throw otherRequest();
  return answer;
}

/**
 * Returns the statement that stores the answer under the claimed key, sealed because it may hold personal data. Reads
 * what the operation left of a raw body.
 */
export async function storeAnswerStatement(
  { cipher, personId }: AnswerOwner,
  claimed: IdempotentRequest,
  answer: RenderedAnswer,
): Promise<Statement> {
  return [
    `update idempotency set answer = $3::bytea, bodyhash = $4::bytea where personid = $1::bigint and key = $2::bytea`,
    [personId, digest(claimed.key), sealAnswer(cipher, answer), (await claimed.body?.sha256()) ?? null],
  ];
}

/**
 * Returns the statement that stores an answer without an earlier claim. If the key is taken, `refuse` fails the
 * transaction (see {@link isAlreadyAnswered}); `replace`, for calls that change nothing, keeps the last answer.
 */
export function insertAnswerStatement(
  { cipher, clock, personId }: AnswerOwner,
  request: IdempotentRequest,
  answer: RenderedAnswer,
  onConflict: 'refuse' | 'replace',
): Statement {
  return [
    `insert into idempotency (personid, key, request, answer, createddate, messageid)
     values ($1::bigint, $2::bytea, $3::bytea, $4::bytea, $5::timestamptz, $6::uuid)
     ${onConflict === 'replace' ? 'on conflict (personid, key) do update set answer = excluded.answer' : ''}`,
    [
      personId,
      digest(request.key),
      digest(request.request),
      sealAnswer(cipher, answer),
      clock.now(),
      request.messageId ?? null,
    ],
  ];
}

/** Whether a transaction failed because the answer of its call was already stored. */
export function isAlreadyAnswered(error: unknown): boolean {
  return sqlState(error) === '23505' && (error as { table_name?: string }).table_name === 'idempotency';
}

/** Deletes a claim without an answer, after the call failed outside the claim's transaction. */
export async function releaseClaim(
  db: Db,
  { personId }: Pick<AnswerOwner, 'personId'>,
  claimed: IdempotentRequest,
): Promise<void> {
  await db.query('delete from idempotency where personid = $1::bigint and key = $2::bytea and answer is null', [
    personId,
    digest(claimed.key),
  ]);
}

/** Returns the body of the answer stored under a key, or null. */
export async function storedAnswerBody(db: Db, cipher: Cipher, personId: number, key: string): Promise<string | null> {
  const [row] = await db.query<{ answer: Uint8Array | null }>(
    'select answer from idempotency where personid = $1::bigint and key = $2::bytea',
    [personId, digest(key)],
  );
  return row?.answer ? openAnswer(cipher, row.answer).body : null;
}

function otherRequest(): PlatformError {
  return new PlatformError('IDEMPOTENCY_MISMATCH', { field: 'Idempotency-Key' });
}

function sealAnswer(cipher: Cipher, answer: RenderedAnswer): Buffer {
  return cipher.seal(ANSWER_PURPOSE, JSON.stringify(answer));
}

function openAnswer(cipher: Cipher, sealed: Uint8Array): RenderedAnswer {
  return JSON.parse(cipher.open(ANSWER_PURPOSE, sealed).toString()) as RenderedAnswer;
}

import type { Context } from '../../../../../kernel/door/context.ts';
import { leaseEnd, LeaseLost, leaseSql } from '../../../../../kernel/database/lease.ts';
import type { Clock } from '../../../../../kernel/time/clock.ts';
import { arrayLiteral, type Db } from '../../../../../kernel/database/store.ts';
import { maskWrittenNumbers } from '../../../../../kernel/security/mask.ts';
import { packBoxes, type WordBox } from '../../../../../lib/text-search/word-boxes.ts';
import { identifiersOf, writtenWords } from '../../../../../lib/text-search/words.ts';
import { DUE_COUNTED_MAX, type WorkCount } from '../queue-workers.ts';

/** How far the text of a document is: see the check constraint of `documenttext`. */
export type TextState = 'Waiting' | 'Reading' | 'Ready' | 'Unrecognized' | 'Failed';

/** Where the text of a page comes from. `Section`: of a file without pages. `Picture`: it is to be recognized. */
export type PageSource = 'Name' | 'Text' | 'Section' | 'Picture' | 'Recognized' | 'Unreadable';

/** How far the text of a document is, as `attachment/textstatus` reports it. */
export interface TextStatus {
  readonly id: number;
  readonly version: string | null;
  readonly state: TextState;
  readonly reason: string | null;
  readonly pagecount: number | null;
  readonly pagesread: number;
  readonly pictures: number;
  readonly recognized: number;
  readonly updateddate: string;
}

/** A document whose text this process reads, and the file that it is read from. */
export interface TextClaim extends Omit<TextStatus, 'updateddate'> {
  readonly attempt: number;
  /** Attempts that have stored nothing, this one included. */
  readonly failures: number;
  readonly namedue: boolean;
  readonly requested: boolean;
}

/** How long a process has a document without storing anything or saying that it is alive. */
export const LEASE_SECONDS = 30;

const lease = leaseSql({ token: { column: 'attempt', type: 'integer' } });

const STATUS_COLUMNS =
  'attachmentid as id, version, state, reason, pagecount, pagesread, pictures, recognized, updateddate';
const CLAIM_COLUMNS = `${STATUS_COLUMNS}, attempt, failures, namedue, requested`;

/** Whether a document's text is to be read now, and no process reads it. `now` and `onSave` are placeholders. */
function isDue({ now, onSave }: { readonly now: string; readonly onSave: string }): string {
  return `((namedue or state in ('Waiting', 'Reading') and (${onSave}::boolean or requested or state = 'Reading'))
    and ${lease.isFree(now)} and (duedate is null or duedate <= ${now}::timestamptz))`;
}

/** What is claimed: any document that is due, or certain ones. */
export interface ClaimFilter {
  readonly ids?: readonly number[];
  /** Whether texts are read that nobody has requested. */
  readonly onSave: boolean;
  /** Most documents that all processes read at a time; none where a person waits for the text. */
  readonly slots?: number;
}

/** Claims a document that is due, the newest requested one first; undefined if none is, or all slots are busy. */
export async function claimText(ctx: Context, { ids, onSave, slots }: ClaimFilter): Promise<TextClaim | undefined> {
  const now = new Date(ctx.clock.milliseconds()).toISOString();
  const [claim] = await ctx.db.query<TextClaim>(
    `with next as materialized (
       select attachmentid as due from documenttext
       where ${isDue({ now: '$1', onSave: '$3' })} and ($4::bigint[] is null or attachmentid = any($4::bigint[]))
         and ($5::integer is null
           or (select count(*) from documenttext r where ${lease.isLeased('$1', 'r')}) < $5::integer)
       order by requested desc, attachmentid desc
       limit 1
       for update skip locked)
     update documenttext t
     set ${lease.start('$2', { alias: 't' })}, failures = t.failures + 1,
       state = case when t.state = 'Waiting' and ($3::boolean or t.requested) then 'Reading' else t.state end
     from next
     where t.attachmentid = next.due
     returning ${CLAIM_COLUMNS}`,
    [now, leaseEnd(ctx.clock, LEASE_SECONDS), onSave, ids === undefined ? null : arrayLiteral(ids), slots ?? null],
  );
  return claim;
}

/** Returns how many documents are due, counted up to {@link DUE_COUNTED_MAX}, and how many are being read. */
export async function countTexts(db: Db, clock: Clock, onSave: boolean): Promise<WorkCount> {
  const [row] = await db.query<WorkCount>(
    `select (select count(*)::integer from (select from documenttext where ${isDue({ now: '$1', onSave: '$2' })}
         limit ${DUE_COUNTED_MAX}) d) as due,
       (select count(*)::integer from documenttext where ${lease.isLeased('$1')}) as running`,
    [new Date(clock.milliseconds()).toISOString(), onSave],
  );
  return row ?? { due: 0, running: 0 };
}

/** Extends the claim. A claim that is lost shows when something is stored. */
export async function extendClaim(ctx: Context, { id, attempt }: TextClaim): Promise<void> {
  await ctx.db.query(
    `update documenttext set ${lease.extend('$3')} where attachmentid = $1::bigint and ${lease.isHeld('$2')}`,
    [id, attempt, leaseEnd(ctx.clock, LEASE_SECONDS)],
  );
}

/** The page of a document, to be stored. */
export interface NewPage {
  readonly page: number;
  readonly source: PageSource;
  readonly text: string;
  readonly boxes?: Uint8Array | readonly WordBox[];
}

/** What is stored of a document's state; absent columns stay as they are. */
export interface TextProgress {
  readonly state?: TextState;
  readonly reason?: string | null;
  readonly pagecount?: number;
  readonly pagesread?: number;
  readonly pictures?: number;
  readonly recognized?: number;
  readonly namedue?: boolean;
  readonly failures?: number;
  /** Ends the claim; the next one may begin `retrySeconds` later, or at once. */
  readonly isEnded?: boolean;
  readonly retrySeconds?: number;
}

/**
 * Stores pages and how far the document is, in the caller's transaction. Throws {@link LeaseLost} if another process
 * has claimed the document, or its content has changed.
 */
export async function storeText(
  own: Context,
  claim: TextClaim,
  progress: TextProgress,
  pages: readonly NewPage[] = [],
): Promise<void> {
  // The row of the document first, as its triggers do; locked, so that its firm stays the same.
  const [document] = await own.db.query<{ firm: number | null }>(
    'select reachorganizationid as firm from attachment where attachmentid = $1::bigint for share',
    [claim.id],
  );
  const { assignments, values } = progressSql(own, progress);
  const held = await own.db.query(
    `update documenttext set ${assignments.join(', ')}
     where attachmentid = $1::bigint and version is not distinct from $2::text and ${lease.isHeld('$3')}
     returning attachmentid`,
    [claim.id, claim.version, claim.attempt, ...values],
  );
  if (!document || held.length === 0) throw new LeaseLost('the text of a document was claimed by another process');
  if (pages.length > 0) await insertPages(own.db, claim, document.firm, pages);
}

function progressSql(own: Context, progress: TextProgress): { assignments: string[]; values: unknown[] } {
  const { isEnded = false, retrySeconds, ...columns } = progress;
  const values: unknown[] = [];
  const assignments = Object.entries(columns).map(([column, value]) => {
    values.push(value);
    return `${column} = $${values.length + 3}`;
  });
  const at = (seconds: number): string => `$${values.push(leaseEnd(own.clock, seconds)) + 3}`;
  assignments.push(isEnded ? lease.end() : lease.extend(at(LEASE_SECONDS)), 'updateddate = now()');
  assignments.push(`duedate = ${retrySeconds === undefined ? 'null' : at(retrySeconds)}::timestamptz`);
  // An attempt that has stored something is no failure.
  if (retrySeconds === undefined) assignments.push('failures = 0');
  return { assignments, values };
}

async function insertPages(db: Db, claim: TextClaim, firm: number | null, pages: readonly NewPage[]): Promise<void> {
  const masked = pages.map((each) => ({ ...each, text: maskWrittenNumbers(each.text) }));
  const rows = masked.map(({ page, source, text, boxes }) => ({
    page,
    source,
    body: text,
    boxes: boxes === undefined || boxes.length === 0 ? null : Buffer.from(packed(boxes)).toString('base64'),
    written: writtenWords(text),
    others: identifiersOf(text),
  }));
  await db.query(
    `insert into documentpage (attachmentid, page, version, reachorganizationid, source, body, boxes, words)
     select $1::bigint, p.page, $2::text, $3::bigint, p.source, p.body, decode(p.boxes, 'base64'),
       case when p.source = 'Name' then setweight(w.words, 'A') else w.words end
     from jsonb_to_recordset($4::text::jsonb) p (page integer, source text, body text, boxes text, written text,
       others jsonb),
     lateral (select casewright_page_words(p.written::tsvector, array(select jsonb_array_elements_text(p.others)),
       $1::bigint, $3::bigint)) w (words)
     on conflict (attachmentid, page) do update set version = excluded.version, source = excluded.source,
       reachorganizationid = excluded.reachorganizationid, body = excluded.body, boxes = excluded.boxes,
       words = excluded.words`,
    [claim.id, claim.version, firm, JSON.stringify(rows)],
  );
}

function packed(boxes: Uint8Array | readonly WordBox[]): Uint8Array {
  return boxes instanceof Uint8Array ? boxes : packBoxes(boxes);
}

/** Returns the first pages of a document that are to be recognized. */
export async function picturePages(db: Db, id: number, count: number): Promise<readonly number[]> {
  const rows = await db.query<{ page: number }>(
    `select page from documentpage where attachmentid = $1::bigint and source = 'Picture' order by page
     limit $2::integer`,
    [id, count],
  );
  return rows.map(({ page }) => page);
}

/** Returns how far the texts of documents are. The caller has checked that they are visible. */
export async function textStatuses(db: Db, ids: readonly number[]): Promise<readonly TextStatus[]> {
  return db.query<TextStatus>(`select ${STATUS_COLUMNS} from documenttext where attachmentid = any($1::bigint[])`, [
    arrayLiteral(ids),
  ]);
}

/** Records a request for the texts of documents: those that are not read yet, and those that could not be. */
export async function requestTexts(db: Db, ids: readonly number[]): Promise<void> {
  await db.query(
    `insert into documenttext (attachmentid, version, requested)
     select attachmentid, filehash, true from attachment where attachmentid = any($1::bigint[])
     on conflict (attachmentid) do update set requested = true, failures = 0, duedate = null,
       updateddate = now(),
       reason = case when documenttext.state in ('Unrecognized', 'Failed') then null else documenttext.reason end,
       state = case when documenttext.state in ('Unrecognized', 'Failed') then 'Waiting' else documenttext.state end`,
    [arrayLiteral(ids)],
  );
}

/** Returns the text of a document's pages, in order; at most about `charactersMax` characters. */
export async function readBody(db: Db, id: number, charactersMax: number): Promise<string> {
  const rows = await db.query<{ body: string }>(
    `select body from (
       select page, body, sum(length(body)) over (order by page) - length(body) as before
       from documentpage where attachmentid = $1::bigint and page > 0) p
     where before < $2::integer order by page`,
    [id, charactersMax],
  );
  return rows
    .map(({ body }) => body)
    .filter((body) => body !== '')
    .join('\n\n')
    .slice(0, charactersMax)
    .toWellFormed();
}

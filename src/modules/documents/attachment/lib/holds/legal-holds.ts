import type { Context } from '../../../../../kernel/door/context.ts';
import { lockName } from '../../../../../kernel/database/advisory-lock.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { bad } from '../../../../../kernel/parameters/parse-value.ts';

/** A record that is held: a document, or a case with all its documents. */
export interface HeldRecord {
  readonly object: string;
  readonly id: number;
}

/** Parameters that name the records of a hold. */
export interface HoldTarget {
  readonly ID?: readonly number[] | null;
  readonly Object?: string | null;
  readonly ObjectID?: number | null;
}

/** A hold that has not been released, and who set it. */
interface ActiveHold {
  readonly object: string;
  readonly objectId: number;
  readonly reason: string;
  readonly since: string;
  readonly person: string | null;
}

/**
 * Locks the documents that are named, or the case, and returns them.
 * @throws MISSING_PARAMETER, BAD_PARAMETER
 */
export async function lockTarget(own: Context, target: HoldTarget): Promise<readonly HeldRecord[]> {
  const held: HeldRecord[] = [...(target.ID ?? [])].sort((a, b) => a - b).map((id) => ({ object: 'Attachment', id }));
  const { Object: object, ObjectID: id } = target;
  if (typeof object === 'string' && typeof id === 'number') {
    const record = own.registry.requireRecord(object, 'Object');
    if (record.root.name !== 'Process' || record.derivedOnly === true) throw bad('Object', 'Foreclosure or Bankruptcy');
    held.push({ object: record.name, id });
  }
  if (held.length === 0)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'ID',
      message: 'ID is required: the documents. Or send Object and ObjectID for all documents of a case.',
    });
  // The record first, as a deletion does.
  for (const each of held) {
    await lockRecord(own, own.registry.recordType(each.object as 'Attachment'), each.id);
    await lockName(own, holdLock(each));
  }
  return held;
}

/** Returns what a hold is on. The caller must be able to see it. */
export async function targetOfHold(own: Context, legalHoldId: number): Promise<HoldTarget> {
  const [row] = await own.db.query<{ object: string; id: number }>(
    'select object, objectid as id from legalhold where legalholdid = $1::bigint',
    [legalHoldId],
  );
  if (!row) throw new PlatformError('NOT_FOUND', { field: 'LegalHoldID' });
  return row.object === 'Attachment' ? { ID: [row.id] } : { Object: row.object, ObjectID: row.id };
}

/** Deletes and new holds of a record wait for each other. */
function holdLock({ object, id }: HeldRecord): string {
  return `legal hold ${object} ${id}`;
}

/**
 * Throws if a hold keeps a document from being deleted, replaced or taken off its case.
 * @throws STATE_REFUSES as {@link refuseHeld}
 */
export async function assertDocumentNotHeld(own: Context, id: number, refused: string): Promise<void> {
  const [row] = await own.db.query<{ object: string | null; objectid: number | null }>(
    'select object, objectid from attachment where attachmentid = $1::bigint',
    [id],
  );
  const parent =
    row?.object === undefined || row.object === null ? [] : [{ object: row.object, id: row.objectid ?? 0 }];
  await assertNotHeld(own, [{ object: 'Attachment', id }, ...parent], refused);
}

/** Throws if a case, or one of its documents, is held. @throws STATE_REFUSES as {@link refuseHeld} */
export async function assertCaseNotHeld(own: Context, held: HeldRecord): Promise<void> {
  await lockName(own, holdLock(held));
  refuseHeld(
    own,
    await activeHolds(
      own,
      `(h.object, h.objectid) = ($1::text, $2::bigint)
       or h.object = 'Attachment' and h.objectid = any(array(
         select attachmentid from attachment where object = $1::text and objectid = $2::bigint))`,
      [held.object, held.id],
    ),
    'it cannot be deleted',
  );
}

async function assertNotHeld(own: Context, records: readonly HeldRecord[], refused: string): Promise<void> {
  for (const record of records) await lockName(own, holdLock(record));
  for (const { object, id } of records)
    refuseHeld(own, await activeHolds(own, '(h.object, h.objectid) = ($1::text, $2::bigint)', [object, id]), refused);
}

/** Returns the first hold of a condition on `h`. Users who do not see holds are refused by them, too. */
async function activeHolds(
  own: Context,
  condition: string,
  params: readonly (string | number)[],
): Promise<ActiveHold | undefined> {
  const [hold] = await own.transaction().elevated((db) =>
    db.query<ActiveHold>(
      `select h.object, h.objectid as "objectId", h.reason, h.createddate as since, p.person
       from legalhold h left join person p on p.personid = h.createdpersonid
       where h.releaseddate is null and (${condition})
       order by h.legalholdid
       limit 1`,
      params,
    ),
  );
  return hold;
}

/**
 * Throws STATE_REFUSES if there is a hold. Who set it, when and why, and on which record, is only for users who may
 * search holds: the reason may be a dispute with the firm whose user asks, the record a document that it does not see.
 */
function refuseHeld({ user }: Pick<Context, 'user'>, hold: ActiveHold | undefined, refused: string): void {
  if (!hold) return;
  if (!user.universal || !user.permissions.has('LegalHoldSearch'))
    throw new PlatformError('STATE_REFUSES', {
      field: 'ID',
      message: `ID: the record is on legal hold. Until the hold is released, ${refused}.`,
    });
  const { object, objectId, reason, since, person } = hold;
  throw new PlatformError('STATE_REFUSES', {
    field: 'ID',
    message:
      `ID: ${object} ${objectId} has been on legal hold since ${since.slice(0, 10)}, placed by ` +
      `${person ?? 'a former user'}: ${reason.slice(0, 200)}. Until the hold is released, ${refused}.`,
    details: { Object: object, ObjectID: objectId },
  });
}

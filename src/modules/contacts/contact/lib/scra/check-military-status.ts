import { requireColumn } from '../../../../../kernel/declare/values.ts';
import { MILITARY_SOURCE, type MilitaryPerson } from '../../../../../contracts/military-source.ts';
import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { protectionPurpose } from '../../../../../kernel/records/save/protect.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { concreteTypeOf } from '../../../../../kernel/records/save/concrete-type.ts';
import { lockRecord } from '../../../../../kernel/records/save/lock-record.ts';
import { updateRow } from '../../../../../kernel/records/save/update-row.ts';
import { enqueueAsSystem } from '../../../../../kernel/security/system-user.ts';
import { today } from '../../../../../kernel/time/today.ts';
import { scraAttemptsMax, scraSource } from '../../settings.ts';
import { outcomeColumns, scraOutcome, retryWaitSeconds, type ScraOutcome } from './scra-outcome.ts';
import type { contact as contactRecord } from '../../contact.record.ts';

/** The queue of the checks, if the installation has it. */
const QUEUE = 'Default';
/** Most attempts for a contact that is changed while its source is queried. */
const CHANGES_MAX = 3;

/** Queues the check of a contact, now or later, as the platform's own work. */
export function queueMilitaryCheck(ctx: Context, id: number, attempt: number, queuedDate?: string): Promise<void> {
  return enqueueAsSystem(ctx, {
    route: 'contact/scracheck',
    parameters: { ID: id, Attempt: attempt },
    queueName: QUEUE,
    label: `SCRA ${id}`,
    ...(queuedDate === undefined ? {} : { queuedDate }),
  });
}

async function personOf(ctx: Context, row: Row<typeof contactRecord>): Promise<Partial<MilitaryPerson>> {
  const column = requireColumn(ctx.registry.recordType('Contact'), 'USSSN');
  const [stored] = await ctx.db.query<{ sealed: Uint8Array | null }>(
    'select usssncipher as sealed from contact where contactid = $1::bigint',
    [row.ContactID],
  );
  const text = (value: string | null): string | undefined =>
    value === null || value.trim() === '' ? undefined : value.trim();
  const parts = {
    lastName: text(row.LastName),
    firstName: text(row.FirstName),
    middleName: text(row.MiddleName),
    birthDate: text(row.BirthDate),
    ssn: stored?.sealed ? ctx.cipher.open(protectionPurpose(column), stored.sealed).toString() : undefined,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** Returns the fields of a contact that a check still needs; undefined if none is missing. */
function missingData({ lastName, ssn, birthDate }: Partial<MilitaryPerson>): string | undefined {
  const missing = [
    ...(lastName === undefined ? ['LastName'] : []),
    ...(ssn === undefined && birthDate === undefined ? ['USSSN or BirthDate'] : []),
  ];
  return missing.length === 0 ? undefined : `A check takes ${missing.join(' and ')}.`;
}

/**
 * Queries the source about a contact that is Pending, outside any transaction, and writes the outcome. If the source
 * cannot answer, queues another attempt; the contact stays Pending until then or until the attempts are used up.
 * Returns the contact's status. Idempotent: a second run, or a run after another result, changes nothing.
 */
export async function checkMilitaryStatus(
  ctx: Context<typeof contactRecord>,
  contact: Row<typeof contactRecord>,
  attempt: number,
): Promise<string | null> {
  const source = ctx.settings.get(scraSource) || ctx.providers.names(MILITARY_SOURCE)[0];
  const id = contact.ContactID;
  for (let round = 1; round <= CHANGES_MAX; round++) {
    const row = round === 1 ? contact : await readRecord(ctx.db, ctx.record, id);
    if (row.SCRAStatus !== 'Pending') return row.SCRAStatus;
    const person = await personOf(ctx, row);
    const message = missingData(person);
    const answer =
      message === undefined
        ? await ctx.providers.get(MILITARY_SOURCE, source).check(person as MilitaryPerson, today(ctx))
        : undefined;
    const outcome: ScraOutcome | undefined = answer
      ? scraOutcome(answer, String(source), attempt, ctx.settings.get(scraAttemptsMax))
      : { status: 'Incomplete', ...(message === undefined ? {} : { message }) };
    const wait = retryWaitSeconds(attempt, answer?.kind === 'unavailable' ? answer.retryAfterSeconds : 0);
    const written = await ctx.inTransaction((own) =>
      recordOutcome(own, { id, version: row.Version }, outcome, { attempt, wait }),
    );
    if (written !== 'changed') return written;
  }
  throw new PlatformError('CONCURRENT_CHANGE', {
    message: `Contact ${id} was changed ${CHANGES_MAX} times while it was checked.`,
  });
}

/** Writes an outcome or queues the next attempt, unless the contact has changed since the query. */
async function recordOutcome(
  own: Context<typeof contactRecord>,
  { id, version }: { readonly id: number; readonly version: number },
  outcome: ScraOutcome | undefined,
  next: { readonly attempt: number; readonly wait: number },
): Promise<string | null> {
  const record = await concreteTypeOf(own, own.record, id);
  const row = await lockRecord(own, own.record, id);
  if (row.SCRAStatus !== 'Pending') return row.SCRAStatus;
  if (row.Version !== version) return 'changed';
  if (!outcome) {
    await queueMilitaryCheck(
      own,
      id,
      next.attempt + 1,
      new Date(own.clock.milliseconds() + next.wait * 1_000).toISOString(),
    );
    return 'Pending';
  }
  await updateRow(own, record, id, outcomeColumns(outcome));
  return outcome.status;
}

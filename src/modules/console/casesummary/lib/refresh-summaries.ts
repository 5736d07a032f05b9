import { arrayLiteral } from '../../../../kernel/database/store.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Platform } from '../../../../kernel/ports/platform.ts';
import { queueAsSystem } from '../../../../kernel/security/system-user.ts';
import { caseMilestones, type CaseMilestones } from '../../../work/public/case-milestones.ts';
import { WRITE_SUMMARIES } from './summary-text.ts';

/** Changed cases that one transaction summarizes: some 50 ms of work. */
const BATCH_CASES = 200;

/** The lock of whoever writes summaries: two at once could store the older one of a case last. */
const LOCK = 7_322_108;

/** The queue of the calls that keep summaries current. */
const QUEUE = 'Default';

/** The stage of a case. Instants in ISO 8601. */
interface StageRow {
  readonly id: number;
  readonly stage: string;
  readonly number: number;
  readonly count: number;
  readonly began: string | null;
  readonly target: string | null;
  readonly days: number | null;
}

/**
 * Summarizes cases that have changed, at most {@link BATCH_CASES}, and returns how many of them there were. Returns
 * undefined if another call is doing it. Runs in the caller's transaction, as a user who sees all cases.
 */
export async function refreshSummaries(own: Context): Promise<number | undefined> {
  const [lock] = await own.db.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as mine', [LOCK]);
  if (!lock?.mine) return undefined;
  const taken = await own.db.query<{ id: number }>(
    `with changed as materialized (
       select casechangeid from casechange order by casechangeid limit ${BATCH_CASES} for update skip locked)
     delete from casechange c
     using changed
     where c.casechangeid = changed.casechangeid
     returning c.processid as id`,
  );
  const ids = [...new Set(taken.map(({ id }) => id))];
  if (ids.length === 0) return 0;
  // The changes were committed before this statement, which therefore sees them.
  await own.db.query(WRITE_SUMMARIES, [arrayLiteral(ids), JSON.stringify(await stagesOf(own, ids))]);
  await own.db.query(
    `delete from casesummary s
     where s.casesummaryid = any($1::bigint[])
       and not exists (select from process p where p.processid = s.casesummaryid)`,
    [arrayLiteral(ids)],
  );
  return taken.length;
}

/** Returns the stages of cases; those without milestones have none. */
async function stagesOf(own: Context, ids: readonly number[]): Promise<readonly StageRow[]> {
  const found: CaseMilestones[] = [];
  // A row of another type is not found below this one, so both take all ids.
  for (const name of ['Foreclosure', 'Bankruptcy'])
    found.push(...(await caseMilestones(own, own.registry.requireRecord(name, 'RecordClass'), ids)));
  return found.flatMap(({ caseId, milestones, stage, stageBegan, targetDays }): StageRow[] => {
    const current = stage === undefined ? undefined : milestones[stage - 1];
    if (stage === undefined || !current) return [];
    return [
      {
        id: caseId,
        stage: current.name,
        number: stage,
        count: milestones.length,
        began: isoOrNull(stageBegan),
        target: isoOrNull(current.target),
        days: targetDays ?? null,
      },
    ];
  });
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}

/** Housekeeping: queues the call that summarizes changed cases which no list has asked for yet. */
export const queueCaseSummaries = {
  name: 'summaries of changed cases',
  everyMinutes: 1 / 6,
  async run(platform: Platform): Promise<number> {
    const waiting = await platform.store.query('select 1 from casechange limit 1');
    if (waiting.length === 0) return 0;
    await queueAsSystem(platform, [{ route: 'casesummary/refresh', parameters: { All: true }, queueName: QUEUE }]);
    return 0;
  },
} as const;

import { createHash } from 'node:crypto';
import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { notFound } from '../../../../kernel/records/search/read.ts';
import { selectListOf } from '../../../../kernel/database/sql.ts';
import { updateRow } from '../../../../kernel/records/save/update-row.ts';
import { OUTPUT_CHARACTERS_MAX, outputOf, resolveWorklistOutput } from './assign-item.ts';
import { insertItem } from './place-item.ts';
import { findTeam } from './teams.ts';
import { openWorklist, type Worklist } from './worklists.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** Completed items handled in one transaction; each costs a lookup in the matrix. */
const AUDITED_ITEMS_MAX = 100;
/** Resolution of shares: a hundredth of a percent. */
const SHARES = 10_000;

/** What decides about the completed items of a worklist. */
interface AuditPlan {
  readonly worklistId: number;
  readonly matrixId: number;
  readonly teamId: number | null;
  /** The worklist for audit items if the matrix names none. */
  readonly targetId: number;
}

/** The matrix outputs for an item. */
interface AuditDecision {
  readonly percentage: number;
  readonly team: string | undefined;
  readonly worklist: string | undefined;
}

/** Returns the audit matrix of a worklist's template. @throws NOT_FOUND, STATE_REFUSES if there is no matrix */
export async function auditPlan(ctx: Context, worklistId: number, targetId: number): Promise<AuditPlan> {
  const [found] = await ctx.db.query<{ matrixId: number | null; teamId: number | null }>(
    `select t.auditmatrixid as "matrixId", coalesce(w.teamid, t.teamid) as "teamId"
     from smartworklist w
     left join smartworklisttemplate t on t.smartworklisttemplateid = w.smartworklisttemplateid
     where w.smartworklistid = $1::bigint`,
    [worklistId],
  );
  if (!found) throw notFound(ctx.registry.recordType('SmartWorklist'), worklistId);
  if (found.matrixId === null)
    throw new PlatformError('STATE_REFUSES', {
      field: 'AuditMatrixID',
      message: "AuditMatrixID: the queue's template has no audit matrix.",
    });
  return { worklistId, targetId, matrixId: found.matrixId, teamId: found.teamId };
}

/** Whether an item is in a sample, by a hash of its ID: repeatable, but not predictable by counting. */
function isSampled(id: number, percentage: number): boolean {
  return createHash('sha256').update(`audit ${id}`).digest().readUInt32BE(0) % SHARES < percentage * (SHARES / 100);
}

/**
 * Handles some completed items and marks them in the same transaction. After a crash the next call handles them;
 * concurrent calls handle different ones.
 */
export async function auditPiece(
  ctx: Context,
  record: typeof smartWorklistMember,
  plan: AuditPlan,
): Promise<{ readonly audited: number; readonly made: number }> {
  const items = await ctx.db.query<WorkItem>(
    `select ${selectListOf(record)}
     from smartworklistmember
     where smartworklistid = $1::bigint
       and completiondate is not null
       and auditeddate is null
       and auditedmemberid is null
     order by smartworklistmemberid
     limit ${AUDITED_ITEMS_MAX}
     for update skip locked`,
    [plan.worklistId],
  );
  let made = 0;
  for (const item of items) {
    const decided = await decideAudit(ctx, plan.matrixId, item);
    if (decided && isSampled(item.SmartWorklistMemberID, decided.percentage)) {
      await insertAuditItem(ctx, plan, item, decided);
      made++;
    }
    await updateRow(ctx, record, item.SmartWorklistMemberID, { AuditedDate: ctx.clock.now() });
  }
  return { audited: items.length, made };
}

async function decideAudit(ctx: Context, matrixId: number, item: WorkItem): Promise<AuditDecision | undefined> {
  const { rows } = await ctx.call('matrix/lookupbyobject', {
    ID: matrixId,
    Object: 'SmartWorklistMember',
    ObjectID: item.SmartWorklistMemberID,
    DisplaySize: 1,
  });
  const [row] = rows;
  if (!row || Number(row.MisMatchCount) > 0) return undefined;
  const output = outputOf(row, 'Percentage');
  const percentage = Number((output ?? '0').replace(/%$/, ''));
  if (percentage >= 0 && percentage <= 100)
    return { percentage, team: outputOf(row, 'Team'), worklist: outputOf(row, 'SmartWorklist') };
  ctx.alert({
    code: 'NO_AUDIT',
    text:
      `The audit matrix returned the Percentage "${String(output).slice(0, OUTPUT_CHARACTERS_MAX)}"; ` +
      'expected a number from 0 to 100.',
    id: item.SmartWorklistMemberID,
  });
  return undefined;
}

/**
 * Creates an unassigned item that audits another one, with the team and on the open worklist that the matrix names, or
 * else the worklist's team and the plan's target.
 */
async function insertAuditItem(ctx: Context, plan: AuditPlan, item: WorkItem, decided: AuditDecision): Promise<void> {
  const worklist = await auditWorklist(ctx, decided.worklist, plan.targetId);
  const teamId = decided.team === undefined ? plan.teamId : await teamNamed(ctx, decided.team, plan.teamId);
  const source = { object: item.SourceObject, id: item.SourceObjectID };
  const more = {
    SmartWorklistMember: item.SmartWorklistMember,
    Reason: 'Audit',
    AuditedMemberID: item.SmartWorklistMemberID,
  };
  await insertItem(ctx, { worklist, teamId, personId: null, priority: item.Priority }, source, more);
}

async function auditWorklist(ctx: Context, output: string | undefined, targetId: number): Promise<Worklist> {
  const named = output === undefined ? undefined : await resolveWorklistOutput(ctx, output);
  if (named) return named;
  if (output !== undefined)
    ctx.alert({
      code: 'NO_AUDIT',
      text:
        `The audit matrix returned the SmartWorklist "${output.slice(0, OUTPUT_CHARACTERS_MAX)}"; expected the name ` +
        'of an open queue.',
    });
  return openWorklist(ctx, targetId);
}

async function teamNamed(ctx: Context, output: string, fallback: number | null): Promise<number | null> {
  const found = await findTeam(ctx.db, output);
  if (found === undefined)
    ctx.alert({
      code: 'NO_AUDIT',
      text:
        `The audit matrix returned the Team "${output.slice(0, OUTPUT_CHARACTERS_MAX)}"; expected the name of a ` +
        'collection of users.',
    });
  return found ?? fallback;
}

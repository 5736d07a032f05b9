import { createHash } from 'node:crypto';
import type { Row } from '../../../kernel/answer.ts';
import type { Context } from '../../../kernel/context.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import { selectListOf } from '../../../kernel/records/sql.ts';
import { insertRow, updateRow } from '../../../kernel/records/write.ts';
import { itemRecord } from './items.ts';

/** Completed items that are decided about in one transaction; each costs a lookup in the matrix. */
const AUDITED_ITEMS = 100;
/** Shares are told apart down to a hundredth of a percent. */
const SHARES = 10_000;

/** What decides about the completed items of a worklist. */
export interface AuditPlan {
  readonly matrixId: number;
  readonly teamId: number | null;
}

/** What the matrix says of an item. */
interface Decided {
  readonly percentage: number;
  readonly team: string | undefined;
  readonly worklist: string | undefined;
}

/** The audit matrix of a worklist's template. @throws STATE_REFUSES where there is none */
export async function auditPlan(ctx: Context, worklist: Row): Promise<AuditPlan> {
  const [template] = await ctx.db.query<{ matrixId: number | null; teamId: number | null }>('select auditmatrixid as "matrixId", teamid as "teamId" from smartworklisttemplate where smartworklisttemplateid = $1::bigint', [worklist['SmartWorklistTemplateID']]);
  if (typeof template?.matrixId !== 'number') throw new PlatformError('STATE_REFUSES', { field: 'AuditMatrixID', message: 'AuditMatrixID: the worklist\'s template has no audit matrix.' });
  return { matrixId: template.matrixId, teamId: (worklist['TeamID'] as number | null) ?? template.teamId };
}

/** Whether an item is among a share of all, by its id alone: the same answer whenever it is asked, and no pattern that a worker could foresee by counting. */
function isChosen(id: number, percentage: number): boolean {
  return createHash('sha256').update(`audit ${id}`).digest().readUInt32BE(0) % SHARES < percentage * (SHARES / 100);
}

/**
 * Decides about some completed items that were not decided about yet, and marks them in the same transaction: a crash leaves them for the
 * next call, and two calls at once decide about different ones.
 */
export async function auditPiece(ctx: Context, plan: AuditPlan, worklistId: number, target: number): Promise<{ readonly audited: number; readonly made: number }> {
  const record = itemRecord(ctx);
  const items = await ctx.db.query<Record<string, unknown>>(
    `select ${selectListOf(record)} from smartworklistmember where smartworklistid = $1::bigint and completiondate is not null and auditeddate is null and auditedmemberid is null order by smartworklistmemberid limit ${AUDITED_ITEMS} for update skip locked`,
    [worklistId],
  );
  let made = 0;
  for (const item of items) {
    const decided = await decide(ctx, plan.matrixId, item);
    if (decided && isChosen(Number(item['SmartWorklistMemberID']), decided.percentage)) {
      await makeAudit(ctx, plan, item, decided, target);
      made++;
    }
    await updateRow(ctx, record, Number(item['SmartWorklistMemberID']), new Map([['auditeddate', ctx.clock.now()]]));
  }
  return { audited: items.length, made };
}

async function decide(ctx: Context, matrixId: number, item: Row): Promise<Decided | undefined> {
  const { rows } = await ctx.call('matrix/lookupbyobject', { ID: matrixId, Object: 'SmartWorklistMember', ObjectID: Number(item['SmartWorklistMemberID']), DisplaySize: 1 });
  const [row] = rows;
  if (!row || Number(row['MisMatchCount']) > 0) return undefined;
  const said = (name: string): string | undefined => {
    const key = Object.keys(row).find((known) => known.toLowerCase() === name.toLowerCase());
    const value: unknown = key === undefined ? null : (row[`${key}ObjectID`] ?? row[key] ?? null);
    return value === null || String(value).trim() === '' ? undefined : String(value).trim();
  };
  const percentage = Number((said('Percentage') ?? '0').replace(/%$/, ''));
  if (percentage >= 0 && percentage <= 100) return { percentage, team: said('Team'), worklist: said('SmartWorklist') };
  ctx.alert({ code: 'NO_AUDIT', text: `The audit matrix says the Percentage "${String(said('Percentage')).slice(0, 100)}"; expected a number from 0 to 100.`, id: Number(item['SmartWorklistMemberID']) });
  return undefined;
}

/** An item that looks at another one again: nobody's, of the team and on the open worklist that the matrix names, else of the worklist's own team and on it. */
async function makeAudit(ctx: Context, plan: AuditPlan, item: Row, decided: Decided, target: number): Promise<void> {
  const worklistId = await openWorklist(ctx, decided.worklist, target);
  const teamId = decided.team === undefined ? plan.teamId : await teamNamed(ctx, decided.team, plan.teamId);
  const values = new Map<string, unknown>([
    ['smartworklistid', worklistId], ['status', 'Queued'], ['sourceobject', item['SourceObject']], ['sourceobjectid', item['SourceObjectID']], ['smartworklistmember', item['SmartWorklistMember']],
    ['reason', 'Audit'], ['teamid', teamId], ['priority', item['Priority']], ['auditedmemberid', item['SmartWorklistMemberID']],
  ]);
  await insertRow(ctx, itemRecord(ctx), values);
}

async function openWorklist(ctx: Context, said: string | undefined, target: number): Promise<number> {
  const find = async (condition: string, value: unknown): Promise<number | undefined> => {
    const [row] = await ctx.db.query<{ id: number }>(`select smartworklistid as id from smartworklist where ${condition} and canceleddate is null order by smartworklistid desc limit 1 for share`, [value]);
    return row?.id;
  };
  if (said !== undefined) {
    const named = /^\d{1,15}$/.test(said) ? await find('smartworklistid = $1::bigint', said) : await find('smartworklist = $1::text', said);
    if (named !== undefined) return named;
    ctx.alert({ code: 'NO_AUDIT', text: `The audit matrix says SmartWorklist "${said.slice(0, 100)}", and there is no such open worklist.` });
  }
  const own = await find('smartworklistid = $1::bigint', target);
  if (own === undefined) throw new PlatformError('STATE_REFUSES', { field: 'ID', message: `Worklist ${target} is canceled, and the audit matrix names no other for what is looked at again.` });
  return own;
}

async function teamNamed(ctx: Context, said: string, fallback: number | null): Promise<number | null> {
  const isId = /^\d{1,15}$/.test(said);
  const [row] = await ctx.db.query<{ id: number }>(`select collectionid as id from collection where sourceobject = 'Person' and ${isId ? 'collectionid = $1::bigint' : 'collection = $1::text'} order by reachorganizationid nulls first, collectionid limit 1`, [said]);
  if (!row) ctx.alert({ code: 'NO_AUDIT', text: `The audit matrix says Team "${said.slice(0, 100)}", and there is no such collection of persons.` });
  return row?.id ?? fallback;
}

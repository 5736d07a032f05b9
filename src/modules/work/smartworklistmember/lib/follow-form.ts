import type { Row } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import type { Change } from '../../../../kernel/declare/reaction.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { columnText } from '../../lib/column-text.ts';
import { assignItem, type SourceRecord } from './assign-item.ts';
import { changeItem, completionValues } from './change-item.ts';
import { formPlan, worklistTemplateFor, type FormPlan } from './form-plan.ts';
import { insertItem } from './place-item.ts';
import { cancelOpenItems, openItemsOf } from './record-items.ts';
import { isInTeam } from './teams.ts';
import { worklistOfTemplate } from './worklists.ts';
import type { importForm } from '../../importform/importform.record.ts';
import type { ColumnNames } from '../../../../kernel/declare/values.ts';

/** The columns of a form that its items follow, by lower-cased name. */
const followedColumns = [
  'Status',
  'ActualCompletion',
  'ProjectedCompletion',
  'EstimatedCompletion',
  'CanceledDate',
  'AssignedCollectionID',
  'AssignedPersonID',
  'DecisionStepID',
  'ImportFormTemplateID',
] as const;

/**
 * The type of an item for a form that had no status. Otherwise the type is the form's status when the item was created.
 */
const NO_STATUS = 'None';

const formSource = (form: Row): SourceRecord => ({ object: 'ImportForm', id: Number(form['ImportFormID']) });
const itemRecord = (ctx: Context): RecordType => ctx.registry.recordType('SmartWorklistMember');
const statusOfForm = (form: Row): string =>
  typeof form['Status'] === 'string' && form['Status'] !== '' ? form['Status'] : NO_STATUS;

/**
 * Makes the items of a form follow it. A form without items costs one indexed statement, and one whose changed columns
 * do not concern worklists none.
 */
export async function followForm(
  ctx: Context,
  form: Row,
  change: Change,
  changed: ColumnNames<typeof importForm>,
): Promise<void> {
  const record = itemRecord(ctx);
  const named = { objects: ['ImportForm'], id: formSource(form).id };
  if (change === 'delete') {
    await cancelOpenItems(ctx, record, named, 'The task was deleted.');
    return;
  }
  if (change === 'insert') return addFirstItem(ctx, form);
  if (!followedColumns.some((name) => changed.has(name))) return;
  if (form['CanceledDate'] !== null) {
    await cancelOpenItems(ctx, record, named, 'The task was canceled.');
    return;
  }
  const items = await openItemsOf(ctx, record, named);
  if (form['ActualCompletion'] !== null) return completeItems(ctx, record, items, columnText(form['ActualCompletion']));
  const moved = changed.has('Status') ? await followStatus(ctx, record, form, items) : new Set<unknown>();
  for (const item of items) if (!moved.has(item['SmartWorklistMemberID'])) await followFields(ctx, form, item, changed);
}

async function completeItems(ctx: Context, record: RecordType, items: readonly Row[], instant: string): Promise<void> {
  for (const item of items) {
    const values = await completionValues(ctx, item, instant);
    await ctx
      .transaction()
      .elevated(() => changeItem(ctx, record, item, values.set('skipdate', null).set('duedate', instant)));
  }
}

async function addFirstItem(ctx: Context, form: Row): Promise<void> {
  if (form['CanceledDate'] !== null || form['ActualCompletion'] !== null) return;
  const plan = await formPlan(ctx, form['ImportFormTemplateID']);
  if (!plan) return;
  const status = statusOfForm(form);
  const worklistTemplateId =
    plan.moves.length === 0 ? plan.worklistTemplateId : worklistTemplateFor(plan, '', status.toLowerCase());
  if (typeof worklistTemplateId === 'number') await addItem(ctx, form, plan, worklistTemplateId);
}

/**
 * Completes items of an earlier status than the form's and adds one for the new status. Returns the completed items.
 */
async function followStatus(ctx: Context, record: RecordType, form: Row, items: readonly Row[]): Promise<Set<unknown>> {
  const plan = await formPlan(ctx, form['ImportFormTemplateID']);
  if (!plan || plan.moves.length === 0) return new Set();
  const status = statusOfForm(form).toLowerCase();
  const typeOf = (item: Row | undefined): string | undefined =>
    typeof item?.['SmartWorklistMemberType'] === 'string' ? item['SmartWorklistMemberType'].toLowerCase() : undefined;
  const old = items.filter((item) => typeOf(item) !== undefined && typeOf(item) !== status);
  await completeItems(ctx, record, old, ctx.clock.now());
  const ended = new Set(old.map((item) => item['SmartWorklistMemberID']));
  if (items.some((item) => typeOf(item) === status)) return ended;
  // Sending the same status again is no change: the last item has the status that the form last moved to.
  const last = old.at(-1) ?? (await lastItem(ctx, form));
  if (typeOf(last) === status) return ended;
  const from = typeOf(last);
  const worklistTemplateId = worklistTemplateFor(plan, from === NO_STATUS.toLowerCase() ? '' : from, status);
  if (typeof worklistTemplateId === 'number') await addItem(ctx, form, plan, worklistTemplateId);
  return ended;
}

async function lastItem(ctx: Context, form: Row): Promise<Row | undefined> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query(
      `select smartworklistmembertype as "SmartWorklistMemberType"
       from smartworklistmember
       where sourceobjectid = $1::bigint and sourceobject = 'ImportForm' and smartworklistmembertype is not null
       order by smartworklistmemberid desc
       limit 1`,
      [form['ImportFormID']],
    ),
  );
  return row;
}

/**
 * Puts a form on the open worklist of a template, with the form's own team and user, or else as other items are
 * assigned.
 */
async function addItem(ctx: Context, form: Row, plan: FormPlan, worklistTemplateId: number): Promise<void> {
  const worklist = await worklistOfTemplate(ctx, worklistTemplateId);
  const source = formSource(form);
  const teamId = await teamOfForm(ctx, form, plan);
  const person = form['AssignedPersonID'] as number | null;
  const assigned = await assignItem(ctx, worklist, source, {
    ...(teamId === null ? {} : { teamId }),
    ...(person === null ? {} : { personId: person }),
  });
  const personId = assigned.personId ?? (await stickyPerson(ctx, form, worklistTemplateId, assigned.teamId));
  const more = new Map<string, unknown>([
    ['smartworklistmember', form['ImportForm']],
    ['smartworklistmembertype', statusOfForm(form)],
    ['duedate', dueDate(form)],
    ['skipdate', skipUntil(ctx, form)],
  ]);
  await insertItem(ctx, { ...assigned, personId }, source, more);
}

/** Returns the form's team, or else its workflow step's, or else its template's. */
async function teamOfForm(ctx: Context, form: Row, plan: FormPlan | undefined): Promise<number | null> {
  const own = form['AssignedCollectionID'];
  if (typeof own === 'number') return own;
  const step = form['DecisionStepID'];
  if (typeof step === 'number') {
    const [row] = await ctx
      .transaction()
      .elevated((db) =>
        db.query<{ teamid: number | null }>('select teamid from decisionstep where decisionstepid = $1::bigint', [
          step,
        ]),
      );
    if (typeof row?.teamid === 'number') return row.teamid;
  }
  return plan?.teamId ?? null;
}

/**
 * Returns who last completed an item of the template for this form, or for another form of the same record, if still in
 * the team.
 */
async function stickyPerson(
  ctx: Context,
  form: Row,
  worklistTemplateId: number,
  teamId: number | null,
): Promise<number | null> {
  return ctx.transaction().elevated(async (db) => {
    const [last] = await db.query<{ person: number; isActive: boolean }>(
      `select i.personid as person, coalesce(p.status, 'Active') = 'Active' as "isActive"
       from smartworklistmember i
       join smartworklist w on w.smartworklistid = i.smartworklistid and w.smartworklisttemplateid = $1::bigint
       join person p on p.personid = i.personid
       where i.sourceobject = 'ImportForm'
         and i.completiondate is not null
         and i.sourceobjectid in (
           select $2::bigint
           union all
           select importformid
           from importform
           where objectid = $3::bigint and object = $4::text
         )
       order by (i.sourceobjectid = $2::bigint) desc, i.completiondate desc, i.smartworklistmemberid desc
       limit 1`,
      [worklistTemplateId, form['ImportFormID'], form['ObjectID'], form['Object']],
    );
    return last?.isActive && (await isInTeam(ctx, db, teamId, last.person)) ? last.person : null;
  });
}

/**
 * Returns when a form's item is due: its actual, projected or estimated completion, whichever comes first in this list.
 */
function dueDate(form: Row): unknown {
  return form['ActualCompletion'] ?? form['ProjectedCompletion'] ?? form['EstimatedCompletion'] ?? null;
}

/** Returns until when a form's item is skipped: its projected completion, if in the future. */
function skipUntil(ctx: Context, form: Row): unknown {
  const projected = form['ProjectedCompletion'];
  return typeof projected === 'string' && Date.parse(projected) > ctx.clock.milliseconds() ? projected : null;
}

/** Copies changed team, user and dates of the form to the item. */
async function followFields(
  ctx: Context,
  form: Row,
  item: Row,
  changed: ColumnNames<typeof importForm>,
): Promise<void> {
  const record = itemRecord(ctx);
  const values = new Map<string, unknown>();
  const set = (column: string, value: unknown): void => {
    if (item[record.columns.get(column)?.name ?? column] !== value) values.set(column, value);
  };
  if (changed.has('ProjectedCompletion') || changed.has('EstimatedCompletion')) set('duedate', dueDate(form));
  if (changed.has('ProjectedCompletion')) set('skipdate', skipUntil(ctx, form));
  if (changed.has('AssignedCollectionID') || changed.has('DecisionStepID')) {
    const team = await teamOfForm(ctx, form, await formPlan(ctx, form['ImportFormTemplateID']));
    if (team !== null) set('teamid', team);
  }
  const had = item['PersonID'];
  if (changed.has('AssignedPersonID')) set('personid', form['AssignedPersonID'] ?? null);
  else if (
    values.has('teamid') &&
    typeof had === 'number' &&
    !(await ctx.transaction().elevated((db) => isInTeam(ctx, db, values.get('teamid') as number, had)))
  )
    values.set('personid', null);
  if (values.size === 0) return;
  // Another user starts over.
  if (values.has('personid')) values.set('startdate', null);
  await ctx.transaction().elevated(() => changeItem(ctx, record, item, values));
}

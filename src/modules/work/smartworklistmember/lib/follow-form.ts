import type { Context } from '../../../../kernel/door/context.ts';
import type { Change } from '../../../../kernel/declare/reaction.ts';
import { assignItem, type SourceRecord } from './assign-item.ts';
import { changeItem, completionValues } from './change-item.ts';
import { formPlan, worklistTemplateFor, type FormPlan } from './form-plan.ts';
import { assertItemPermission } from './item-permissions.ts';
import { insertItem } from './place-item.ts';
import { cancelOpenItems, openItemsOf } from './record-items.ts';
import { isInTeam } from './teams.ts';
import { worklistOfTemplate } from './worklists.ts';
import type { importForm, Task } from '../../importform/importform.record.ts';
import { valueNames, type ValueName, type Values } from '../../../../kernel/declare/values.ts';
import type { smartWorklistMember, WorkItem } from '../smartworklistmember.record.ts';

/** The columns of a form that determine its work items. */
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

const formSource = (form: Task): SourceRecord => ({ object: 'ImportForm', id: form.ImportFormID });
const statusOfForm = (form: Task): string => (form.Status === null || form.Status === '' ? NO_STATUS : form.Status);

/**
 * Makes the items of a form follow it. A form without items costs one indexed statement, and one whose changed columns
 * do not concern worklists none.
 */
export async function followForm(
  ctx: Context,
  form: Task,
  change: Change,
  changed: ReadonlySet<ValueName<typeof importForm>>,
): Promise<void> {
  const record = ctx.registry.recordType('SmartWorklistMember');
  const named = { objects: ['ImportForm'], id: formSource(form).id };
  if (change === 'delete') {
    await cancelOpenItems(ctx, record, named, 'The task was deleted.');
    return;
  }
  if (change === 'insert') return addFirstItem(ctx, form);
  if (!followedColumns.some((name) => changed.has(name))) return;
  if (form.CanceledDate !== null) {
    await cancelOpenItems(ctx, record, named, 'The task was canceled.');
    return;
  }
  const items = await openItemsOf(ctx, record, named);
  if (form.ActualCompletion !== null) return completeItems(ctx, record, items, form.ActualCompletion);
  const moved = changed.has('Status') ? await followStatus(ctx, record, form, items) : new Set<unknown>();
  for (const item of items) if (!moved.has(item.SmartWorklistMemberID)) await followFields(ctx, form, item, changed);
}

async function completeItems(
  ctx: Context,
  record: typeof smartWorklistMember,
  items: readonly WorkItem[],
  instant: string,
): Promise<void> {
  for (const item of items) {
    const values = await completionValues(ctx, item, instant);
    await ctx
      .transaction()
      .elevated(() => changeItem(ctx, record, item, { ...values, SkipDate: null, DueDate: instant }));
  }
}

async function addFirstItem(ctx: Context, form: Task): Promise<void> {
  if (form.CanceledDate !== null || form.ActualCompletion !== null) return;
  const plan = await formPlan(ctx, form.ImportFormTemplateID);
  if (!plan) return;
  const status = statusOfForm(form);
  const worklistTemplateId =
    plan.moves.length === 0 ? plan.worklistTemplateId : worklistTemplateFor(plan, '', status.toLowerCase());
  if (typeof worklistTemplateId === 'number') await addItem(ctx, form, plan, worklistTemplateId);
}

/**
 * Completes items of an earlier status than the form's and adds one for the new status. Returns the completed items.
 */
async function followStatus(
  ctx: Context,
  record: typeof smartWorklistMember,
  form: Task,
  items: readonly WorkItem[],
): Promise<Set<unknown>> {
  const plan = await formPlan(ctx, form.ImportFormTemplateID);
  if (!plan || plan.moves.length === 0) return new Set();
  const status = statusOfForm(form).toLowerCase();
  const typeOf = (item: Pick<WorkItem, 'SmartWorklistMemberType'> | undefined): string | undefined =>
    item?.SmartWorklistMemberType?.toLowerCase();
  const old = items.filter((item) => typeOf(item) !== undefined && typeOf(item) !== status);
  await completeItems(ctx, record, old, ctx.clock.now());
  const ended = new Set(old.map((item) => item.SmartWorklistMemberID));
  if (items.some((item) => typeOf(item) === status)) return ended;
  // Sending the same status again is no change: the last item has the status that the form last moved to.
  const last = old.at(-1) ?? (await lastTypedItem(ctx, form));
  if (typeOf(last) === status) return ended;
  const from = typeOf(last);
  const worklistTemplateId = worklistTemplateFor(plan, from === NO_STATUS.toLowerCase() ? '' : from, status);
  if (typeof worklistTemplateId === 'number') await addItem(ctx, form, plan, worklistTemplateId);
  return ended;
}

/** Returns the type of the form's last item that has one. */
async function lastTypedItem(ctx: Context, form: Task): Promise<Pick<WorkItem, 'SmartWorklistMemberType'> | undefined> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<Pick<WorkItem, 'SmartWorklistMemberType'>>(
      `select smartworklistmembertype as "SmartWorklistMemberType"
       from smartworklistmember
       where sourceobjectid = $1::bigint and sourceobject = 'ImportForm' and smartworklistmembertype is not null
       order by smartworklistmemberid desc
       limit 1`,
      [form.ImportFormID],
    ),
  );
  return row;
}

/**
 * Puts a form on the open worklist of a template, with the form's own team and user, or else as other items are
 * assigned.
 */
async function addItem(ctx: Context, form: Task, plan: FormPlan, worklistTemplateId: number): Promise<void> {
  const worklist = await worklistOfTemplate(ctx, worklistTemplateId);
  const source = formSource(form);
  const teamId = await teamOfForm(ctx, form, plan);
  const person = form.AssignedPersonID;
  const assigned = await assignItem(ctx, worklist, source, {
    ...(teamId === null ? {} : { teamId }),
    ...(person === null ? {} : { personId: person }),
  });
  const personId = assigned.personId ?? (await stickyPerson(ctx, form, worklistTemplateId, assigned.teamId));
  const more = {
    SmartWorklistMember: form.ImportForm,
    SmartWorklistMemberType: statusOfForm(form),
    DueDate: dueDate(form),
    SkipDate: skipUntil(ctx, form),
  };
  await insertItem(ctx, { ...assigned, personId }, source, more);
}

/** Returns the form's team, or else its workflow step's, or else its template's. */
async function teamOfForm(ctx: Context, form: Task, plan: FormPlan | undefined): Promise<number | null> {
  const own = form.AssignedCollectionID;
  if (typeof own === 'number') return own;
  const step = form.DecisionStepID;
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
  form: Task,
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
      [worklistTemplateId, form.ImportFormID, form.ObjectID, form.Object],
    );
    return last?.isActive && (await isInTeam(ctx, db, teamId, last.person)) ? last.person : null;
  });
}

/**
 * Returns when a form's item is due: its actual, projected or estimated completion, whichever comes first in this list.
 */
function dueDate(form: Task): string | null {
  return form.ActualCompletion ?? form.ProjectedCompletion ?? form.EstimatedCompletion;
}

/** Returns until when a form's item is skipped: its projected completion, if in the future. */
function skipUntil(ctx: Context, form: Task): string | null {
  const projected = form.ProjectedCompletion;
  return projected !== null && Date.parse(projected) > ctx.clock.milliseconds() ? projected : null;
}

/** Copies changed team, user and dates of the form to the item. */
async function followFields(
  ctx: Context,
  form: Task,
  item: WorkItem,
  changed: ReadonlySet<ValueName<typeof importForm>>,
): Promise<void> {
  const record = ctx.registry.recordType('SmartWorklistMember');
  const values: Values<typeof smartWorklistMember> = {};
  const set = <N extends ValueName<typeof smartWorklistMember>>(name: N, value: (typeof values)[N]): void => {
    if (item[name] !== value) values[name] = value;
  };
  if (changed.has('ProjectedCompletion') || changed.has('EstimatedCompletion')) set('DueDate', dueDate(form));
  if (changed.has('ProjectedCompletion')) set('SkipDate', skipUntil(ctx, form));
  if (changed.has('AssignedCollectionID') || changed.has('DecisionStepID')) {
    const team = await teamOfForm(ctx, form, await formPlan(ctx, form.ImportFormTemplateID));
    if (team !== null) set('TeamID', team);
  }
  const had = item.PersonID;
  const { TeamID: team } = values;
  if (changed.has('AssignedPersonID')) set('PersonID', form.AssignedPersonID);
  else if (
    typeof team === 'number' &&
    had !== null &&
    !(await ctx.transaction().elevated((db) => isInTeam(ctx, db, team, had)))
  )
    values.PersonID = null;
  if (valueNames(values).length === 0) return;
  assertReassignAllowed(ctx, item, values);
  // Another user starts over.
  if (values.PersonID !== undefined) values.StartDate = null;
  await ctx.transaction().elevated(() => changeItem(ctx, record, item, values));
}

/**
 * Throws NO_PERMISSION unless the user may give the item to another team or user, as a reassignment may: a task's team
 * and user are no way around it. Users may take an unassigned item and release their own.
 */
function assertReassignAllowed(ctx: Context, item: WorkItem, values: Values<typeof smartWorklistMember>): void {
  const { personId: me } = ctx.user;
  const [had, gets] = [item.PersonID, values.PersonID];
  const isOwnChange = (had === null && gets === me) || (had === me && gets === null);
  if (values.TeamID === undefined && (gets === undefined || isOwnChange)) return;
  assertItemPermission(ctx, 'Reassign', "give a task's work item to another team or user");
}

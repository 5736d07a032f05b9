import type { Row } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { assignItem } from './lib/assign-item.ts';
import { completionValues, templateIdOf, writeAssignee } from './lib/change-item.ts';
import { followForm } from './lib/follow-form.ts';
import { assertItemChangeAllowed } from './lib/item-permissions.ts';
import { concreteSource } from './lib/place-item.ts';
import { datesOf, isOpen, statusOf } from './lib/item-state.ts';
import { assertActive, assertTeam } from './lib/teams.ts';
import { openWorklist } from './lib/worklists.ts';
import { smartWorklistMember } from './smartworklistmember.record.ts';
import { importForm } from '../importform/importform.record.ts';
import { type Values, columnsAfter } from '../../../kernel/declare/values.ts';
import type { ColumnName } from '../../../kernel/declare/columns.ts';

type Item = Partial<Row<typeof smartWorklistMember>>;

/** Sets an item's Status from its dates. A Status sent alone sets the dates first. */
async function settleStatus(
  ctx: Context,
  values: Values<typeof smartWorklistMember>,
  stored: Item | undefined,
): Promise<void> {
  const sent = values.Status;
  const isSame =
    typeof sent === 'string' && sent.toLowerCase() === statusOf(columnsAfter(values, stored)).toLowerCase();
  if (typeof sent === 'string' && !isSame)
    for (const [name, date] of datesOf(sent, ctx.clock.now())) if (values[name] === undefined) values[name] = date;
  const row = columnsAfter(values, stored);
  if ((row.CompletionDate ?? null) !== null && (row.CancelledDate ?? null) !== null)
    throw bad('CompletionDate', 'no date for a canceled work item; requeue it first');
  const isCompleted = (values.CompletionDate ?? null) !== null;
  if (isCompleted && values.BusinessMinutes === undefined) {
    const item = { CreatedDate: ctx.clock.now(), ...row };
    values.BusinessMinutes = (await completionValues(ctx, item, String(row.CompletionDate))).BusinessMinutes;
  }
  values.Status = statusOf(row);
}

async function checkNew(ctx: Context, values: Values<typeof smartWorklistMember>): Promise<void> {
  const [worklistId, object, id] = [values.SmartWorklistID, values.SourceObject, values.SourceObjectID];
  if (typeof worklistId !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'SmartWorklistID',
      message: 'SmartWorklistID is required: the queue.',
    });
  if (typeof object !== 'string' || object === '')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'SourceObject',
      message: 'SourceObject is required: the record type.',
    });
  if (typeof id !== 'number')
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'SourceObjectID',
      message: 'SourceObjectID is required: the record.',
    });
  const source = await concreteSource(ctx, { object, id });
  values.SourceObject = source.object;
  const worklist = await openWorklist(ctx, worklistId);
  await settleStatus(ctx, values, undefined);
  assertItemChangeAllowed(ctx, undefined, columnsAfter(values, undefined));
  const decided = await assignItem(ctx, worklist, source, {
    teamId: values.TeamID,
    personId: values.PersonID,
    priority: values.Priority,
  });
  values.SmartWorklistID = decided.worklist.id;
  values.TeamID = decided.teamId;
  values.PersonID = decided.personId;
  values.Priority = decided.priority;
}

async function checkChange(ctx: Context, values: Values<typeof smartWorklistMember>, id: number): Promise<void> {
  const stored = await readRecord(ctx.db, smartWorklistMember, id);
  const differs = (name: ColumnName<typeof smartWorklistMember>): boolean =>
    values[name] !== undefined && values[name] !== stored[name];
  if (differs('SourceObject') || differs('SourceObjectID')) {
    const row = columnsAfter(values, stored);
    const source = await concreteSource(ctx, { object: String(row.SourceObject), id: Number(row.SourceObjectID) });
    values.SourceObject = source.object;
  }
  await settleStatus(ctx, values, stored);
  const row = columnsAfter(values, stored);
  assertItemChangeAllowed(ctx, stored, row);
  if (isOpen(row) && (differs('SmartWorklistID') || !isOpen(stored)))
    await openWorklist(ctx, Number(row.SmartWorklistID));
}

export const checks = [
  defineCheck({
    on: smartWorklistMember,
    doc:
      'A work item has an existing record, an open queue, a team of users and an active user; its Status follows ' +
      'from its dates. A new one is assigned by the team matrix, then the queue, then its template. Changing its ' +
      'team, user or dates needs the permission for the operation that does this.',
    async run(ctx, { values, id }) {
      const [team, person] = [values.TeamID, values.PersonID];
      if (typeof team === 'number') await assertTeam(ctx.db, team, 'TeamID');
      if (typeof person === 'number' && id === undefined) await assertActive(ctx.db, person, 'PersonID');
      return id === undefined ? checkNew(ctx, values) : checkChange(ctx, values, id);
    },
  }),
];

export const reactions = [
  defineReaction({
    on: smartWorklistMember,
    after: ['insert', 'update'],
    doc: 'Writes who starts or gets an open work item into the field of its record that the template names.',
    async run(ctx, row, change, changed) {
      const isGiven =
        change === 'insert' ? row.StartDate !== null : changed.has('PersonID') || changed.has('StartDate');
      if (isGiven && isOpen(row) && row.PersonID !== null) await writeAssignee(ctx, row, await templateIdOf(ctx, row));
    },
  }),
  defineReaction({
    on: importForm,
    after: ['insert', 'update', 'delete'],
    doc:
      'The work item of a task follows it: it is completed, skipped, moved to the queue of the next ' +
      'status, and canceled with the task, and takes its team, user and dates.',
    run: followForm,
  }),
];

import type { Row } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { assignItem } from './lib/assign-item.ts';
import { completionValues, templateIdOf, writeAssignee } from './lib/change-item.ts';
import { followForm } from './lib/follow-form.ts';
import { concreteSource } from './lib/place-item.ts';
import { datesOf, isOpen, statusOf } from './lib/item-state.ts';
import { assertActive, assertTeam } from './lib/teams.ts';
import { openWorklist } from './lib/worklists.ts';

/** Returns the row after the save, by declared names. */
function rowAfter(record: RecordType, stored: Row, values: ReadonlyMap<string, unknown>): Row {
  const row: Record<string, unknown> = { ...stored };
  for (const [name, value] of values) row[record.columns.get(name)?.name ?? name] = value;
  return row;
}

/** Sets an item's Status from its dates. A Status sent alone sets the dates first. */
async function settleStatus(
  ctx: Context,
  record: RecordType,
  values: Map<string, unknown>,
  stored: Row,
): Promise<void> {
  const sent = values.get('status');
  const isSame =
    typeof sent === 'string' && sent.toLowerCase() === statusOf(rowAfter(record, stored, values)).toLowerCase();
  if (typeof sent === 'string' && !isSame)
    for (const [name, date] of datesOf(sent, ctx.clock.now())) if (!values.has(name)) values.set(name, date);
  const row = rowAfter(record, stored, values);
  if ((row['CompletionDate'] ?? null) !== null && (row['CancelledDate'] ?? null) !== null)
    throw bad('CompletionDate', 'no date for a canceled work item; requeue it first');
  const isCompleted = (values.get('completiondate') ?? null) !== null;
  if (isCompleted && values.get('businessminutes') === undefined) {
    const minutes = await completionValues(
      ctx,
      { CreatedDate: ctx.clock.now(), ...row },
      String(row['CompletionDate']),
    );
    values.set('businessminutes', minutes.get('businessminutes'));
  }
  values.set('status', statusOf(row));
}

async function checkNew(ctx: Context, record: RecordType, values: Map<string, unknown>): Promise<void> {
  const [worklistId, object, id] = [
    values.get('smartworklistid'),
    values.get('sourceobject'),
    values.get('sourceobjectid'),
  ];
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
  values.set('sourceobject', source.object);
  const worklist = await openWorklist(ctx, worklistId);
  await settleStatus(ctx, record, values, {});
  const given = (name: string): number | null | undefined => values.get(name) as number | null | undefined;
  const decided = await assignItem(ctx, worklist, source, {
    teamId: given('teamid'),
    personId: given('personid'),
    priority: given('priority'),
  });
  values
    .set('smartworklistid', decided.worklist.id)
    .set('teamid', decided.teamId)
    .set('personid', decided.personId)
    .set('priority', decided.priority);
}

async function checkChange(ctx: Context, record: RecordType, values: Map<string, unknown>, id: number): Promise<void> {
  const stored = await readRecord(ctx.db, record, id);
  const differs = (column: string, name: string): boolean => values.has(column) && values.get(column) !== stored[name];
  const isReassigned = differs('teamid', 'TeamID') || differs('personid', 'PersonID');
  if (isReassigned && ctx.authority === 'checked' && !ctx.user.permissions.has('SmartWorklistMemberReassign'))
    throw new PlatformError('NO_PERMISSION', {
      message: 'You need the permission SmartWorklistMemberReassign to give a work item to another team or user.',
    });
  if (differs('sourceobject', 'SourceObject') || differs('sourceobjectid', 'SourceObjectID')) {
    const row = rowAfter(record, stored, values);
    values.set(
      'sourceobject',
      (await concreteSource(ctx, { object: String(row['SourceObject']), id: Number(row['SourceObjectID']) })).object,
    );
  }
  await settleStatus(ctx, record, values, stored);
  const row = rowAfter(record, stored, values);
  if (isOpen(row) && (differs('smartworklistid', 'SmartWorklistID') || !isOpen(stored)))
    await openWorklist(ctx, Number(row['SmartWorklistID']));
}

export const checks = defineChecks([
  {
    on: 'SmartWorklistMember',
    doc:
      'A work item has an existing record, an open queue, a team of users and an active user; its Status follows ' +
      'from its dates. A new one is assigned by the team matrix, then the queue, then its template.',
    async run(ctx, record, values, id) {
      const [team, person] = [values.get('teamid'), values.get('personid')];
      if (typeof team === 'number') await assertTeam(ctx.db, team, 'TeamID');
      if (typeof person === 'number' && id === undefined) await assertActive(ctx.db, person, 'PersonID');
      return id === undefined ? checkNew(ctx, record, values) : checkChange(ctx, record, values, id);
    },
  },
]);

export const reactions = defineReactions([
  {
    on: 'SmartWorklistMember',
    after: ['insert', 'update'],
    doc: 'Writes who starts or gets an open work item into the field of its record that the template names.',
    async run(ctx, row, change, changed) {
      const isGiven =
        change === 'insert' ? row['StartDate'] !== null : changed.has('personid') || changed.has('startdate');
      if (isGiven && isOpen(row) && row['PersonID'] !== null)
        await writeAssignee(ctx, row, await templateIdOf(ctx, row));
    },
  },
  {
    on: 'ImportForm',
    after: ['insert', 'update', 'delete'],
    doc:
      'The work item of a task follows it: it is completed, skipped, moved to the queue of the next ' +
      'status, and canceled with the task, and takes its team, user and dates.',
    run: followForm,
  },
]);

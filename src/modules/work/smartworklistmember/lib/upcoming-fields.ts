import { f } from '../../../../kernel/declare/field.ts';
import type { FieldColumns } from '../../../../kernel/declare/columns.ts';
import type { UpcomingItem } from './upcoming-items.ts';

/** The columns of a coming item. */
export const upcomingFields = {
  SmartWorklistMemberID: f.id({ doc: 'The item.' }),
  SmartWorklistMember: f.text({ doc: 'Its name.', max: 255 }),
  SmartWorklistMemberType: f.text({ doc: 'The status of its task, if the task has statuses.', max: 100 }),
  Status: f.text({ doc: 'Queued, Started or Skipped.', max: 100 }),
  SmartWorklistID: f.id({ doc: 'Its queue.' }),
  SmartWorklist: f.text({ doc: "The queue's name.", max: 255 }),
  SourceObject: f.text({ doc: 'The type of its record, such as ImportForm.', max: 60 }),
  SourceObjectID: f.id({ doc: 'Its record.' }),
  Object: f.text({ doc: "The record type of the task's parent, such as Foreclosure; else of its record.", max: 60 }),
  ObjectID: f.id({ doc: "The task's parent; else its record." }),
  Reason: f.text({ doc: 'Why it is in the queue.', max: 255 }),
  Why: f.text({ doc: 'Why it comes before the next one, in words, and which steps wait for it.', max: 1000 }),
  Priority: f.integer({ doc: 'Its priority.' }),
  DueDate: f.timestamp({ doc: 'When it is due.' }),
  CreatedDate: f.timestamp({ doc: 'When it was created.' }),
  StartDate: f.timestamp({ doc: 'When the caller started it.' }),
  HeldDate: f.timestamp({ doc: 'Since when a hold keeps its task from being completed.' }),
  TeamID: f.id({ doc: 'Its team.' }),
  Team: f.text({ doc: "The team's name.", max: 100 }),
  PersonID: f.id({ doc: 'The caller, if it is assigned to them.' }),
  Version: f.integer({ doc: 'Its version.' }),
  NextCursor: f.text({ doc: 'In the last row: where the next page begins. Omitted if there are no more.', max: 8000 }),
};

/** Returns the row of a coming item. `why`: the reason for its place. */
export function rowOf(item: UpcomingItem, why: string): FieldColumns<typeof upcomingFields> {
  return {
    SmartWorklistMemberID: item.id,
    SmartWorklistMember: item.name,
    SmartWorklistMemberType: item.type,
    Status: item.status,
    SmartWorklistID: item.worklistId,
    SmartWorklist: item.worklist,
    SourceObject: item.sourceObject,
    SourceObjectID: item.sourceId,
    Object: item.object,
    ObjectID: item.objectId,
    Reason: item.reason,
    Why: why,
    Priority: item.priority,
    DueDate: item.dueDate,
    CreatedDate: item.createdDate,
    StartDate: item.startDate,
    HeldDate: item.heldDate,
    TeamID: item.teamId,
    Team: item.team,
    PersonID: item.personId,
    Version: item.version,
    NextCursor: null,
  };
}

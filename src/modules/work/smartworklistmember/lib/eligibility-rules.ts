import type { Context } from '../../../../kernel/door/context.ts';
import type { WorkItem } from '../smartworklistmember.record.ts';
import { isOpen } from './item-state.ts';

/** A rule for giving an item to a user, with its result. */
export interface EligibilityRule {
  readonly name: string;
  readonly holds: boolean;
  readonly value: string;
}

/** A user and what the rules need to know of them and the item's queue. */
export interface Candidate {
  readonly person: number;
  readonly isOfTeam: boolean;
  readonly isWorklistOpen: boolean;
  /** Names of the holds of the item's task. */
  readonly holds: readonly string[];
  /** Whether `next` gives items on hold. */
  readonly givesHeld: boolean;
}

/** Returns the rules for giving an item to a user, each with its result. */
export function eligibilityRules(
  ctx: Context,
  row: WorkItem,
  { person, isOfTeam, isWorklistOpen, holds, givesHeld }: Candidate,
): EligibilityRule[] {
  const { SkipDate: skip, PersonID, TeamID } = row;
  return [
    { name: 'Open', holds: isOpen(row), value: row.Status ?? 'Queued' },
    { name: 'WorklistOpen', holds: isWorklistOpen, value: `SmartWorklist ${row.SmartWorklistID}` },
    {
      name: 'NotSkipped',
      holds: skip === null || Date.parse(skip) <= ctx.clock.milliseconds(),
      value: skip ?? 'not snoozed',
    },
    {
      name: 'NotOnHold',
      holds: givesHeld || row.HeldDate === null,
      value: row.HeldDate === null ? 'not on hold' : `since ${row.HeldDate}: ${holds.join(', ')}`,
    },
    {
      name: 'Unassigned',
      holds: PersonID === null || PersonID === person,
      value: PersonID === null ? 'unassigned' : `Person ${PersonID}`,
    },
    {
      name: 'Team',
      holds: TeamID === null || isOfTeam,
      value: TeamID === null ? 'no team' : `Collection ${TeamID}`,
    },
  ];
}

import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { readItemRow } from './current-item.ts';

/** A person or a team who may get an item: `person 5`, `team 3`. */
export interface Receiver {
  readonly value: string;
  readonly text: string;
}

/** Whether the user may give items away: those of everybody, or only the own. */
export function mayGiveAway(call: PageCall): boolean {
  return call.may('smartworklistmember/reassign') || mayHandOver(call);
}

/** Colleagues are listed with their open items. */
function mayHandOver(call: PageCall): boolean {
  return call.may('smartworklistmember/handover') && call.may('smartworklist/counts');
}

/** Returns the verb for what the user may do with an item. */
export function givingText(call: PageCall): string {
  return call.may('smartworklistmember/reassign') ? 'Reassign' : 'Hand over';
}

/** Returns who may get an item of a team: for clerks their colleagues, for team leads other teams as well. */
export async function receivers(call: PageCall, teamId: number | null): Promise<readonly Receiver[]> {
  const mayReassign = call.may('smartworklistmember/reassign');
  if (!call.may('smartworklist/counts')) return [];
  const [members, teams] = await Promise.all([
    teamId === null ? undefined : call.call('smartworklist/teammembers', { TeamID: teamId }),
    mayReassign ? call.call('smartworklist/teams', { All: 'true' }) : undefined,
  ]);
  const people = (members?.answer.rows ?? []).filter(
    ({ IsMember: isMember, PersonID: id }) => isMember && (mayReassign || id !== call.user.personId),
  );
  return [
    ...people.map(({ PersonID: id, Name: name, Open: open }) => ({
      value: `person ${id ?? ''}`,
      text: `${name ?? ''}, ${open ?? 0} open`,
    })),
    ...(teams?.answer.rows ?? []).map(({ TeamID: id, Team: name }) => ({
      value: `team ${id ?? ''}`,
      text: `Anyone in ${name ?? ''}`,
    })),
  ];
}

/** Gives an item to the receiver that the form names. An item that nobody has is begun first, as handing over needs. */
export async function giveAway(call: PageCall, id: string): Promise<void> {
  const [kind = '', target = ''] = plainText(call.form['To']).split(' ');
  if (kind === 'team')
    return void (await call.call('smartworklistmember/reassign', { ID: id, TeamID: target, PersonID: '' }));
  if (call.may('smartworklistmember/reassign'))
    return void (await call.call('smartworklistmember/reassign', { ID: id, PersonID: target }));
  const row = await readItemRow(call, id);
  if (row?.PersonID === null) await call.call('smartworklistmember/start', { ID: id });
  await call.call('smartworklistmember/handover', { ID: id, PersonID: target });
}

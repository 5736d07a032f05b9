import type { Stage } from './play-case.ts';

/** Open items that the demo's clerk has been given, and how many of them are snoozed. */
const CLERK_ITEMS = 18;
const SNOOZED_ITEMS = 2;

/** Gives open work items of their teams to the demo's clerk, whose day then begins with something to do. */
export async function handOutWork({ cast, clock }: Stage): Promise<void> {
  const [clerk] = cast.byTeam.get('Intake') ?? [];
  const team = cast.byTeam.get('Intake')?.[1] ?? cast.admin;
  if (!clerk) return;
  const { rows } = await team.call('smartworklistmember/search', {
    Status: 'Queued',
    TeamID: ['Intake', 'Title', 'Litigation'].map((name) => cast.teamIds.get(name as 'Intake')).join(','),
    OrderBy: 'DueDate',
    DisplaySize: CLERK_ITEMS * 3,
    SqlColumns: 'SmartWorklistMemberID,PersonID,HeldDate',
    RecordCount: false,
  });
  const free = rows.filter((row) => row.PersonID === null && row.HeldDate === null);
  // Every second one: the others stay in the teams' queues.
  const given = free.filter((_row, at) => at % 2 === 0).slice(0, CLERK_ITEMS);
  if (given.length === 0) return;
  await clock.at(clock.milliseconds() - 18 * 3_600_000, () =>
    team.call('smartworklistmember/reassign', {
      ID: given.map((row) => row.SmartWorklistMemberID),
      PersonID: clerk.personId,
    }),
  );
  for (const row of given.slice(-SNOOZED_ITEMS))
    await clerk.call('smartworklistmember/skip', {
      ID: row.SmartWorklistMemberID,
      SkipDate: new Date(clock.milliseconds() + 2 * 86_400_000).toISOString(),
    });
}

import { timeZone } from '../../kernel/declare/core-settings.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { instantOfWallClock, zoneOffset } from '../../kernel/time/clock.ts';
import type { DemoUser } from './demo-user.ts';
import type { Stage } from './play-case.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days from the present on which the items of the demo's clerk are due: 4 are overdue, 8 due today, 25 in all. */
export const CLERK_DUE_DAYS = [-3, -2, -1, -1, ...days(8, 0), ...days(6, 1), 2, 2, 3, 3, 4, 4, 5] as const;
/** Items that the clerk has snoozed besides. */
const SNOOZED_ITEMS = 2;
/** The same for each of the colleagues. */
const COLLEAGUE_DUE_DAYS = [-2, -1, ...days(4, 0), ...days(4, 1), 2, 3, 4, 6] as const;
/** The same for the team lead, who helps where it is needed. */
const LEAD_DUE_DAYS = [0, 0, 1, 2, 3] as const;
/** Days from the present on which items that nobody has are due, one after the other. */
const FREE_DUE_DAYS = [2, 3, 4, 5, 7, 8, 9] as const;
/** When items of a day are due, in hours of the office's clock. */
const DUE_HOURS = [12, 13, 14, 15, 16, 17] as const;
/** Items whose due dates are changed at once. */
const LANES = 4;
/** Most open items that are read. */
const ITEMS_MAX = 1_000;

interface Item {
  readonly id: number;
  readonly taskId: number;
  readonly team: number | null;
  readonly dueAt: number;
}

/** An item, who gets it, and when it is due from then on. */
interface Assignment {
  readonly item: Item;
  readonly to: DemoUser | undefined;
  readonly dueAt: number;
}

function days(count: number, day: number): readonly number[] {
  return Array.from({ length: count }, () => day);
}

/**
 * Gives open work items of their teams to the demo's clerk and colleagues, as the team lead does the day before, with
 * due dates around the present: everybody's day begins with something late, something due and something to come. What
 * nobody gets is due later.
 */
export async function handOutWork(platform: Platform, stage: Stage): Promise<void> {
  const { cast, clock } = stage;
  const [clerk] = cast.byTeam.get('Intake') ?? [];
  if (!clerk || (await hasSnoozed(clerk))) return;
  const dueAt = dueDates(platform.settings.get(timeZone), clock.milliseconds());
  const assignments = assign(stage, clerk, await freeItems(cast.admin), dueAt);
  const snoozed = assignments.filter(({ to }) => to === clerk).slice(-SNOOZED_ITEMS);
  await clock.at(clock.milliseconds() - 18 * HOUR, async () => {
    await giveItems(cast.lead, assignments);
    await changeDueDates(cast.lead, assignments);
  });
  for (const { item } of snoozed)
    await clerk.call('smartworklistmember/skip', {
      ID: item.id,
      SkipDate: new Date(clock.milliseconds() + 2 * DAY).toISOString(),
    });
}

/** Whether the items were given before: the clerk gets some of the cases' tasks while they are played, too. */
async function hasSnoozed(clerk: DemoUser): Promise<boolean> {
  const { rows } = await clerk.call('smartworklistmember/search', {
    PersonID: clerk.personId,
    Status: 'Skipped',
    SqlColumns: 'SmartWorklistMemberID',
    RecordCount: false,
  });
  return rows.length > 0;
}

/** Reads the items that nobody has and nothing holds, those due first first. */
async function freeItems(admin: DemoUser): Promise<readonly Item[]> {
  const { rows } = await admin.call('smartworklistmember/search', {
    Status: 'Queued',
    SourceObject: 'ImportForm',
    OrderBy: 'DueDate',
    DisplaySize: ITEMS_MAX,
    SqlColumns: 'SmartWorklistMemberID,SourceObjectID,TeamID,PersonID,HeldDate,DueDate',
    RecordCount: false,
  });
  return rows
    .filter(({ PersonID, HeldDate }) => PersonID === null && HeldDate === null)
    .map(({ SmartWorklistMemberID: id, SourceObjectID: taskId, TeamID: team, DueDate: due }) => {
      return { id, taskId, team, dueAt: due === null ? Number.POSITIVE_INFINITY : Date.parse(due) };
    });
}

/** Returns who gets which item, the clerk first: of each of the user's teams in turn, those due first first. */
function assign(
  { cast }: Stage,
  clerk: DemoUser,
  items: readonly Item[],
  dueAt: (day: number, n: number) => number,
): readonly Assignment[] {
  const left = [...items];
  const take = (user: DemoUser, days: readonly number[]): readonly Assignment[] => {
    const teams = [...cast.teamIds].flatMap(([name, id]) => (cast.byTeam.get(name)?.includes(user) ? [id] : []));
    return days.flatMap((day, n) => {
      const ofTurn = left.findIndex(({ team }) => team === teams[n % teams.length]);
      const at = ofTurn === -1 ? left.findIndex(({ team }) => team !== null && teams.includes(team)) : ofTurn;
      const [item] = at === -1 ? [] : left.splice(at, 1);
      return item ? [{ item, to: user, dueAt: dueAt(day, n) }] : [];
    });
  };
  const given = [
    ...take(clerk, [...CLERK_DUE_DAYS, ...days(SNOOZED_ITEMS, 1)]),
    ...cast.colleagues.flatMap((user) => take(user, COLLEAGUE_DUE_DAYS)),
    ...take(cast.lead, LEAD_DUE_DAYS),
  ];
  const soon = dueAt(FREE_DUE_DAYS[0], 0) - DAY / 2;
  const free = left.flatMap((item, n) => {
    const day = FREE_DUE_DAYS[n % FREE_DUE_DAYS.length] ?? 0;
    return item.dueAt < soon ? [{ item, to: undefined, dueAt: dueAt(day, n) }] : [];
  });
  return [...given, ...free];
}

/**
 * Returns when the n-th item of a day is due: at a full hour of the afternoon, and today not in the past. `day`: days
 * from the present. Milliseconds since 1970.
 */
export function dueDates(zone: string, now: number): (day: number, n: number) => number {
  const wall = now + zoneOffset(zone, now);
  const midnight = Math.floor(wall / DAY) * DAY;
  const lastToday = instantOfWallClock(zone, midnight + DAY) - 60_000;
  return (day, n) => {
    const hour = DUE_HOURS[n % DUE_HOURS.length] ?? 12;
    const due = instantOfWallClock(zone, midnight + day * DAY + hour * HOUR);
    return day === 0 && due < now + HOUR ? lastToday : due;
  };
}

async function giveItems(lead: DemoUser, assignments: readonly Assignment[]): Promise<void> {
  for (const [user, given] of Map.groupBy(assignments, ({ to }) => to))
    if (user)
      await lead.call('smartworklistmember/reassign', {
        ID: given.map(({ item }) => item.id),
        PersonID: user.personId,
      });
}

async function changeDueDates(lead: DemoUser, assignments: readonly Assignment[]): Promise<void> {
  const left = assignments.filter(({ item, dueAt }) => Math.abs(item.dueAt - dueAt) > HOUR);
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next; next = left.shift())
      await lead.call('importform/save', {
        ID: next.item.taskId,
        EstimatedCompletion: new Date(next.dueAt).toISOString(),
      });
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

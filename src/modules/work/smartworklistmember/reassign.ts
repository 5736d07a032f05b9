import { namedRows } from '../../../kernel/door/named-records.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Db } from '../../../kernel/database/store.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { ITEMS_MAX, changeItems, type ItemChange, templateIdOf, writeAssignee } from './lib/change-item.ts';
import { isOpen } from './lib/item-state.ts';
import { assertActive, assertTeam, findPerson, findTeam, isInTeam } from './lib/teams.ts';
import type { WorkItem } from './smartworklistmember.record.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Reassign',
  method: 'POST',
  summary:
    'Gives open work items to another team, user or both; an empty value removes them. A user outside ' +
    'the new team loses the item, and the new one starts over.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.idList({ doc: 'The items.', max: ITEMS_MAX })),
    TeamID: f.id({ doc: 'The team, a collection of users.', to: 'Collection' }),
    PersonID: f.id({ doc: "The user, of the items' team.", to: 'Person' }),
    Team: f.text({ doc: 'The team by its name, instead of TeamID.', max: 255 }),
    Person: f.text({ doc: 'The user by the sign-in name, instead of PersonID.', max: 255 }),
  },
  returns: 'list',
  errors: ['NOT_FOUND', 'STATE_REFUSES', 'BAD_PARAMETER', 'MISSING_PARAMETER', 'TOO_LARGE', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklists',
});

export const run = handle(operation, async (ctx, { Team, Person, ...ids }) => {
  const TeamID = await idOf(ctx, { field: 'Team', name: Team, id: ids.TeamID, find: findTeam, what: 'a team' });
  const PersonID = await idOf(ctx, {
    field: 'Person',
    name: Person,
    id: ids.PersonID,
    find: findPerson,
    what: 'an active user',
  });
  if (TeamID === undefined && PersonID === undefined)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'TeamID',
      message: 'TeamID or PersonID is required: the new team or user. Team or Person names them instead.',
    });
  if (typeof TeamID === 'number') await assertTeam(ctx.db, TeamID, 'TeamID');
  if (typeof PersonID === 'number') await assertActive(ctx.db, PersonID, 'PersonID');
  const answer = await changeItems(ctx, ctx.record, namedRows(ctx, ctx.record), (row) =>
    reassigned(ctx, row, TeamID, PersonID),
  );
  for (const row of answer.rows)
    if (isOpen(row) && row.PersonID !== null) await writeAssignee(ctx, row, await templateIdOf(ctx, row));
  return answer;
});

/** A team or user that was sent by id or by name. */
interface Assignee {
  readonly field: string;
  readonly name: string | null | undefined;
  readonly id: number | null | undefined;
  readonly find: (db: Db, text: string) => Promise<number | undefined>;
  readonly what: string;
}

/** Returns the id of a team or user. @throws BAD_PARAMETER for an unknown name, or a name beside an id */
async function idOf(ctx: Context, { field, name, id, find, what }: Assignee): Promise<number | null | undefined> {
  if (typeof name !== 'string' || name.trim() === '') return id;
  if (id !== undefined) throw bad(field, `either ${field} or ${field}ID, not both`);
  const found = await find(ctx.db, name);
  if (found === undefined) throw bad(field, `the name of ${what}`);
  return found;
}

async function reassigned(
  ctx: Context,
  row: WorkItem,
  teamId: number | null | undefined,
  personId: number | null | undefined,
): Promise<ItemChange> {
  if (!isOpen(row)) return `it is ${String(row.Status)}; only open work items can be reassigned.`;
  const team = teamId === undefined ? row.TeamID : teamId;
  const had = row.PersonID;
  const keeps = personId === undefined && had !== null && (await isInTeam(ctx, ctx.db, team, had));
  const remaining = keeps ? had : null;
  const person = personId === undefined ? remaining : personId;
  // No user could ever take it: not the assigned user, who is outside the team, and not the team, since it is the
  // user's.
  if (person !== null && !keeps && !(await isInTeam(ctx, ctx.db, team, person)))
    return `user ${person} is not in its team, ${team}.`;
  return { TeamID: team, PersonID: person, ...(person === had ? {} : { StartDate: null }) };
}

import { isOpenWorklist } from '../lib/open.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import type { TreeNode } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { today } from '../../../kernel/time/today.ts';
import { RANKED } from './lib/eligible-items.ts';
import { eligibilityRules } from './lib/eligibility-rules.ts';
import { assertActive, TEAMS_OF_PERSON } from './lib/teams.ts';
import { nextGivesHeldItems } from './settings.ts';

export const operation = defineOperation({
  module: 'smartworklistmember',
  name: 'Explain',
  method: 'GET',
  summary:
    'Explains whether a work item is the next one for a user: each rule with its result, each sort ' +
    'key with its value, and its place among the items the user may get.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The item.' })),
    PersonID: f.id({ doc: 'The user. Defaults to the caller.', to: 'Person' }),
  },
  returns: 'tree',
  answerName: 'WorklistExplanation',
  example: {
    name: 'WorklistExplanation',
    attributes: { SmartWorklistMemberID: 12, PersonID: 5, Eligible: true, Place: 1, Of: 40 },
    list: true,
    children: [
      { name: 'Rule', attributes: { Name: 'Team', Holds: true, Value: 'Collection 3' } },
      { name: 'Key', attributes: { Name: 'Priority', Value: 2 } },
    ],
  },
  errors: ['NOT_FOUND'],
  source: '2-workflow-ledgers-worklists-ai §4, Worklist rules',
});

export const run = handle(operation, async (ctx, { ID, PersonID }) => {
  const person = PersonID ?? ctx.user.personId;
  if (typeof PersonID === 'number') await assertActive(ctx.db, PersonID, 'PersonID');
  const row = namedRow(ctx, ctx.record);
  const who = [person, today(ctx)];
  const givesHeld = ctx.settings.get(nextGivesHeldItems);
  const [team] = await ctx.db.query<{ teampriority: number | null }>(
    `select t.teampriority from (${TEAMS_OF_PERSON}) t where t.teamid = $3::bigint`,
    [...who, row.TeamID],
  );
  const [worklist] = await ctx.db.query<{ name: string | null; open: boolean }>(
    `select smartworklist as name, ${isOpenWorklist()} as open from smartworklist where smartworklistid = $1::bigint`,
    [row.SmartWorklistID],
  );
  const rules = eligibilityRules(ctx, row, {
    person,
    isOfTeam: team !== undefined,
    isWorklistOpen: worklist?.open === true,
    holds: row.HeldDate === null ? [] : await holdNames(ctx, row.SourceObjectID),
    givesHeld,
  });
  const [ranked] = await ctx.db.query<{ place: number | null; total: number }>(
    `select max(r.place) filter (where r.id = $5::bigint) as place, count(*)::integer as total from (${RANKED}) r`,
    [...who, ctx.clock.now(), givesHeld, ID],
  );
  const attributes = {
    SmartWorklistMemberID: ID,
    PersonID: person,
    SmartWorklist: worklist?.name,
    Eligible: rules.every(({ holds }) => holds),
    Place: ranked?.place,
    Of: ranked?.total,
  };
  const keys = [
    ['AssignedToPerson', row.PersonID === person],
    ['TeamPriority', team?.teampriority],
    ...(['Priority', 'Sequence', 'DueDate', 'SmartWorklistMemberID'] as const).map(
      (name) => [name, row[name]] as const,
    ),
  ] as const;
  const children: TreeNode[] = [
    ...rules.map(({ name, holds, value }) => ({
      name: 'Rule',
      attributes: { Name: name, Holds: holds, Value: value },
    })),
    ...keys.map(([name, value]) => ({ name: 'Key', attributes: { Name: name, Value: value } })),
  ];
  return { kind: 'tree', root: { name: 'WorklistExplanation', attributes, children, list: true } };
});

/** Most holds named in an explanation. */
const HOLDS_NAMED_MAX = 10;

/** Returns the names of the holds that keep a task from being completed. */
async function holdNames({ db }: Context, taskId: number): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(
    `select coalesce(decisiondelay, 'Hold') || ' (DecisionDelay ' || decisiondelayid || ')' as name
     from decisiondelay
     where decisiondelayid in (select casewright_task_holds($1::bigint))
     order by decisiondelayid
     limit ${HOLDS_NAMED_MAX}`,
    [taskId],
  );
  return rows.map(({ name }) => name);
}

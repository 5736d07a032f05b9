import type { DemoUser } from './demo-user.ts';
import type { TeamName } from './staff.ts';

/** A queue of the demo and the task types of the standard workflows that go there. */
export interface DemoQueue {
  readonly name: string;
  readonly team: TeamName;
  readonly priority: number;
  readonly taskTypes: readonly string[];
}

const queues: readonly DemoQueue[] = [
  {
    name: 'Referral intake',
    team: 'Intake',
    priority: 5,
    taskTypes: [
      'Review the referral',
      'Obtain missing documents',
      'Choose the kind of foreclosure',
      'Check military service',
    ],
  },
  {
    name: 'Title review',
    team: 'Title',
    priority: 4,
    taskTypes: ['Order the title search', 'Review the title', 'Cure the title'],
  },
  {
    name: 'Complaint and service',
    team: 'Litigation',
    priority: 4,
    taskTypes: [
      'Send the breach letter',
      'Confirm the end of the breach period',
      'File the complaint',
      'Serve the parties',
      'Substitute the trustee',
      'Record the notice of default',
      'Mail the notice of default',
    ],
  },
  {
    name: 'Judgment',
    team: 'Litigation',
    priority: 3,
    taskTypes: ['Move for default judgment', 'Move for summary judgment', 'Obtain the judgment'],
  },
  {
    name: 'Sale and closing',
    team: 'Sales',
    priority: 2,
    taskTypes: [
      'Publish the notice of sale',
      'Post the notice of sale',
      'Check for reinstatement',
      'Prepare the bid',
      'Hold the sale',
      'Cancel the sale',
      'Collect the proceeds',
      'Record the deed',
      'Close the foreclosure file',
    ],
  },
  {
    name: 'Bankruptcy notices',
    team: 'Bankruptcy',
    priority: 1,
    taskTypes: [
      'Review the bankruptcy referral',
      'Check the bankruptcy docket',
      'Collect the loan documents',
      'Obtain the payment history',
      'Calculate arrears before the petition',
      'Prepare the claim',
      'File the claim',
    ],
  },
];

/** The team of each task type of the demo, by its name. */
export const teamOfTask: ReadonlyMap<string, TeamName> = new Map(
  queues.flatMap(({ team, taskTypes }) => taskTypes.map((name) => [name, team] as const)),
);

/** Creates the queues that are not there yet, to which new tasks of the standard workflows are added from then on. */
export async function createQueues(admin: DemoUser, teamIds: ReadonlyMap<TeamName, number>): Promise<void> {
  const { rows: types } = await admin.call('importformtemplate/search', {
    SqlColumns: 'ImportFormTemplateID,ImportFormTemplate',
    DisplaySize: 1_000,
  });
  const { rows: known } = await admin.call('smartworklisttemplate/search', { SqlColumns: 'SmartWorklistTemplate' });
  const names = new Set(known.map((row) => row.SmartWorklistTemplate));
  for (const { name, team, priority, taskTypes } of queues.filter((queue) => !names.has(queue.name))) {
    const { row } = await admin.call('smartworklisttemplate/create', {
      SmartWorklistTemplate: name,
      SourceObject: 'ImportForm',
      TeamID: teamIds.get(team) ?? null,
      Priority: priority,
      MemberUrl: '/records/importform/{ImportFormID}',
      OnAssignSourcePerson: 'AssignedPersonID',
      Calculate: false,
    });
    for (const type of types.filter((each) => taskTypes.includes(each.ImportFormTemplate ?? '')))
      await admin.call('importformtemplate/save', {
        ID: type.ImportFormTemplateID,
        SmartWorklistTemplateID: row.SmartWorklistTemplateID,
        AssignedCollectionID: teamIds.get(team) ?? null,
      });
  }
}

import type { TestPlatform } from '../platform.ts';
import { client, type Row } from '../client.ts';
import { worklistCalls, type Worker } from './worklists.ts';

/** A team with people, queues and tasks of cases, as a clerk and a team lead see it. */
export interface WorkWorld {
  readonly clerk: Worker;
  readonly lead: Worker;
  readonly teamId: number;
  readonly otherTeamId: number;
  readonly queueId: number;
  /** Creates a case with a borrower and a property. */
  addCase(number: string, borrower: string, address: string): Promise<number>;
  /** Adds a task of the title review to a case, due in hours from now. Returns the task and its work item. */
  addTask(
    caseId: number,
    hours: number,
    fields?: object,
  ): Promise<{ readonly taskId: number; readonly itemId: number }>;
  /** Brings lists of cases up to date. */
  refresh(): Promise<Row>;
}

/** The questions of the title review: the second and third depend on the first. */
const questions = [
  {
    ImportFormQuestion: 'Vesting',
    QuestionType: 'Boolean',
    Prompt: 'Does the vesting name match the mortgage?',
    IsRequired: true,
    Sequence: 1,
  },
  {
    ImportFormQuestion: 'Difference',
    QuestionType: 'Choice',
    Prompt: 'What is different?',
    Choices: 'owner|Owner did not sign the mortgage\nname|Name changed\nestate|Owner died',
    ShownWhen: "/Form/Answers/Vesting = 'false'",
    IsRequired: true,
    Sequence: 2,
  },
  {
    ImportFormQuestion: 'Signer',
    QuestionType: 'Text',
    Prompt: 'Who did not sign?',
    ShownWhen: "/Form/Answers/Vesting = 'false'",
    Sequence: 3,
  },
  {
    ImportFormQuestion: 'Recorded',
    QuestionType: 'Date',
    Prompt: 'Recording date of the mortgage',
    Minimum: '2019-06-14',
    IsRequired: true,
    Sequence: 4,
  },
  {
    ImportFormQuestion: 'Decision',
    QuestionType: 'Choice',
    Prompt: 'Your decision',
    Choices: 'clear|Clear\nexceptions|Clear with exceptions\nnot|Not clear',
    IsRequired: true,
    Sequence: 5,
  },
  { ImportFormQuestion: 'Note', QuestionType: 'LongText', Prompt: 'Note to the firm', Sequence: 6 },
];

const HOUR = 3_600_000;

/** Creates the world on a platform. `prefix` keeps the names of several worlds apart. */
export async function workWorld(p: TestPlatform, prefix = ''): Promise<WorkWorld> {
  const admin = client(p);
  const { worker, team } = worklistCalls(p);
  const clerk = await worker(`${prefix}dana`);
  const lead = await worker(`${prefix}ruth`, 'Team lead');
  await admin.save('person', { ID: clerk.personId, FirstName: 'Dana', LastName: 'Okafor' });
  await admin.save('person', { ID: lead.personId, FirstName: 'Ruth', LastName: 'Vasquez' });
  const teamId = await team(`${prefix}Title`, [
    [clerk.personId, 1],
    [lead.personId, 1],
  ]);
  const otherTeamId = await team(`${prefix}Sales`, [[lead.personId]]);
  const form = await admin.save('importformtemplate', {
    ImportFormTemplate: `${prefix}Review title report`,
    AppliesTo: 'Foreclosure',
    Instructions: 'Read the report and say whether the firm can file. Your answers choose the next step.',
    AssignedCollectionID: teamId,
    Questions: questions,
  });
  const queue = await admin.expectOk('importformtemplate/createworklist', { ID: form['ImportFormTemplateID'] });
  const open = await admin.save('smartworklist', { SmartWorklistTemplateID: queue['SmartWorklistTemplateID'] });
  return {
    clerk,
    lead,
    teamId,
    otherTeamId,
    queueId: Number(open['SmartWorklistID']),
    async addCase(number, borrower, address) {
      const [LastName = '', FirstName = ''] = borrower.split(', ');
      const { PropertyID } = await admin.save('property', { Address: address, City: 'Yonkers', State: 'NY' });
      const loan = await admin.save('loan', { Loan: `L ${number}`, PropertyID });
      await admin.save('contact', { Object: 'Loan', ObjectID: loan['LoanID'], LastName, FirstName, Sequence: 1 });
      const made = await admin.save('foreclosure', { Foreclosure: number, LoanID: loan['LoanID'] });
      return Number(made['ForeclosureID']);
    },
    async addTask(caseId, hours, fields = {}) {
      const task = await admin.save('importform', {
        TemplateID: form['ImportFormTemplateID'],
        Object: 'Foreclosure',
        ObjectID: caseId,
        EstimatedCompletion: new Date(p.platform.clock.milliseconds() + hours * HOUR).toISOString(),
        ...fields,
      });
      const taskId = Number(task['ImportFormID']);
      const [item] = await admin.expectRows('smartworklistmember/search', {
        SourceObject: 'ImportForm',
        SourceObjectID: taskId,
      });
      return { taskId, itemId: Number(item?.['SmartWorklistMemberID']) };
    },
    refresh: () => admin.expectOk('casesummary/refresh', { All: true }),
  };
}

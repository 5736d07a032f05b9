import type { AnyRow, RowNamed } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { readActiveHolds } from '../documents/legal-holds.ts';
import { plainText } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { factReferences, readFacts, type CaseFact } from './case-facts.ts';
import { offeredTabs } from './case-header.ts';
import { readLayout, type CaseLayout } from './case-layout.ts';
import type { LayoutFact } from '../../../lib/page-layouts/content.ts';
import { casePath } from './case-link.ts';
import type { HoldRow } from './hold-banner.ts';
import type { Milestone } from './milestones.ts';
import { isBorrower, isRepresented, readParties, type Parties } from './parties.ts';
import type { DocumentRow, LegalChecks, TaskRow } from './side-panels.ts';
import { isOpen, type WorkflowRow } from './step-view.ts';
import { readWorkflow, type WorkflowView } from './workflow-section.ts';

/** Workflows of one case that the page knows of, the newest; open tasks and holds that it shows; newest documents. */
const WORKFLOWS_MAX = 50;
const TASKS_MAX = 50;
const HOLDS_MAX = 5;
const DOCUMENTS_SHOWN = 3;
const LEDGERS_MAX = 20;
/** Types of holds and tasks to choose from. */
const TYPES_MAX = 200;

/** The row of a case; other records with workflows lack the columns of cases. */
export type CaseRow = AnyRow &
  Partial<Pick<RowNamed<'Process'>, 'ProcessType' | 'DateClosed' | 'AssignedPersonID' | 'LoanID' | 'LoanAssigned'>>;

/** Rows with the number of all of them. */
export interface CountedRows<R> {
  readonly rows: readonly R[];
  readonly count: number;
}

/** Everything that every tab of a case shows. */
export interface CaseView {
  readonly record: RecordType;
  readonly id: number;
  readonly row: CaseRow;
  readonly path: string;
  /** Whether it is a foreclosure or a bankruptcy, and not another record with workflows. */
  readonly isCase: boolean;
  readonly tab: string;
  readonly tabs: readonly string[];
  readonly layout: CaseLayout;
  readonly facts: ReadonlyMap<LayoutFact, CaseFact>;
  readonly labels: Labels;
  readonly parties: Parties;
  readonly checks: LegalChecks;
  readonly milestones: readonly Milestone[];
  readonly holds: readonly HoldRow[];
  readonly workflows: readonly WorkflowRow[];
  /** The open workflow that started last, else the newest. */
  readonly workflow: WorkflowView | undefined;
  readonly tasks: CountedRows<TaskRow>;
  readonly heldTasks: ReadonlySet<number>;
  readonly documents: CountedRows<DocumentRow>;
  readonly ledgers: readonly RowNamed<'Ledger'>[];
  readonly unpaid: string | null;
  readonly counts: ReadonlyMap<string, number>;
  readonly isFollowed: boolean;
  /** Whether a legal hold covers the case and its documents, as far as the user sees holds. */
  readonly isOnLegalHold: boolean;
  readonly taskTypes: readonly string[];
  readonly holdTypes: readonly string[] | undefined;
}

/** The case to read. `draft`: what to show instead of the layout that is chosen for it. */
export interface CaseRequest {
  readonly record: RecordType;
  readonly id: number;
  readonly row: CaseRow;
  readonly draft?: CaseLayout;
}

/** Reads a case for its page. Independent reads run in parallel. */
export async function readCase(call: PageCall, { record, id, row, draft }: CaseRequest): Promise<CaseView> {
  const below = `${record.module}/${id}`;
  const path = casePath(record, id);
  const isCase = record.root.name === 'Process';
  const [layout, parties, milestones, holds, workflows, tasks, documents, messages, ledgers, types, isFollowed, legal] =
    await Promise.all([
      draft ?? readLayout(call, record, row.ProcessType),
      readParties(call, record, id),
      readMilestones(call, record, id),
      readHolds(call, below),
      readWorkflows(call, below),
      readTasks(call, below),
      readDocuments(call, below),
      countMessages(call, below),
      readLedgers(call, below),
      readTypes(call, record),
      readFollow(call, record, id),
      isCase ? readActiveHolds(call, [{ object: record.name, id }]) : [],
    ]);
  const [first] = workflows.filter(isOpen);
  const chosen = first ?? workflows[0];
  const shownFacts = [...layout.header, ...layout.panels.flatMap(({ facts = [] }) => facts)];
  const [facts, workflow, bankruptcies, unpaid, heldTasks] = await Promise.all([
    readFacts(call, record, row, shownFacts),
    chosen && readWorkflow(call, chosen, path),
    readBankruptcies(call, record, id, row),
    readUnpaid(call, row),
    readHeldTasks(call, tasks.rows),
  ]);
  const labels = await loadLabels(call, [
    ...factReferences(facts.values()),
    referencesOf(tasks.rows, ['AssignedPersonID', 'Person']),
    referencesOf(holds, ['CreatedPersonID', 'Person']),
  ]);
  const tabs = offeredTabs(call, record, layout.tabs);
  const requested = plainText(call.query['tab']).toLowerCase();
  return {
    record,
    id,
    row,
    path,
    isCase,
    tab: tabs.some((name) => name.toLowerCase() === requested) ? requested : 'overview',
    tabs,
    layout,
    facts,
    labels,
    parties,
    checks: { military: militaryChecks(parties), bankruptcies, isRepresented: isRepresented(parties) },
    milestones,
    holds,
    workflows,
    workflow,
    tasks,
    heldTasks,
    documents,
    ledgers,
    unpaid,
    counts: new Map([
      ['Tasks', tasks.count],
      ['Documents', documents.count],
      ['Messages', messages],
    ]),
    isFollowed,
    isOnLegalHold: legal.length > 0,
    ...types,
  };
}

const ACTIVE_SERVICE: ReadonlySet<string> = new Set(['Active Duty', 'Called Up', 'Recent Active Duty']);

function militaryChecks(parties: Parties): LegalChecks['military'] {
  return parties.contacts.filter(isBorrower).map(({ FirstName, LastName, Company, SCRAStatus, SCRAStatusAsOf }) => ({
    name: FirstName ?? LastName ?? Company ?? 'borrower',
    status: SCRAStatus,
    asOf: SCRAStatusAsOf,
    isActive: ACTIVE_SERVICE.has(SCRAStatus ?? ''),
  }));
}

/** Returns the tasks that cannot be completed now, because a workflow that waits for them is on hold. */
async function readHeldTasks(call: PageCall, tasks: readonly TaskRow[]): Promise<ReadonlySet<number>> {
  const steps = tasks.flatMap(({ DecisionStepID: step }) => (step === null ? [] : [String(step)]));
  if (steps.length === 0 || !call.may('decisionstep/search')) return new Set();
  const { answer } = await call.call('decisionstep/search', {
    ID: steps.join(','),
    Delayed: 'true',
    SqlColumns: 'DecisionStepID,EnforceDelay',
    DisplaySize: TASKS_MAX,
    RecordCount: 'false',
  });
  const held = new Set(answer.rows.filter((row) => row.EnforceDelay !== false).map((row) => row.DecisionStepID));
  return new Set(tasks.flatMap((row) => (held.has(row.DecisionStepID ?? 0) ? [row.ImportFormID] : [])));
}

async function readFollow(call: PageCall, record: RecordType, id: number): Promise<boolean> {
  const { answer } = await call.call('follow/mine', { Object: record.name, ObjectID: id });
  return answer.rows.length > 0;
}

async function readMilestones(call: PageCall, record: RecordType, id: number): Promise<readonly Milestone[]> {
  if (!call.may('decision/milestones')) return [];
  return (await call.call('decision/milestones', { Object: record.name, ObjectID: [String(id)] })).answer.rows;
}

async function readHolds(call: PageCall, below: string): Promise<readonly HoldRow[]> {
  if (!call.may('decisiondelay/search')) return [];
  const { answer } = await call.callBelow(below, 'decisiondelay/search', {
    ActualCompletion: 'null',
    DisplaySize: HOLDS_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

async function readWorkflows(call: PageCall, below: string): Promise<readonly WorkflowRow[]> {
  if (!call.may('decision/search')) return [];
  const { answer } = await call.callBelow(below, 'decision/search', {
    OrderBy: '-DecisionID',
    DisplaySize: WORKFLOWS_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

async function readTasks(call: PageCall, below: string): Promise<CountedRows<TaskRow>> {
  if (!call.may('importform/search')) return { rows: [], count: 0 };
  const { answer } = await call.callBelow(below, 'importform/search', {
    DisplaySize: TASKS_MAX,
    ActualCompletion: 'null',
    CanceledDate: 'null',
  });
  return rowsOf(answer);
}

async function readDocuments(call: PageCall, below: string): Promise<CountedRows<DocumentRow>> {
  if (!call.may('attachment/search')) return { rows: [], count: 0 };
  const { answer } = await call.callBelow(below, 'attachment/search', {
    OrderBy: '-AttachmentID',
    DisplaySize: DOCUMENTS_SHOWN,
  });
  return rowsOf(answer);
}

async function countMessages(call: PageCall, below: string): Promise<number> {
  if (!call.may('message/search')) return 0;
  const { answer } = await call.callBelow(below, 'message/search', { DisplaySize: 1 });
  return rowsOf(answer).count;
}

async function readLedgers(call: PageCall, below: string): Promise<readonly RowNamed<'Ledger'>[]> {
  if (!call.may('ledger/search')) return [];
  const { answer } = await call.callBelow(below, 'ledger/search', { DisplaySize: LEDGERS_MAX, RecordCount: 'false' });
  return answer.rows;
}

async function readUnpaid(call: PageCall, { LoanID: id }: CaseRow): Promise<string | null> {
  if (typeof id !== 'number' || !call.may('loan/search')) return null;
  const { answer } = await call.call('loan/search', {
    ID: String(id),
    SqlColumns: 'LoanID,UPBAmount',
    DisplaySize: 1,
    RecordCount: 'false',
  });
  return answer.rows[0]?.UPBAmount ?? null;
}

/** Reads the other open bankruptcies on the loan of a case. */
async function readBankruptcies(
  call: PageCall,
  record: RecordType,
  id: number,
  { LoanID: loanId }: CaseRow,
): Promise<LegalChecks['bankruptcies']> {
  if (typeof loanId !== 'number' || !call.may('bankruptcy/search')) return [];
  const { answer } = await call.call('bankruptcy/search', {
    LoanID: String(loanId),
    DateClosed: 'null',
    DisplaySize: 3,
    RecordCount: 'false',
  });
  return answer.rows
    .filter((row) => record.name !== 'Bankruptcy' || row.BankruptcyID !== id)
    .map((row) => ({ id: row.BankruptcyID, chapter: row.Chapter }));
}

/** Reads the names of the task types and hold types for a record type, its base types, and any. */
async function readTypes(
  call: PageCall,
  record: RecordType,
): Promise<{ readonly taskTypes: readonly string[]; readonly holdTypes: readonly string[] | undefined }> {
  const fits = new Set<unknown>([null, undefined, '']);
  for (let at: RecordType | undefined = record; at; at = at.base) fits.add(at.name);
  const [holdTypes, taskTypes] = await Promise.all([
    call.may('decisiondelay/save') && call.may('decisiondelaytemplate/search')
      ? call
          .call('decisiondelaytemplate/search', {
            SqlColumns: 'DecisionDelayTemplate,AppliesTo',
            OrderBy: 'DecisionDelayTemplate',
            DisplaySize: TYPES_MAX,
            RecordCount: 'false',
          })
          .then(({ answer }) =>
            answer.rows.flatMap((row) => (fits.has(row.AppliesTo) ? [row.DecisionDelayTemplate ?? ''] : [])),
          )
      : undefined,
    call.may('importform/save') && call.may('importformtemplate/search')
      ? call
          .call('importformtemplate/search', {
            SqlColumns: 'ImportFormTemplate,AppliesTo,Status',
            OrderBy: 'ImportFormTemplate',
            DisplaySize: TYPES_MAX,
            RecordCount: 'false',
          })
          .then(({ answer }) =>
            answer.rows.flatMap((row) =>
              fits.has(row.AppliesTo) && row.Status !== 'Inactive' ? [row.ImportFormTemplate ?? ''] : [],
            ),
          )
      : [],
  ]);
  return { taskTypes: [...new Set(taskTypes)], holdTypes: holdTypes && [...new Set(holdTypes)] };
}

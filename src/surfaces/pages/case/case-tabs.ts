import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PlatformError } from '../../../kernel/door/errors.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { displayValue, recordPath } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { loanAccess } from '../loans/loan-access.ts';
import { documentList } from '../documents/document-list.ts';
import { caseLetters } from '../mailings/case-letters.ts';
import { f } from '../../../kernel/declare/field.ts';
import { casePayments } from './case-payments.ts';
import type { CaseView } from './case-view.ts';
import { tabBody } from './tab-body.ts';
import { caseMail, composer } from './composer.ts';
import { caseThreads } from './case-threads.ts';
import { factPanels } from './fact-panels.ts';
import { documentPanel, taskPanel, workflowPanel } from './side-panels.ts';
import { isOpen } from './step-view.ts';
import { stateBadges } from '../ledgers/ledger-head.ts';
import { ledgerPath } from '../ledgers/ledger-state.ts';
import {
  timelineChoice,
  timelineFilter,
  timelineList,
  type TimelineChoice,
  type TimelineContext,
} from './timeline-view.ts';
import { readWorkflow, stepReferences, workflowName, workflowSection } from './workflow-section.ts';
import type { WorkflowRow } from './step-view.ts';

/** Entries of a timeline, and workflows that are drawn at once. */
const ENTRIES = 40;
const WORKFLOWS_SHOWN = 5;

/** Renders the overview: facts, what happened, and what to do. */
export async function overviewTab(call: PageCall, view: CaseView, refused: PlatformError | undefined): Promise<Markup> {
  const choice = timelineChoice(call);
  const [timeline, mail, counts] = await Promise.all([
    readEntries(call, view, choice),
    caseMail(call, view),
    call.call('timeline/counts', { Object: view.record.name, ObjectID: view.id }).then(({ answer }) => answer.rows),
  ]);
  const write = composer({
    call,
    path: view.path,
    taskTypes: view.taskTypes,
    holdTypes: view.holdTypes,
    workflows: view.workflows.filter(isOpen),
    mail,
    refused,
  });
  const panels = factPanels({ ...view, call, panels: view.layout.panels });
  const side = view.layout.side.map((name) => sidePanel(call, view, name));
  return html`<div class="case-panes">
<div class="case-facts-pane scroll" tabindex="0" role="region" aria-label="Facts">${panels}
${
  view.row.LoanAssigned === true && html`<div class="loan-access">${loanAccess(call, view.record, view.row)}</div>`
}${layoutNote(view)}</div>
<div class="case-activity scroll" id="activity" tabindex="0" role="region" aria-label="Activity">
<h2 class="hidden">Activity</h2>${write}
${timelineFilter(choice, counts)}
${timelineList(timeline, contextOf(call, view, 'overview', choice))}
</div>
<div class="case-side scroll" tabindex="0" role="region" aria-label="Tasks, documents and workflow">${side}</div>
</div>`;
}

/** Says which layout the page has, and why. */
function layoutNote({ layout: { name, reason } }: CaseView): Markup | false {
  return name !== undefined && html`<p class="layout-note muted small">Layout ${name}: ${reason}.</p>`;
}

/** Renders a panel of the right side by its name in layouts; nothing where the user may not see it. */
export function sidePanel(call: PageCall, view: CaseView, name: string): Markup | false {
  const { path } = view;
  switch (name) {
    case 'Tasks':
      return (
        call.may('importform/search') &&
        taskPanel(call, { ...view, tasks: view.tasks.rows, count: view.tasks.count, held: view.heldTasks })
      );
    case 'Documents':
      return (
        call.may('attachment/search') &&
        documentPanel(call, { documents: view.documents.rows, count: view.documents.count, path })
      );
    case 'Workflow':
      return call.may('decision/search') && workflowPanel(view.workflow, path);
    default:
      return false;
  }
}

async function readEntries(call: PageCall, { record, id }: CaseView, choice: TimelineChoice) {
  const { answer } = await call.call('timeline/read', {
    Object: record.name,
    ObjectID: id,
    Automatic: choice.isAutomaticShown,
    DisplaySize: ENTRIES,
    ...(choice.kind !== '' && { Kind: choice.kind }),
    ...(choice.before !== '' && { Before: choice.before }),
  });
  return answer.rows;
}

/** Renders the history: changed fields with old and new values, each with a way back. */
export async function historyTab(call: PageCall, view: CaseView): Promise<Markup> {
  const choice = { ...timelineChoice(call), kind: 'Change', isAutomaticShown: true };
  const rows = await readEntries(call, view, choice);
  const all = html`<p class="small soft">Changes of the case, its loan and its property.
<a class="link" href="${recordPath(view.record.module, view.id)}/history">Full history of the case</a>
${
  call.mayOf(view.record, 'asof') &&
  html`· <a class="link" href="${recordPath(view.record.module, view.id)}/asof">The case at an earlier time</a>`
}</p>`;
  return html`<div class="case-body scroll" tabindex="0" role="region" aria-label="History">
<h2 class="hidden">History</h2>${all}
${timelineList(rows, contextOf(call, view, 'history', choice))}</div>`;
}

/** Renders the documents, and what can be done with them. */
export async function documentsTab(call: PageCall, view: CaseView): Promise<Markup> {
  const [documents, letters] = await Promise.all([
    documentList(call, view),
    caseLetters(call, { name: view.record.name, id: view.id }),
  ]);
  return tabBody('Documents', html`${documents}${letters}`);
}

/** Renders the notes and messages, newest first. */
export async function messagesTab(call: PageCall, view: CaseView, refused: PlatformError | undefined): Promise<Markup> {
  const choice = { ...timelineChoice(call), kind: 'Note' };
  const [rows, threads, mail] = await Promise.all([
    readEntries(call, view, choice),
    caseThreads(call, view),
    caseMail(call, view),
  ]);
  const none = { taskTypes: [], holdTypes: undefined, workflows: [] };
  const write = composer({ call, path: view.path, ...none, mail, refused });
  return tabBody(
    'Messages',
    html`${write}
<h3 class="case-part">Mail</h3>${threads}
<h3 class="case-part">Notes</h3>
${timelineList(rows, contextOf(call, view, 'messages', choice))}`,
  );
}

const amount = f.money({ doc: '' });

/** Renders the ledgers with their balances, the payment methods and the last payments. */
export async function ledgerTab(call: PageCall, view: CaseView): Promise<Markup> {
  const { ledgers, labels } = view;
  const line = (row: CaseView['ledgers'][number]): Markup => html`<tr>
<th scope="row"><a href="${ledgerPath(row.LedgerID)}"><bdi>${row.Ledger}</bdi></a></th>
<td><span class="row wrap">${stateBadges(call, row)}</span></td>
<td>${row.Currency}</td>
<td class="number">${displayValue(call, amount, row.Balance, labels)}</td>
<td class="number">${displayValue(call, amount, row.BalanceAdjusted, labels)}</td></tr>\n`;
  const list =
    ledgers.length === 0
      ? emptyState({ title: 'No ledgers', text: 'Fees and costs appear here once a ledger is opened.', icon: 'money' })
      : table({
          label: 'Ledgers',
          heads: [
            'Ledger',
            'State',
            'Currency',
            { text: 'Balance', isNumber: true },
            { text: 'Adjusted balance', isNumber: true },
          ],
          rows: ledgers.map(line),
        });
  return tabBody('Ledger', html`${list}${await casePayments(call, view)}`);
}

/** Renders the workflows as pictures and lists, with what can be done; older ones are a click away. */
export async function workflowTab(call: PageCall, view: CaseView): Promise<Markup> {
  const { workflows, path } = view;
  const chosen = chooseShown(call, workflows);
  const shown = await Promise.all(
    chosen.map(async (row) => (row.DecisionID === view.workflow?.id ? view.workflow : readWorkflow(call, row, path))),
  );
  const labels = await loadLabels(call, shown.flatMap(stepReferences));
  const others = workflows.filter((row) => !chosen.includes(row));
  return tabBody(
    'Workflow',
    html`${shown.map((workflow) => workflowSection(call, workflow, labels))}
${workflows.length === 0 && emptyState({ title: 'No workflow has run', icon: 'workflow' })}
${others.length > 0 && otherWorkflows(path, others)}`,
  );
}

/** Returns the workflow that the address names; else the open ones, or the newest if none is open. */
function chooseShown(call: PageCall, workflows: readonly WorkflowRow[]): readonly WorkflowRow[] {
  const named = workflows.filter((row) => String(row.DecisionID) === call.query['Workflow']);
  if (named.length > 0) return named;
  const open = workflows.filter(isOpen);
  return (open.length > 0 ? open : workflows.slice(0, 1)).slice(0, WORKFLOWS_SHOWN);
}

function otherWorkflows(path: string, others: readonly WorkflowRow[]): Markup {
  const item = (row: WorkflowRow): Markup => {
    const href = `${path}?tab=workflow&Workflow=${row.DecisionID}`;
    const status = row.Status !== null && html`<span class="muted"><bdi>${row.Status}</bdi></span>`;
    return html`<li><a class="link" href="${href}"><bdi>${workflowName(row)}</bdi></a> ${status}</li>`;
  };
  return html`<section aria-labelledby="others"><h2 id="others">Other workflows</h2>
<ul class="others">${others.map(item)}</ul></section>`;
}

/** Returns what a timeline on a tab needs. Its topic is the name under which changes of the case are published. */
function contextOf(call: PageCall, view: CaseView, tab: string, choice: TimelineChoice): TimelineContext {
  const { record, id, path, labels } = view;
  return { call, labels, path, topic: `${record.module}/${id}`, choice, tab, size: ENTRIES };
}

import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { assignmentFlash } from '../loans/assignment-list.ts';
import { loanAccess } from '../loans/loan-access.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { messageToasts } from '../messages/message-toasts.ts';
import { plainText } from '../plain-text.ts';
import { derivedType, selectRow } from '../record-address.ts';
import { documentToasts } from '../documents/document-bulk.ts';
import { legalHoldToasts } from '../documents/legal-holds.ts';
import { dropTarget, uploadEntries } from '../documents/upload-form.ts';
import { actForm } from './act-form.ts';
import { actionFlash, performAction } from './actions.ts';
import { changeFlash } from './apply-change.ts';
import { caseFromPath } from './case-address.ts';
import { caseHeader, caseNumber, caseTitle } from './case-header.ts';
import { casePath } from './case-link.ts';
import { documentsTab, historyTab, ledgerTab, messagesTab, overviewTab, workflowTab } from './case-tabs.ts';
import { tasksTab } from './tasks-tab.ts';
import { readCase, type CaseView } from './case-view.ts';
import { isOpen } from './step-view.ts';

/** Shows a case: who it is about, how far it is, what happened, and what to do. */
export const casePage = page((call) => caseAnswer(call));

/** Does what the pressed button says. A refusal is shown on the page, with everything that was entered. */
export const changeCase = page(async (call) => {
  const { record, id } = caseFromPath(call);
  try {
    const done = await performAction(call);
    const sentAnchor = plainText(call.form['At']);
    const anchor = /^(?:step-\d+-\d+|holds)$/.test(sentAnchor) ? sentAnchor : '';
    const workflow = /^step-(\d+)-/.exec(anchor)?.[1];
    const isOfStep = workflow !== undefined || done['step'] !== undefined;
    const query = new URLSearchParams({ ...(isOfStep && { tab: 'workflow' }), ...done });
    return {
      redirectTo: `${casePath(record, id)}?${query.toString()}${workflow === undefined ? '' : `#workflow-${workflow}`}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return caseAnswer(call, error);
  }
});

/** Actions whose refusal is shown at their form, and not at the top of the page. */
const COMPOSED: ReadonlySet<string> = new Set(['note', 'task', 'hold', 'assign', 'close', 'dates']);

async function caseAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const { record, id } = caseFromPath(call);
  const row = await selectRow(call, record, id);
  const derived = derivedType(call, record, row);
  if (!refused && derived) return { redirectTo: casePath(derived, id) };
  const view = await readCase(call, { record, id, row });
  const isComposed = COMPOSED.has(plainText(call.form['Action']));
  const shown = refused && plainText(call.form['Action']).startsWith('complete') ? { ...view, tab: 'workflow' } : view;
  const flash =
    (await actionFlash(call, view.workflows.filter(isOpen))) ||
    changeFlash(call, view.workflows) ||
    assignmentFlash(call.query['done']);
  const back = plainText(call.query['tab']) === 'messages' ? `${view.path}?tab=messages` : view.path;
  return {
    title: caseTitle(view),
    place: 'cases',
    crumbs: [
      {
        text: view.isCase ? 'Cases' : record.titlePlural,
        href: view.isCase ? '/cases' : `/records/${record.root.module}`,
      },
      { text: caseNumber(record, row) },
    ],
    hasPanes: true,
    status: refused?.status ?? 200,
    toasts: [...documentToasts(call, view.path), ...legalHoldToasts(call), ...messageToasts(call, back)],
    entries: ['case', 'list', 'messages', ...uploadEntries(call)],
    body: html`<div class="case" data-case="${view.path}">
${dropTarget(call, view)}
${caseHeader(call, shown)}
<div class="case-messages">${
      refused && !isComposed && banner({ tone: 'danger', role: 'alert', text: refused.masked().message })
    }${flash}${view.row.LoanAssigned === false && loanAccess(call, record, row)}${actForm(call, view, refused)}</div>
${await tabContent(call, shown, refused)}
</div>`,
  };
}

function tabContent(call: PageCall, view: CaseView, refused: PlatformError | undefined): Promise<Markup> | Markup {
  switch (view.tab) {
    case 'tasks':
      return tasksTab(call, view);
    case 'documents':
      return documentsTab(call, view);
    case 'messages':
      return messagesTab(call, view, refused);
    case 'ledger':
      return ledgerTab(call, view);
    case 'workflow':
      return workflowTab(call, view);
    case 'history':
      return historyTab(call, view);
    default:
      return overviewTab(call, view, refused);
  }
}

import type { AnyRow } from '../../../kernel/declare/catalog.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { facts as factLine } from '../design/list.ts';
import { icon } from '../design/icons.ts';
import { menu, menuLine, type MenuEntry } from '../design/menu.ts';
import { tabs } from '../design/tabs.ts';
import { dateFacts } from './act-form.ts';
import { recordPath } from '../display-values.ts';
import { followButton } from '../notifications/follow-button.ts';
import type { PageCall } from '../page-call.ts';
import { recordLabel } from '../record-address.ts';
import { holdPill } from '../documents/legal-holds.ts';
import { factValue } from './case-facts.ts';
import type { CaseView } from './case-view.ts';
import { holdBanners } from './hold-banner.ts';
import { milestoneLine } from './milestones.ts';
import { borrowerTitle } from './parties.ts';
import { byDueDate, legalBadges } from './side-panels.ts';
import { isOpen, stateOf } from './step-view.ts';

/** Returns what people call a case: its borrowers, or its label without any. */
export function caseTitle(view: CaseView): string {
  return borrowerTitle(view.parties) ?? recordLabel(view.record, view.row);
}

/** Renders the head of a case: who, its state, facts, holds, milestones and tabs. */
export function caseHeader(call: PageCall, view: CaseView): Markup {
  const { facts, labels, layout, holds, workflows } = view;
  const line = layout.header.flatMap((fact) => {
    const found = facts.get(fact);
    const value = found && factValue(call, found, labels);
    return found && value ? [[found.label, value] as const] : [];
  });
  const named = layout.milestones;
  const milestones = view.milestones.filter(({ Milestone: name }) => named.length === 0 || named.includes(name));
  return html`<header class="case-head">
<div class="case-top"><div class="case-title"><h1><bdi>${caseTitle(view)}</bdi></h1>${badges(view)}</div>
${caseActions(call, view)}</div>
${factLine(line, 'case-facts')}
${holdBanners(call, holds, { workflows, labels })}
${milestoneLine(call, milestones)}
${caseTabs(view)}
</header>`;
}

function badges(view: CaseView): readonly (Markup | false)[] {
  const { row, record, checks, workflow } = view;
  const status = row.Status ?? '';
  const isClosed = (row.DateClosed ?? null) !== null;
  const type = row.ProcessType ?? '';
  const failed = workflow?.steps.filter((step) => stateOf(step).kind === 'failed').length ?? 0;
  return [
    status !== '' && badge(html`<bdi>${status}</bdi>`, isClosed ? 'neutral' : 'accent'),
    badge(html`${record.title}${type !== '' && html`, <bdi>${type}</bdi>`}`),
    failed > 0 &&
      html`<a href="?tab=workflow">${badge(failed === 1 ? '1 step failed' : `${failed} steps failed`, 'danger')}</a>`,
    view.isOnLegalHold && html`<a href="?tab=documents">${holdPill}</a>`,
    ...legalBadges(checks),
  ];
}

function caseActions(call: PageCall, view: CaseView): Markup {
  const { record, id, path, row } = view;
  const [next] = byDueDate(view.tasks.rows.filter((task) => !view.heldTasks.has(task.ImportFormID)));
  const mayEdit = call.mayOf(record, 'save');
  const isClosed = (row.DateClosed ?? null) !== null;
  const entries = [
    mayEdit && { text: 'Edit', icon: 'note' as const, href: `${recordPath(record.module, id)}/edit` },
    { text: 'All fields', icon: 'eye' as const, href: recordPath(record.module, id) },
    mayEdit &&
      dateFacts(view).length > 0 && {
        text: 'Change dates',
        icon: 'calendar' as const,
        key: 'd',
        href: `${path}?act=dates`,
      },
    view.isCase &&
      mayEdit &&
      !isClosed && { text: 'Close the case…', icon: 'check' as const, href: `${path}?tab=overview&act=close` },
    view.isCase && workflowLink(call, view),
    call.may('attachment/generate') && {
      text: 'Generate a document',
      icon: 'template' as const,
      key: 'l',
      href: `/documents/generate?${new URLSearchParams({ Object: record.name, ObjectID: String(id) }).toString()}`,
    },
    menuLine,
    html`<button class="menu-entry" type="button" data-print>${icon('print')}<span>Print case sheet</span></button>`,
  ];
  const more = html`${icon('more')}<span class="hidden">More actions</span>`;
  const summary = html`<summary class="button square" title="More actions">${more}</summary>`;
  return html`<div class="row case-actions">
<case-pager class="row" data-path="${path}" hidden></case-pager>
${followButton(call, { object: record.name, id, isFollowing: view.isFollowed, back: path })}
${view.isCase && mayEdit && buttonLink({ text: 'Assign', icon: 'assign', key: 'a', href: `${path}?act=assign` })}
${menu(summary, entries)}
${
  next && call.may('importform/describe')
    ? buttonLink({ text: 'Next task', kind: 'primary', key: 'c', href: `/form/${next.ImportFormID}` })
    : button({ text: 'Next task', kind: 'primary', disabledReason: 'No open task can be worked on now.' })
}
</div>`;
}

function workflowLink(call: PageCall, { workflows, path }: CaseView): MenuEntry | false {
  return (
    call.may('decision/search') &&
    workflows.some(isOpen) && {
      text: 'Change the workflow',
      icon: 'workflow' as const,
      href: `${path}?tab=workflow`,
    }
  );
}

/** Returns the tabs that the layout has and the user may see. */
export function offeredTabs(call: PageCall, record: RecordType, names: readonly string[]): readonly string[] {
  const may: Readonly<Record<string, boolean>> = {
    Tasks: call.may('importform/search'),
    Documents: call.may('attachment/search'),
    Messages: call.may('message/search'),
    Ledger: call.may('ledger/search'),
    Workflow: call.may('decision/search'),
    History: record.history !== false && call.mayOf(record, 'history'),
  };
  return names.filter((name) => may[name] !== false);
}

function caseTabs({ path, tab, tabs: offered, counts }: CaseView): Markup {
  return tabs(
    'Case',
    offered.map((text, at) => {
      const name = text.toLowerCase();
      const count = counts.get(text);
      return {
        href: name === 'overview' ? path : `${path}?tab=${name}`,
        text,
        ...(count !== undefined && count > 0 && { count: String(count) }),
        isCurrent: name === tab,
        key: String(at + 1),
      };
    }),
  );
}

/** Returns the number of the case, for the way here. */
export function caseNumber(record: RecordType, row: AnyRow): string {
  return recordLabel(record, row);
}

import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { avatar } from '../design/avatar.ts';
import { badge } from '../design/badge.ts';
import { stagePill, targetBar } from '../design/stage.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { dueCell } from './day-text.ts';

/** A case in a list. */
export type CaseRow = RowNamed<'CaseSummary'>;

/** How long a case has been in its stage, and how long that should take, in business days. */
export interface StageDays {
  readonly days: number;
  readonly target: number | null;
}

/** Reads how long the cases of a page have been in their stages. */
export async function readStageDays(call: PageCall, rows: readonly CaseRow[]): Promise<ReadonlyMap<number, StageDays>> {
  const ids = rows.flatMap(({ CaseSummaryID: id, Stage }) => (Stage === null ? [] : [String(id)]));
  if (ids.length === 0) return new Map();
  const { answer } = await call.call('casesummary/stagedays', { ID: ids });
  return new Map(
    answer.rows.map(({ CaseSummaryID: id, DaysInStage: days, TargetDays: target }) => [id, { days, target }] as const),
  );
}

/** What the cells of cases need besides their rows. */
export interface CaseContext {
  readonly call: PageCall;
  readonly today: string;
  readonly days: ReadonlyMap<number, StageDays>;
  readonly labels: Labels;
}

/** Renders a cell of a case; undefined for columns that look as in every list. */
export function caseCell(name: string, row: CaseRow, context: CaseContext): Markup | undefined {
  switch (name) {
    case 'Address':
      return html`<bdi>${row.Address}</bdi>
<span class="muted">${[row.City, row.State].filter(Boolean).join(' ')}</span>`;
    case 'Stage':
      return stage(row);
    case 'StageTarget':
      return stageDays(row, context);
    case 'Hold':
      return html`${row.Hold !== null && badge(html`<bdi>${row.Hold}</bdi>`, 'warn', 'hold')}`;
    case 'NextDue':
      return html`${row.NextDue !== null && dueCell(context.call, row.NextDue, context.today)}`;
    case 'AssignedPersonID':
      return html`${row.AssignedPersonID !== null && avatar(nameOf(row.AssignedPersonID, context))}`;
    default:
      return undefined;
  }
}

function stage({ Stage: name, StageNumber, StageCount, Hold, IsOpen }: CaseRow): Markup {
  if (IsOpen !== true) return stagePill({ name: 'Closed', reached: 1, total: 1, state: 'closed' });
  if (name === null) return html`<span class="muted">No stage</span>`;
  const reached = (StageNumber ?? 1) - 1;
  return stagePill({ name, reached, total: StageCount ?? 1, state: Hold === null ? 'open' : 'hold' });
}

function stageDays({ CaseSummaryID, IsOpen }: CaseRow, { days }: CaseContext): Markup {
  const found = IsOpen === true ? days.get(CaseSummaryID) : undefined;
  if (!found) return html``;
  return found.target === null
    ? html`<span class="nowrap">${found.days} days</span>`
    : targetBar(found.days, found.target);
}

function nameOf(id: number, { labels }: CaseContext): string {
  return labels.get('Person')?.get(id) ?? `User ${id}`;
}

/** Returns the address of a case. */
export function casePathOf({ RecordClass, ProcessID }: CaseRow): string {
  return `/case/${(RecordClass ?? '').toLowerCase()}/${String(ProcessID)}`;
}

import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { today } from '../../../kernel/time/today.ts';
import { badge } from '../design/badge.ts';
import { buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { facts } from '../design/list.ts';
import { stagePill, targetBar } from '../design/stage.ts';
import { displayValue, groupDigits, localDateTime, recordPath } from '../display-values.ts';
import { loadLabels, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath, recordLabel, recordTypeFromPath, selectRow } from '../record-address.ts';
import { listColumns } from '../table.ts';
import { casePathOf, readStageDays, type CaseRow } from './case-cells.ts';
import { dayText, localDay } from '../days.ts';
import { dueCell } from './day-text.ts';
import { sourceOf } from './list-sources.ts';

const TASKS_SHOWN = 4;
const MESSAGES_SHOWN = 3;
const MESSAGE_CHARACTERS_MAX = 160;

/** Shows a record beside a list, as the beginning of its page. Scripts take the pane from it. */
export const previewPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const source = sourceOf(call, record);
  const body = record.name === 'CaseSummary' ? await casePreview(call, id) : await recordPreview(call, id);
  return {
    title: 'Preview',
    place: source.place,
    crumbs: [{ text: source.title, href: source.path }, { text: 'Preview' }],
    body: html`<aside class="preview scroll" id="preview" aria-label="Preview" tabindex="0">${body}</aside>`,
  };
});

const closeButton = html`<button type="button" class="button quiet square" data-close-preview
 title="Close (Esc)">${icon('close')}<span class="hidden">Close the preview</span></button>`;

async function recordPreview(call: PageCall, id: number): Promise<Markup> {
  const record = recordTypeFromPath(call);
  const row = await selectRow(call, record, id);
  const columns = listColumns(record, [row], [record.name]);
  const labels = await loadLabels(call, [{ columns, rows: [row] }]);
  return html`<header class="preview-head">
<div class="row"><span class="small muted">${record.title}</span><span class="end">${closeButton}</span></div>
<h2><bdi>${recordLabel(record, row)}</bdi></h2></header>
<div class="preview-part">${facts(
    columns.map(({ name, field }) => [fieldLabel(name, field), displayValue(call, field, row[name], labels)] as const),
  )}</div>
${openLink(recordPath(record.module, id), `Open ${record.title.toLowerCase()}`)}`;
}

function openLink(href: string, text: string): Markup {
  return html`<footer class="preview-foot">${buttonLink({ text, kind: 'primary', href })}</footer>`;
}

async function casePreview(call: PageCall, id: number): Promise<Markup> {
  const { answer } = await call.call('casesummary/select', { ID: id });
  const row = answer.row;
  const [days, tasks, messages, labels] = await Promise.all([
    readStageDays(call, [row]),
    openTasks(call, row),
    latestMessages(call, row),
    loadLabels(call, [{ columns: caseFacts(call), rows: [row] }]),
  ]);
  const used = days.get(row.CaseSummaryID);
  return html`${caseHead(row)}
${used && used.target !== null && stagePart(row, used.days, used.target)}
${tasks.length > 0 && tasksPart(call, tasks, today(call.platform))}
${messages.length > 0 && messagesPart(call, messages)}
<div class="preview-part">${caseValues(call, row, labels)}</div>
${openLink(casePathOf(row), 'Open case')}`;
}

function caseValues(call: PageCall, row: CaseRow, labels: Labels): Markup {
  const now = today(call.platform);
  const label = (type: string, id: number | null): string | false =>
    id !== null && (labels.get(type)?.get(id) ?? false);
  const day = (value: string | null): string | false => value !== null && dayText(localDay(call, value), now);
  return facts([
    ['Loan', row.LoanNumber ?? false],
    ['Unpaid balance', row.UPBAmount !== null && `$${groupDigits(Number(row.UPBAmount).toFixed(2))}`],
    ['Investor', row.Agency ?? false],
    ['Firm', label('Organization', row.OrganizationID)],
    ['Assignee', label('Person', row.AssignedPersonID)],
    ['Opened', day(row.DateOpened)],
    ['Sale', day(row.ScheduledSaleDate)],
  ]);
}

async function latestMessages(
  call: PageCall,
  { RecordClass, ProcessID }: CaseRow,
): Promise<readonly RowNamed<'Message'>[]> {
  if (!call.may('message/search') || RecordClass === null) return [];
  const { answer } = await call.callBelow(`${RecordClass.toLowerCase()}/${String(ProcessID)}`, 'message/search', {
    OrderBy: '-MessageID',
    DisplaySize: MESSAGES_SHOWN,
    RecordCount: 'false',
  });
  return answer.rows;
}

function caseFacts(call: PageCall) {
  const { columns } = call.platform.registry.requireRecord('CaseSummary', 'record');
  return ['OrganizationID', 'AssignedPersonID'].flatMap((name) => columns.get(name.toLowerCase()) ?? []);
}

function caseHead(row: CaseRow): Markup {
  const {
    CaseSummary: number,
    Borrower,
    Address,
    City,
    State,
    Stage,
    StageNumber,
    StageCount,
    Hold,
    RecordClass,
  } = row;
  const state = Hold === null ? 'open' : 'hold';
  const reached = (StageNumber ?? 1) - 1;
  return html`<header class="preview-head">
<div class="row"><span class="small muted"><bdi>${number}</bdi></span><span class="end">${closeButton}</span></div>
<h2><bdi>${Borrower ?? number}</bdi></h2>
<p class="soft"><bdi>${[Address, City, State].filter(Boolean).join(', ')}</bdi></p>
<div class="row wrap">${Stage !== null && stagePill({ name: Stage, reached, total: StageCount ?? 1, state })}
${badge(RecordClass, 'outline')}${Hold !== null && badge(html`<bdi>${Hold}</bdi>`, 'warn', 'hold')}</div></header>`;
}

function stagePart({ Stage }: CaseRow, days: number, target: number): Markup {
  const over = days - target;
  const words = over > 0 ? `${over} business days over its target.` : `${-over} business days until its target.`;
  return html`<div class="preview-part">
<div class="row"><span class="soft">${Stage}</span><span class="end">${targetBar(
    days,
    target,
  )}</span></div><p class="small muted">${words}</p></div>`;
}

type Task = RowNamed<'ImportForm'>;

async function openTasks(call: PageCall, { RecordClass, ProcessID }: CaseRow): Promise<readonly Task[]> {
  if (!call.may('importform/search')) return [];
  const { answer } = await call.call(
    'importform/search',
    { OrderBy: ['ProjectedCompletion', 'EstimatedCompletion'], DisplaySize: TASKS_SHOWN, RecordCount: 'false' },
    { Object: RecordClass ?? '', ObjectID: String(ProcessID), ActualCompletion: 'null', CanceledDate: 'null' },
  );
  return answer.rows;
}

function tasksPart(call: PageCall, tasks: readonly Task[], day: string): Markup {
  const line = ({ ImportForm, ImportFormID, ProjectedCompletion, EstimatedCompletion }: Task): Markup => {
    const due = ProjectedCompletion ?? EstimatedCompletion;
    return html`<li>${icon('task')}<a class="grow cut" href="/form/${ImportFormID}"><bdi>${ImportForm}</bdi></a>${
      due !== null && html`<span class="small">${dueCell(call, due, day)}</span>`
    }</li>\n`;
  };
  return html`<div class="preview-part"><h3>Open tasks</h3><ul class="preview-tasks">${tasks.map(line)}</ul></div>`;
}

function messagesPart(call: PageCall, messages: readonly RowNamed<'Message'>[]): Markup {
  const line = ({ Message, BodyText, CreatedDate }: RowNamed<'Message'>): Markup => {
    const text = plainText(Message) || plainText(BodyText);
    return html`<li><time class="small muted" datetime="${CreatedDate}">${localDateTime(call, CreatedDate)}</time>
<p><bdi>${text.slice(0, MESSAGE_CHARACTERS_MAX)}</bdi></p></li>\n`;
  };
  return html`<div class="preview-part"><h3>Latest</h3><ul class="preview-latest">${messages.map(line)}</ul></div>`;
}

import type { RecordAnswerFor } from '../../kernel/declare/catalog.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { dataTable, hiddenField } from './components.ts';
import { columnLabel } from '../../kernel/declare/labels.ts';
import { displayValue, localDateTime, recordLink, recordPath, timeMark } from './display-values.ts';
import { loadLabels, referencesOf, type DisplayedRows, type Labels } from './labels.ts';
import { csrfField } from './layout.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { plainText, rowOffset } from './plain-text.ts';
import { recordIdFromPath, recordTypeFromPath } from './record-address.ts';

/** Changed columns that a record's page shows, and a page of its whole history. */
const CHANGES_SHOWN = 25;
const PAGE_CHANGES = 200;

/** What one call did to one column of a record. */
export type Change = RecordAnswerFor<'history'>['rows'][number];

/** A record with changes of its columns, newest first. */
export interface RecordChanges {
  readonly record: RecordType;
  readonly id: number;
  readonly changes: readonly Change[];
  /** The rule sets that changed it, by call; none where they are not shown. */
  readonly traces?: ReadonlyMap<string, readonly RuleTrace[]>;
}

/** A rule set that changed a record. */
type RuleTrace = RecordAnswerFor<'ruletraces'>['rows'][number];

/** Reads the newest changes of a record, one row for each column; none where the user may not see them. */
export async function readChanges(
  call: PageCall,
  record: RecordType,
  id: number,
  { start = 0, size = CHANGES_SHOWN }: { readonly start?: number; readonly size?: number } = {},
): Promise<readonly Change[]> {
  if (record.history === false || !call.mayOf(record, 'history')) return [];
  const { answer } = await call.callOf(record, 'history', {
    ID: id,
    RecordStart: start,
    DisplaySize: size,
  });
  return answer.rows;
}

/** Returns the references of changes, for looking up who made them. */
export function changeReferences(changes: readonly Change[]): DisplayedRows {
  return referencesOf(changes, ['PersonID', 'Person']);
}

/** Renders the history on a record's page; nothing where the user may not see it. */
export function historySection(call: PageCall, of: RecordChanges, labels: Labels): Markup | false {
  const { record, id, changes } = of;
  if (record.history === false || !call.mayOf(record, 'history')) return false;
  const more =
    changes.length >= CHANGES_SHOWN &&
    html`<p><a href="${recordPath(record.module, id)}/history">View all history</a></p>`;
  return html`<section aria-labelledby="history">
<h2 id="history">History</h2>
${changes.length === 0 ? html`<p class="quiet">No changes yet</p>` : changeTable(call, of, labels)}
${more}
</section>`;
}

/** Shows the whole history of a record, one page at a time. */
export const historyPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const start = rowOffset(call.query['RecordStart']);
  const changes = await readChanges(call, record, id, { start, size: PAGE_CHANGES });
  const labels = await loadLabels(call, [changeReferences(changes)]);
  const traces = await readTraces(call, record, id);
  const path = recordPath(record.module, id);
  const name = `${record.title} ${id}`;
  const to = (at: number): string => `${path}/history?RecordStart=${at}`;
  const newer = start > 0 && html`<a href="${to(Math.max(0, start - PAGE_CHANGES))}">Newer changes</a>`;
  const older = changes.length === PAGE_CHANGES && html`<a href="${to(start + PAGE_CHANGES)}">Older changes</a>`;
  const empty = html`<p class="quiet">No changes yet</p>`;
  return {
    title: `History of ${name}`,
    wide: true,
    body: html`<p class="crumbs"><a href="${path}">${name}</a></p>
<h1>History</h1>
${changes.length === 0 ? empty : changeTable(call, { record, id, changes, traces }, labels)}
<p>${newer} ${older}</p>`,
  };
});

/** Most rule sets that the history shows: those of the newest calls. */
const TRACES_SHOWN = 1_000;

/** Reads which rule sets changed a record, by call; none where the user may not see them. */
async function readTraces(
  call: PageCall,
  record: RecordType,
  id: number,
): Promise<ReadonlyMap<string, readonly RuleTrace[]>> {
  if (!call.mayOf(record, 'ruletraces')) return new Map();
  const { answer } = await call.callOf(record, 'ruletraces', { ID: id, DisplaySize: TRACES_SHOWN });
  return Map.groupBy(answer.rows, (trace) => trace.CallID ?? '');
}

/** Renders the rule sets of one call: the row that decided, its inputs and its outputs. */
function ruleSets(of: RecordChanges, row: Change): Markup {
  const traces = of.traces?.get(row.CallID ?? '') ?? [];
  return html`${traces.map(
    (trace) => html`<details><summary>Rule set ${trace.Matrix ?? ''}, row ${trace.RowNumber}</summary>
<p>Inputs: ${valueList(trace.Inputs)}</p>
<p>Outputs: ${valueList(trace.Outputs)}</p>
</details>`,
  )}`;
}

function valueList(values: unknown): string {
  if (typeof values !== 'object' || values === null) return 'none';
  const listed = Object.entries(values).map(([name, value]) => `${name} = ${plainText(value) || '(empty)'}`);
  return listed.length === 0 ? 'none' : listed.join('; ');
}

/** Renders changes by call, newest first: who, when, and each column before and after. */
function changeTable(call: PageCall, of: RecordChanges, labels: Labels): Markup {
  const calls = Object.values(Object.groupBy(of.changes, (change) => `${change.At} ${change.CallID ?? ''}`));
  return dataTable({
    label: 'Changes',
    caption: 'Changes, newest first',
    className: 'history',
    heads: ['When and who', 'Field', 'Before', 'After'],
    rows: calls.flatMap((changes, at) => {
      const callId = changes?.[0]?.CallID;
      // A call with a rule set saves the record twice: what decided belongs to the newer change.
      const isShown = calls.slice(0, at).some((newer) => newer?.[0]?.CallID === callId);
      const { traces, ...others } = of;
      return callRows(call, { ...others, changes: changes ?? [], ...(traces && !isShown ? { traces } : {}) }, labels);
    }),
  });
}

/** Renders the rows of one call's changes; the first shows who made them and when. */
function callRows(call: PageCall, of: RecordChanges, labels: Labels): readonly Markup[] {
  const { record, changes } = of;
  return changes.map(
    (row, at) => html`<tr>
${at === 0 && html`<th scope="rowgroup" rowspan="${changes.length}">${callHead(call, of, row, labels)}</th>`}
<td>${columnLabel(record, row.Field ?? '')}</td>
<td>${pastValue(call, record, row, { value: row.OldValue, labels })}</td>
<td>${pastValue(call, record, row, { value: row.NewValue, labels })}</td>
</tr>\n`,
  );
}

/** Renders who made the changes of a call, when, and by which rule sets. */
function callHead(call: PageCall, of: RecordChanges, row: Change, labels: Labels): Markup {
  return html`${whenAndWho(call, of, row, labels)}${ruleSets(of, row)}`;
}

function pastValue(
  call: PageCall,
  record: RecordType,
  row: Change,
  { value, labels }: { readonly value: unknown; readonly labels: Labels },
): Markup {
  const field = record.columns.get((row.Field ?? '').toLowerCase())?.field;
  // History keeps values as text, from which these kinds cannot be displayed as from their own values.
  return field && field.kind !== 'boolean' && field.kind !== 'json' && field.kind !== 'id'
    ? displayValue(call, field, value, labels)
    : html`${plainText(value) || '–'}`;
}

function whenAndWho(call: PageCall, { record, id }: RecordChanges, row: Change, labels: Labels): Markup {
  const at = row.At;
  const person = row.PersonID;
  const path = recordPath(record.module, id);
  const before = new Date(Date.parse(at) - 1).toISOString();
  const canUndo = row.Change === 'update' && row.CallID !== null && call.mayOf(record, 'rollback');
  const earlier =
    call.mayOf(record, 'asof') &&
    html`<br><a href="${path}/asof?At=${encodeURIComponent(before)}">View earlier version</a>`;
  return html`${timeMark(call, at)}<br>
${person !== null && recordLink(call, 'Person', person, labels.get('Person')?.get(person))}
${earlier}
${canUndo && undoForm(call, path, row)}`;
}

function undoForm(call: PageCall, path: string, row: Change): Markup {
  const which = html`<span class="hidden"> the change of ${localDateTime(call, row.At)}</span>`;
  return html`<form method="post" action="${path}/undo">
${csrfField(call)}${hiddenField('CallID', row.CallID ?? '')}
<button class="quiet">Undo${which}</button>
</form>`;
}

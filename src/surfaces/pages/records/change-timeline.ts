import type { RecordAnswerFor } from '../../../kernel/declare/catalog.ts';
import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { dayHead, localDay, timeOfDay, today } from '../days.ts';
import { button } from '../design/button.ts';
import { icon, type IconName } from '../design/icons.ts';
import { displayValue, localDateTime, recordPath } from '../display-values.ts';
import { inSentence } from '../display-names.ts';
import type { Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import type { Change } from './read-changes.ts';

/** A rule set that changed a record. */
export type RuleTrace = RecordAnswerFor<'ruletraces'>['rows'][number];

/** A record with changes of its columns, newest first. */
export interface RecordChanges {
  readonly record: RecordType;
  readonly id: number;
  readonly changes: readonly Change[];
  readonly labels: Labels;
  /** The rule sets that changed it, by call; none where they are not shown. */
  readonly traces?: ReadonlyMap<string, readonly RuleTrace[]>;
}

/** Renders changes by day and call, newest first: who, when, and each field before and after. */
export function changeTimeline(call: PageCall, of: RecordChanges): Markup {
  const now = today(call);
  const calls = [...Map.groupBy(of.changes, ({ At, CallID }) => `${At} ${CallID ?? ''}`).values()];
  const days = [...Map.groupBy(calls, ([first]) => (first ? localDay(call, first.At) : '')).entries()];
  const seen = new Set<string | null>();
  const entryOf = (changes: readonly Change[]): Markup => {
    // A call with a rule set saves the record twice: what decided belongs to the newer change.
    const callId = changes[0]?.CallID ?? null;
    const isFirst = !seen.has(callId);
    seen.add(callId);
    return entry(call, { ...of, changes }, isFirst);
  };
  return html`<div class="timeline record-timeline">${days.map(
    ([day, own]) => html`<section><h3>${dayHead(day, now)}</h3>
<ol>${own.map(entryOf)}</ol></section>\n`,
  )}</div>`;
}

const icons: Readonly<Record<string, IconName>> = { insert: 'plus', delete: 'close', undelete: 'undo' };

function entry(call: PageCall, of: RecordChanges, hasTraces: boolean): Markup {
  const [row] = of.changes;
  if (!row) return html``;
  const { PersonID: person, At: at, Change: kind } = row;
  const who = person === null ? 'Casewright' : (of.labels.get('Person')?.get(person) ?? `User ${person}`);
  return html`<li class="entry">
<span class="entry-icon">${icon(icons[kind] ?? 'history', 14)}</span>
<div class="grow">
<p class="entry-head"><b><bdi>${who}</bdi></b> <span class="muted small end nowrap">${timeOfDay(call, at)}</span></p>
${kind !== 'update' && html`<p class="soft">${verbOf(kind)} the ${inSentence(of.record.title)}.</p>`}
<dl class="changes">${of.changes.map((change) => changeLine(call, of, change))}</dl>
${hasTraces && ruleSets(of, row)}
${entryActions(call, of, row)}
</div></li>\n`;
}

function verbOf(kind: string): string {
  return { insert: 'Created', delete: 'Deleted', undelete: 'Restored' }[kind] ?? 'Changed';
}

function changeLine(call: PageCall, { record, labels }: RecordChanges, row: Change): Markup | false {
  const name = row.Field ?? '';
  if (name === '') return false;
  const value = (text: unknown): HtmlValue => pastValue(call, record, name, { value: text, labels });
  return html`<div><dt>${columnLabel(record, name)}</dt>
<dd><del>${value(row.OldValue)}</del>${icon('chevronRight', 12)}<ins>${value(row.NewValue)}</ins></dd></div>\n`;
}

/** Renders a value as the history has it: as text, from which each kind is shown as usual. */
export function pastValue(
  call: PageCall,
  record: RecordType,
  name: string,
  { value, labels }: { readonly value: unknown; readonly labels: Labels },
): Markup {
  const field = record.columns.get(name.toLowerCase())?.field;
  const text = plainText(value);
  if (text === '') return html`<span class="muted">empty</span>`;
  if (field?.kind === 'boolean') return displayValue(call, field, text === 'true', labels);
  if (field?.kind === 'id' && !/^\d+$/.test(text)) return html`<bdi>${text}</bdi>`;
  return field && field.kind !== 'json' ? displayValue(call, field, text, labels) : html`<bdi>${text}</bdi>`;
}

/** Renders the rule sets of one call: the row that decided, its inputs and its outputs. */
function ruleSets({ traces }: RecordChanges, { CallID }: Change): Markup {
  return html`${(traces?.get(CallID ?? '') ?? []).map(
    (trace) => html`<details class="small"><summary class="link">Rule set ${trace.Matrix ?? ''}, row ${
      trace.RowNumber
    }</summary>
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

/** Renders what can be done with a change: look at the record before it, and undo it. */
function entryActions(call: PageCall, { record, id }: RecordChanges, row: Change): Markup | false {
  const path = recordPath(record.module, id);
  const before = new Date(Date.parse(row.At) - 1).toISOString();
  const when = html`<span class="hidden"> ${localDateTime(call, row.At)}</span>`;
  const earlier =
    row.Change !== 'insert' &&
    call.mayOf(record, 'asof') &&
    html`<a class="link small" href="${path}/asof?At=${encodeURIComponent(before)}">View as before${when}</a>`;
  const undo =
    row.Change === 'update' && row.CallID !== null && call.mayOf(record, 'rollback') && undoForm(call, path, row);
  return (earlier || undo) && html`<div class="row undo">${earlier}${undo}</div>`;
}

function undoForm(call: PageCall, path: string, { CallID, At }: Change): Markup {
  return html`<form method="post" action="${path}/undo">${csrfField(call)}${hiddenField('CallID', CallID ?? '')}
${button({ text: 'Undo', kind: 'quiet', icon: 'undo', of: `the change of ${localDateTime(call, At)}` })}</form>`;
}

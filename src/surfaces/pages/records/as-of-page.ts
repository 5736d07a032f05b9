import { columnLabel } from '../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { localDateTime, localInputValue, recordPath, timeZoneNote } from '../display-values.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath, recordTypeFromPath, requirePermission } from '../record-address.ts';
import { pastValue } from './change-timeline.ts';
import { valueReferences } from './read-changes.ts';
import { recordCrumbs, recordName } from './record-crumbs.ts';
import { recordFacts } from './record-facts.ts';

/** Shows a record as of an instant, and what restoring that version would change. */
export const asOfPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  requirePermission(call, record, 'asof');
  const at = plainText(call.query['At']);
  const name = await recordName(call, record, id);
  const shown = (content: Markup | false, status = 200) => ({
    title: `Earlier version of ${name}`,
    place: 'records' as const,
    crumbs: recordCrumbs(call, record, { id, name }, 'Earlier version'),
    status,
    body: html`<div class="page">
<header class="page-head"><h1>Earlier version of <bdi>${name}</bdi></h1></header>
${asOfForm(call, recordPath(record.module, id), at)}
${content}</div>`,
  });
  if (at === '') return shown(false);
  try {
    const [fields, rollback] = await Promise.all([
      fieldsAsOf(call, record, id, at),
      call.mayOf(record, 'rollback') && rollbackCard(call, record, id, at),
    ]);
    return shown(html`${rollback}${fields}`);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return shown(errorNote(error.masked()), error.status);
  }
});

async function fieldsAsOf(call: PageCall, record: RecordType, id: number, at: string): Promise<Markup> {
  const { answer } = await call.callOf(record, 'asof', { ID: id, At: at });
  const leaves = (answer.root.children ?? []).filter((node) => node.children === undefined);
  const row = Object.fromEntries(leaves.map(({ name, value }) => [name, value]));
  const labels = await loadLabels(call, [{ columns: record.shown, rows: [row] }]);
  const { own, about } = recordFacts(call, record, row, labels);
  return html`${own}${about}`;
}

function asOfForm(call: PageCall, path: string, at: string): Markup {
  const isInstant = at !== '' && Number.isFinite(Date.parse(at));
  const value = isInstant ? localInputValue(call, at) : at;
  return html`<form class="row find-form" method="get" action="${path}/asof">
${textField({ label: 'As of', name: 'At', id: 'at', type: 'datetime-local', value, attributes: html`step="1"` })}
${button({ text: 'View' })}
</form>
<div class="small muted">${isInstant && html`<p>This is the version of ${localDateTime(call, at)}.</p>`}
${timeZoneNote(call)}</div>`;
}

async function rollbackCard(call: PageCall, record: RecordType, id: number, at: string): Promise<Markup> {
  const { rows } = (await call.callOf(record, 'rollback', { ID: id, At: at, Preview: 'true' })).answer;
  if (rows.length === 0)
    return card({ id: 'back', title: 'Since then', body: html`<p class="card-body soft">Nothing has changed.</p>` });
  const labels = await loadLabels(call, valueReferences(record, rows));
  const value = (name: string, text: unknown): Markup => pastValue(call, record, name, { value: text, labels });
  const body = table({
    label: 'Fields now and then',
    className: 'wrap',
    heads: ['Field', 'Now', 'Then'],
    rows: rows.map(
      ({ Field: name, OldValue, NewValue }) => html`<tr><th scope="row">${columnLabel(record, name)}</th>
<td>${value(name, OldValue)}</td><td>${value(name, NewValue)}</td></tr>`,
    ),
  });
  return card({
    id: 'back',
    title: 'What restoring changes',
    actions: html`<form method="post" action="${recordPath(record.module, id)}/rollback">
${csrfField(call)}${hiddenField('At', at)}
${button({ text: 'Restore this version', kind: 'primary' })}</form>`,
    body,
  });
}

/** Restores a record to an earlier version. */
export const rollBack = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.callOf(record, 'rollback', { ID: id, At: plainText(call.form['At']) });
  return { redirectTo: `${recordPath(record.module, id)}?done=rolledback` };
});

/** Undoes what one call changed in a record. */
export const undoChange = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.callOf(record, 'rollback', { ID: id, CallID: plainText(call.form['CallID']) });
  return { redirectTo: `${recordPath(record.module, id)}?done=undone` };
});

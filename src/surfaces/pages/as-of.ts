import type { TreeNode } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { dataTable, factList, hiddenField } from './components.ts';
import { fieldLabel, wordsOf, columnLabel } from '../../kernel/declare/labels.ts';
import { displayValue, localDateTime, localInputValue, recordPath } from './display-values.ts';
import { loadLabels } from './labels.ts';
import { csrfField } from './layout.ts';
import { errorNote } from './notes.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { plainText } from './plain-text.ts';
import { recordIdFromPath, recordTypeFromPath } from './record-address.ts';

const TITLE = 'Earlier version';

/** Shows a record as of an instant, and what restoring that version would change. */
export const asOfPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const at = plainText(call.query['At']);
  const path = recordPath(record.module, id);
  const intro = html`<p class="crumbs"><a href="${path}">${record.title} ${id}</a></p>
<h1>${TITLE}</h1>
${asOfForm(call, path, at)}`;
  if (at === '') return { title: TITLE, wide: true, body: intro };
  try {
    const fields = await fieldsAsOf(call, record, id, at);
    const rollback = call.mayOf(record, 'rollback') && (await rollbackSection(call, path, at));
    return { title: TITLE, wide: true, body: html`${intro}${fields}${rollback}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { title: TITLE, wide: true, status: error.status, body: html`${intro}${errorNote(error.masked())}` };
  }
});

async function fieldsAsOf(call: PageCall, record: RecordType, id: number, at: string): Promise<Markup> {
  const { answer } = await call.callOf(record, 'asof', { ID: id, At: at });
  const leaves = (answer.root.children ?? []).filter((node) => node.children === undefined);
  const row = Object.fromEntries(leaves.map(({ name, value }) => [name, value]));
  const labels = await loadLabels(call, [{ columns: record.shown, rows: [row] }]);
  const line = ({ name, value, field }: TreeNode): [string, Markup | string] =>
    field ? [fieldLabel(name, field), displayValue(call, field, value, labels)] : [wordsOf(name), plainText(value)];
  return factList(leaves.map(line));
}

function asOfForm(call: PageCall, path: string, at: string): Markup {
  const isInstant = at !== '' && Number.isFinite(Date.parse(at));
  const local = isInstant ? localInputValue(call, at) : at;
  return html`<form class="filters" method="get" action="${path}/asof">
<p>
<label for="at">As of</label>
<input id="at" name="At" type="datetime-local" step="1" value="${local}">
<button>View</button>
</p>
</form>
${isInstant && html`<p class="quiet">This is the version of ${localDateTime(call, at)}.</p>`}`;
}

async function rollbackSection(call: PageCall, path: string, at: string): Promise<Markup> {
  const record = recordTypeFromPath(call);
  const { answer } = await call.callOf(record, 'rollback', {
    ID: recordIdFromPath(call),
    At: at,
    Preview: 'true',
  });
  const { rows } = answer;
  if (rows.length === 0) return html`<p class="quiet">Nothing has changed since then.</p>`;
  const table = dataTable({
    label: 'Changes',
    heads: ['Field', 'Now', 'Then'],
    rows: rows.map(
      (row) => html`<tr>
<th scope="row">${columnLabel(record, row.Field)}</th>
<td>${(row.OldValue ?? '') || '–'}</td>
<td>${(row.NewValue ?? '') || '–'}</td>
</tr>`,
    ),
  });
  return html`<section aria-labelledby="back">
<h2 id="back">What restoring changes</h2>
${table}
<form method="post" action="${path}/rollback">
${csrfField(call)}${hiddenField('At', at)}
<p class="actions"><button>Restore this version</button></p>
</form>
</section>`;
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

import type { ListAnswer, TreeAnswer, TreeNode } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { recordIdFromPath, recordTypeFromPath } from './record-address.ts';
import { errorNote } from './error.ts';
import { loadLabels } from './labels.ts';
import { csrfField } from './layout.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { fieldLabel, localInputValue, recordPath, displayValue, humanize, localDateTime } from './display-values.ts';

/** A record as it was at an instant, and what bringing it back to that would change. */
export const asOfPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  const at = String(call.query['At'] ?? '');
  const path = recordPath(record.module, id);
  const intro = html`<p class="crumbs"><a href="${path}">${record.name} ${id}</a></p><h1>As it was</h1>${asOfForm(call, path, at)}`;
  if (at === '') return { title: 'As it was', wide: true, body: intro };
  try {
    const { answer } = await call.call(`${record.module}/asof`, { ID: String(id), At: at });
    const leaves = ((answer as TreeAnswer).root.children ?? []).filter((node) => node.children === undefined);
    const labels = await loadLabels(call, [
      { columns: record.shown, rows: [Object.fromEntries(leaves.map(({ name, value }) => [name, value]))] },
    ]);
    const line = ({ name, value, field }: TreeNode): Markup =>
      html`<div><dt>${field ? fieldLabel(name, field) : humanize(name)}</dt><dd>${field ? displayValue(call, field, value, labels) : String(value)}</dd></div>`;
    return {
      title: 'As it was',
      wide: true,
      body: html`${intro}<dl class="fields">${leaves.map(line)}</dl>${call.may(`${record.module}/rollback`) && (await rollbackSection(call, path, at))}`,
    };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return { title: 'As it was', wide: true, status: error.status, body: html`${intro}${errorNote(error.masked())}` };
  }
});

function asOfForm(call: PageCall, path: string, at: string): Markup {
  const local = at === '' || !Number.isFinite(Date.parse(at)) ? at : localInputValue(call, at);
  return html`<form class="filters" method="get" action="${path}/asof"><p><label for="at">At</label><input id="at" name="At" type="datetime-local" step="1" value="${local}"> <button>Show</button></p></form>${at !== '' && Number.isFinite(Date.parse(at)) && html`<p class="quiet">Shown as at ${localDateTime(call, at)}.</p>`}`;
}

async function rollbackSection(call: PageCall, path: string, at: string): Promise<Markup> {
  const { answer } = await call.call(`${recordTypeFromPath(call).module}/rollback`, {
    ID: String(recordIdFromPath(call)),
    At: at,
    Preview: 'true',
  });
  const rows = (answer as ListAnswer).rows;
  if (rows.length === 0) return html`<p class="quiet">It is the same now.</p>`;
  return html`<section aria-labelledby="back"><h2 id="back">Bringing it back would change</h2><div class="scroll" role="region" tabindex="0" aria-label="Changes"><table><thead><tr><th scope="col">Field</th><th scope="col">Now</th><th scope="col">Then</th></tr></thead><tbody>${rows.map((row) => html`<tr><th scope="row">${humanize(String(row['Field']))}</th><td>${String(row['OldValue'] ?? '–')}</td><td>${String(row['NewValue'] ?? '–')}</td></tr>`)}</tbody></table></div>
<form method="post" action="${path}/rollback">${csrfField(call)}<input type="hidden" name="At" value="${at}"><p class="actions"><button>Bring it back</button></p></form></section>`;
}

/** Brings a record back to what it was. */
export const rollBack = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.call(`${record.module}/rollback`, { ID: String(id), At: String(call.form['At'] ?? '') });
  return { redirectTo: `${recordPath(record.module, id)}?done=rolledback` };
});

/** Undoes what one call changed in a record. */
export const undoChange = page(async (call) => {
  const record = recordTypeFromPath(call);
  const id = recordIdFromPath(call);
  await call.call(`${record.module}/rollback`, { ID: String(id), CallID: String(call.form['CallID'] ?? '') });
  return { redirectTo: `${recordPath(record.module, id)}?done=undone` };
});

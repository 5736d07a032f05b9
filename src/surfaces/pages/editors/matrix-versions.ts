import { html } from '../../../kernel/render/markup.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { displayValue, timeMark } from '../display-values.ts';
import { f } from '../../../kernel/declare/field.ts';
import { loadLabels, referencesOf } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { usesTable } from '../configure/uses-page.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { matrixId, readDraft } from './matrix-draft.ts';

const personField = f.id({ doc: 'Who published it.', to: 'Person' });

const heads = ['Version', 'Published', 'By', { text: 'Rows', isNumber: true }, { text: 'Actions', isHidden: true }];

/** Lists the published versions of a matrix, each with a way to make it the draft. */
export const matrixVersionsPage = page(async (call) => {
  const id = matrixId(call);
  const [draft, { answer }] = await Promise.all([readDraft(call), call.call('matrix/versions', { ID: id })]);
  const labels = await loadLabels(call, [referencesOf(answer.rows, ['CreatedPersonID', 'Person'])]);
  const rows = answer.rows.map(
    (row) => html`<tr id="v${row.Number}"><th
scope="row">v${row.Number}${row.Number === draft.published && ' published'}</th>
<td>${timeMark(call, row.CreatedDate)}</td><td>${displayValue(call, personField, row.CreatedPersonID, labels)}</td>
<td class="number">${row.RowCount}</td><td>${
      draft.mayEdit &&
      html`<form method="post">${csrfField(call)}<input type="hidden" name="Version" value="${draft.version}">${button({
        text: 'Restore as draft',
        kind: 'quiet',
        name: 'MatrixVersionID',
        value: String(row.MatrixVersionID),
        of: `v${row.Number}`,
      })}</form>`
    }</td></tr>`,
  );
  return {
    title: `Versions of ${draft.name}`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, 'Versions'),
    body: html`<div class="page"><header class="page-head"><h1>Versions of ${draft.name}</h1>${buttonLink({
      text: 'Open the editor',
      href: draft.address,
    })}</header>
${draft.version > 0 && html`<p class="soft">There is a draft. Restoring a version replaces it.</p>`}
${table({ label: 'Versions', heads, rows })}</div>`,
  };
});

/** Makes an earlier version the draft. */
export const restoreMatrixVersion = page(async (call) => {
  const id = matrixId(call);
  await call.call('matrix/restoreversion', {
    ID: id,
    Version: plainText(call.form['Version']),
    MatrixVersionID: plainText(call.form['MatrixVersionID']),
  });
  return { redirectTo: `/configure/matrices/${id}?done=restored` };
});

/** Lists the configuration that uses a matrix. */
export const matrixUsesPage = page(async (call) => {
  const id = matrixId(call);
  const [draft, { answer }] = await Promise.all([readDraft(call), call.call('matrix/usedin', { ID: id })]);
  return {
    title: `Where ${draft.name} is used`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, 'Used in'),
    body: html`<div class="page"><h1>Where ${draft.name} is used</h1>${
      answer.rows.length === 0
        ? emptyState({
            title: 'Nothing uses this matrix.',
            text: 'Calls whose parameters are computed are not found. Programs may look it up over HTTP.',
          })
        : usesTable(call, answer.rows)
    }</div>`,
  };
});

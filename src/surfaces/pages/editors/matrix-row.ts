import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { GridEdit } from '../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../lib/decision-tables/input-value.ts';
import { readCell, storedText } from '../../../lib/decision-tables/read-cell.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { readDraft, type MatrixDraft } from './matrix-draft.ts';

/** The row in the address, counted from 0; undefined for a new one. @throws NOT_FOUND */
function rowOf(call: PageCall, { grid }: MatrixDraft): number | undefined {
  const text = call.path['row'] ?? '';
  if (text === 'new') return undefined;
  const row = Number(text) - 1;
  if (!Number.isInteger(row) || grid.rows[row] === undefined) throw new PlatformError('NOT_FOUND');
  return row;
}

/** The texts of the fields, as they were sent or are stored. A new row may begin with those of a gap. */
function textsOf(call: PageCall, draft: MatrixDraft, row: number | undefined): string[] {
  return draft.grid.columns.map(({ name }, at) => {
    const sent = call.form[`cell-${at}`] ?? call.query[`cell.${name}`];
    return sent === undefined ? (draft.grid.rows[row ?? -1]?.[at] ?? '') : plainText(sent);
  });
}

async function showRow(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const row = rowOf(call, draft);
  const texts = textsOf(call, draft, row);
  const title = row === undefined ? 'New row' : `Row ${row + 1}`;
  const marks = draft.marks.filter((mark) => mark.row === row);
  const notes = marks
    .filter(({ column }) => column === undefined)
    .map(({ severity, text }) => banner({ tone: severity === 'error' ? 'danger' : 'warn', text }));
  const fields = draft.grid.columns.map(({ kind, name, type }, at) =>
    textField({
      label: name,
      name: `cell-${at}`,
      value: texts[at],
      hint: kind === 'Input' ? readingOf(texts[at] ?? '', type) : undefined,
      error: marks.find((mark) => mark.column === at && mark.severity === 'error')?.text,
    }),
  );
  const inputs = draft.grid.columns.filter(({ kind }) => kind === 'Input').length;
  return {
    title: `${title} of ${draft.name}`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, title),
    status: refusal?.status ?? 200,
    body: html`<div class="page narrow"><h1>${title}</h1>
${refusal && banner({ tone: 'danger', text: refusal.message, role: 'alert' })}
${notes}
<form method="post" class="stack entry">${csrfField(call)}<input type="hidden" name="Version" value="${draft.version}">
<fieldset class="stack"><legend class="strong">When</legend>${fields.slice(0, inputs)}</fieldset>
<fieldset class="stack"><legend class="strong">Then</legend>${fields.slice(inputs)}</fieldset>
<p class="row wrap">${rowButtons(row)}${buttonLink({ text: 'Back to the matrix', href: draft.address })}</p>
</form></div>`,
  };
}

function readingOf(text: string, type: string | null): string {
  const reading = readCell(text, (type ?? undefined) as InputType);
  if (reading.kind === 'any') return 'Any. Empty matches everything.';
  if (reading.kind === 'unreadable') return `Expected ${reading.expected}.`;
  return `${reading.text}. ${reading.advice ?? ''}`.trim();
}

function rowButtons(row: number | undefined): Markup {
  if (row === undefined) return button({ text: 'Add row', kind: 'primary', name: 'do', value: 'save' });
  return html`${button({ text: 'Save row', kind: 'primary', name: 'do', value: 'save' })}${button({
    text: 'Move up',
    name: 'do',
    value: 'up',
  })}${button({ text: 'Move down', name: 'do', value: 'down' })}${button({
    text: 'Delete row',
    kind: 'danger',
    name: 'do',
    value: 'delete',
  })}`;
}

/** Shows one row of a matrix as a form. */
export const matrixRowPage = page((call) => showRow(call));

/** Changes a row of a draft, and goes back to the matrix at that row. */
export const saveMatrixRow = page(async (call) => {
  try {
    const draft = await readDraft(call);
    const row = rowOf(call, draft);
    const { edits, at } = rowEdits(call, draft, row);
    await call.call('matrix/savedraft', {
      ID: draft.id,
      Version: plainText(call.form['Version']),
      Edits: JSON.stringify(edits),
    });
    return { redirectTo: `${draft.address}#row-${at + 1}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return showRow(call, error.masked());
  }
});

function rowEdits(
  call: PageCall,
  draft: MatrixDraft,
  row: number | undefined,
): { readonly edits: readonly GridEdit[]; readonly at: number } {
  const { columns, rows } = draft.grid;
  const texts = textsOf(call, draft, row).map((text, at) =>
    columns[at]?.kind === 'Input' ? storedText(text, (columns[at].type ?? undefined) as InputType) : text.trim(),
  );
  if (row === undefined) return { edits: [{ kind: 'insert', at: rows.length, rows: [texts] }], at: rows.length };
  const action = plainText(call.form['do']);
  if (action === 'delete') return { edits: [{ kind: 'remove', at: row, count: 1 }], at: Math.max(0, row - 1) };
  const set: GridEdit = { kind: 'set', cells: texts.map((text, column) => ({ row, column, text })) };
  const to = row + ({ up: -1, down: 1 }[action] ?? 0);
  if (to === row || rows[to] === undefined) return { edits: [set], at: row };
  return { edits: [set, { kind: 'move', from: row, to }], at: to };
}

import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { Grid, GridEdit } from '../../../lib/decision-tables/grid.ts';
import type { InputType } from '../../../lib/decision-tables/input-value.ts';
import { storedText } from '../../../lib/decision-tables/read-cell.ts';
import { parseClipboard } from '../../../lib/decision-tables/clipboard.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { checkbox, textAreaField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { readDraft } from './matrix-draft.ts';

async function showImport(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const { id, version, address, name, grid } = draft;
  const heads = grid.columns.map((column) => column.name).join(', ');
  return {
    title: `Upload a table to ${name}`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, 'Upload a table'),
    entries: ['matrix'],
    status: refusal?.status ?? 200,
    body: html`<div class="page narrow"><h1>Upload a table to ${name}</h1>
${refusal && banner({ tone: 'danger', text: refusal.message, role: 'alert' })}
<p>It becomes the draft. Nothing is published until you have seen the changes.</p>
<matrix-upload class="card stack upload-card" data-matrix="${id}" data-version="${version}" data-address="${address}"
hidden>
<h2>A file</h2>
<p class="small soft">CSV or Excel, as you download it here: names in the first line, weights in the second, then one
line for each row.</p>
<p class="row"><label class="button">Choose a file<input class="hidden" type="file"
accept=".csv,.txt,.tsv,.xlsx"></label><span class="small" role="status"></span></p>
</matrix-upload>
<form method="post" class="card stack upload-card">${csrfField(call)}<input type="hidden" name="Version"
value="${version}">
<h2>Rows from a spreadsheet</h2>
${textAreaField({
  label: 'Paste cells',
  name: 'cells',
  rows: 8,
  value: plainText(call.form['cells']),
  hint: `Columns in this order: ${heads}. A first line with the names is skipped.`,
})}
${checkbox({ label: 'Replace all rows', name: 'replace' })}
<p class="row">${button({ text: 'Add rows', kind: 'primary' })}
${buttonLink({ text: 'Back to the matrix', href: address })}</p>
</form></div>`,
  };
}

/** Shows the ways to bring a table in. */
export const matrixImportPage = page((call) => showImport(call));

/** Adds rows that were pasted, or replaces all rows with them. */
export const importMatrix = page(async (call) => {
  try {
    const { id, address, grid } = await readDraft(call);
    const rows = pastedRows(plainText(call.form['cells']), grid);
    if (rows.length === 0)
      throw new PlatformError('MISSING_PARAMETER', { field: 'cells', message: 'Paste at least one row.' });
    const isReplaced = plainText(call.form['replace']) === 'true' && grid.rows.length > 0;
    const edits: GridEdit[] = [
      ...(isReplaced ? [{ kind: 'remove' as const, at: 0, count: grid.rows.length }] : []),
      { kind: 'insert', at: isReplaced ? 0 : grid.rows.length, rows },
    ];
    const Version = plainText(call.form['Version']);
    await call.call('matrix/savedraft', { ID: id, Version, Edits: JSON.stringify(edits) });
    return { redirectTo: `${address}?done=imported` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return showImport(call, error.masked());
  }
});

/** Returns pasted cells as rows of a grid. @throws BAD_PARAMETER for more cells than columns */
function pastedRows(text: string, { columns }: Grid): string[][] {
  const lines = parseClipboard(text);
  const isHead = lines[0]?.every((cell, at) => cell.trim().toLowerCase() === columns[at]?.name.toLowerCase()) === true;
  return (isHead ? lines.slice(1) : lines).map((cells, at) => {
    if (cells.length > columns.length)
      throw new PlatformError('BAD_PARAMETER', {
        field: 'cells',
        message: `Row ${at + 1} has ${cells.length} cells; the matrix has ${columns.length} columns.`,
      });
    return columns.map(({ kind, type }, column) => {
      const cell = (cells[column] ?? '').trim();
      return kind === 'Input' ? storedText(cell, (type ?? undefined) as InputType) : cell;
    });
  });
}

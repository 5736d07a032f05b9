import type { AnswerFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainTexts } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { fileName, importPath } from './import-display.ts';

type FailedRow = AnswerFor<'importfile/failedrows'>['root']['children'][number];

/** Shows the cells of a failed row, the wrong one marked, to be corrected. */
export const importRowPage = page((call) => rowAnswer(call));

/** Corrects a failed row and imports it again. What is wrong with it now is shown with everything that was entered. */
export const correctImportRow = page(async (call) => {
  const id = recordIdFromPath(call);
  try {
    const changes = changedCells(call);
    if (changes.size === 0)
      throw new PlatformError('MISSING_PARAMETER', { message: 'Change at least one cell, then send the row again.' });
    const { answer } = await call.call('importfile/correct', {
      ID: id,
      Line: [lineOf(call)],
      Changes: changes.toString(),
    });
    if (answer.row.Failed > 0) return await rowAnswer(call);
    return { redirectTo: `${importPath(id)}?done=${answer.row.Queued > 0 ? 'queued' : 'corrected'}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return rowAnswer(call, error);
  }
});

function lineOf({ path }: PageCall): number {
  const line = Number(path['line']);
  if (!Number.isSafeInteger(line) || line < 1)
    throw new PlatformError('NOT_FOUND', { message: 'This import has no such row.' });
  return line;
}

/** Returns the cells that differ from what the page showed, as a query string. */
function changedCells({ form }: PageCall): URLSearchParams {
  const [columns, before, after] = ['Column', 'Before', 'Cell'].map((name) => plainTexts(form[name]));
  const changes = new URLSearchParams();
  for (const [at, column] of (columns ?? []).entries())
    if (before?.[at] !== after?.[at]) changes.set(column, after?.[at] ?? '');
  return changes;
}

async function rowAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const line = lineOf(call);
  const path = importPath(id);
  const [file, failed] = await Promise.all([
    call.call('importfile/select', { ID: id }),
    call.call('importfile/failedrows', { ID: id, Line: [line] }),
  ]);
  const name = fileName(file.answer.row);
  const [row] = failed.answer.root.children;
  const canCorrect = failed.answer.root.attributes.CanCorrect;
  return {
    title: `Line ${line} of ${name}`,
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: name, href: path }, { text: `Line ${line}` }],
    status: error?.status ?? 200,
    body: html`<div class="page"><h1>Line ${line}</h1>
${error && errorNote(error.masked())}
${row && canCorrect ? rowForm(call, row, path) : notFailed(line, path)}</div>`,
  };
}

function notFailed(line: number, path: string): Markup {
  return banner({
    tone: 'info',
    text: `Line ${line} waits for no correction: it was imported, or cannot be corrected by itself.`,
    actions: buttonLink({ text: 'Back to the import', href: path }),
  });
}

function rowForm(call: PageCall, row: FailedRow, path: string): Markup {
  const { SourceLine: line, SourceColumn: wrong, Message: message } = row.attributes;
  const sent = plainTexts(call.form['Cell']);
  const cell = ({ attributes: { Source: column }, value }: FailedRow['children'][number], at: number): Markup => {
    const isWrong = column.trim().toLowerCase() === wrong?.toLowerCase();
    return html`${hiddenField('Column', column)}${hiddenField('Before', value)}
${textField({
  label: column,
  name: 'Cell',
  id: `cell-${at}`,
  value: sent[at] ?? value,
  error: isWrong ? message : undefined,
  attributes: html`autocomplete="off"${isWrong && html` autofocus`}`,
})}`;
  };
  return html`${wrong === null && banner({ tone: 'danger', text: message })}
<p class="soft">Only this row is imported again, with the cells below. The file stays as it was sent.</p>
<form class="card entry-form" method="post" action="${path}/rows/${line}">
${csrfField(call)}
<div class="cells">${row.children.map(cell)}</div>
<p class="row card-body">
${button({ text: 'Save and import this row', kind: 'primary' })}
${buttonLink({ text: 'Cancel', href: path })}
</p>
</form>`;
}

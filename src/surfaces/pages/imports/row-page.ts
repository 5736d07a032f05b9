import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { recordIdFromPath } from '../record-address.ts';
import { countWithNoun, fileName, importPath } from './import-display.ts';
import { changedCells, enteredCells, rowFields, type FailedRows } from './row-form.ts';

/** Failed parts of a refused document that are shown at once; all of them must be corrected before it is sent again. */
const PARTS_SHOWN = 50;

/**
 * Shows the cells of a failed row, the wrong one marked, to be corrected; without a line, those of a refused document.
 */
export const importRowPage = page((call) => rowAnswer(call));

/**
 * Corrects a failed row and imports it again, or sends parts of a document again. What is wrong with it now is shown
 * with everything that was entered.
 */
export const correctImportRow = page(async (call) => {
  const id = recordIdFromPath(call);
  try {
    const changes = changedCells(call);
    if (changes.size === 0)
      throw new PlatformError('MISSING_PARAMETER', { message: 'Change at least one value, then send it again.' });
    const line = lineOf(call);
    const { answer } = await call.call('importfile/correct', {
      ID: id,
      ...(line === undefined ? {} : { Line: [line] }),
      Changes: changes.toString(),
    });
    const { Failed: failed, Queued: queued, SentImportFileID: sent } = answer.row;
    if (failed > 0) return await rowAnswer(call);
    if (sent !== null) return { redirectTo: `${importPath(sent)}?done=again` };
    return { redirectTo: `${importPath(id)}?done=${queued > 0 ? 'queued' : 'corrected'}` };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return rowAnswer(call, error);
  }
});

/** Returns the line of the address; undefined for the page of a refused document. */
function lineOf({ path }: PageCall): number | undefined {
  if (path['line'] === undefined) return undefined;
  const line = Number(path['line']);
  if (!Number.isSafeInteger(line) || line < 1)
    throw new PlatformError('NOT_FOUND', { message: 'This import has no such row.' });
  return line;
}

async function rowAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const line = lineOf(call);
  const path = importPath(id);
  const [file, failed] = await Promise.all([
    call.call('importfile/select', { ID: id }),
    call.call('importfile/failedrows', {
      ID: id,
      ...(line === undefined ? { DisplaySize: PARTS_SHOWN } : { Line: [line] }),
    }),
  ]);
  const name = fileName(file.answer.row);
  const { root } = failed.answer;
  const what = titleOf(root, line);
  const isRefused = root.attributes.SendsAgain === 'Whole';
  const canCorrect = root.attributes.CanCorrect && root.children.length > 0 && isRefused === (line === undefined);
  return {
    title: `${what} of ${name}`,
    place: 'imports',
    crumbs: [{ text: 'Imports', href: '/imports' }, { text: name, href: path }, { text: what }],
    status: error?.status ?? 200,
    body: html`<div class="page"><h1>${what}</h1>
${error && errorNote(error.masked())}
${canCorrect ? rowsForm(call, root, path) : nothingToCorrect(what, path, isRefused)}</div>`,
  };
}

function titleOf({ attributes: { SendsAgain: again }, children }: FailedRows, line: number | undefined): string {
  if (line === undefined) return `Correct ${countWithNoun(children.length, 'item')}`;
  return again === 'Parts' && children.some(({ children: cells }) => cells.some(isNested))
    ? `Item ${line}`
    : `Line ${line}`;
}

function isNested(node: FailedRows['children'][number]['children'][number]): boolean {
  return node.name === 'Value' && /[/@+]/.test(node.attributes.Source);
}

function nothingToCorrect(what: string, path: string, isRefused: boolean): Markup {
  const all = isRefused && buttonLink({ text: 'Correct the whole document', href: `${path}/correct` });
  return banner({
    tone: 'info',
    text: isRefused
      ? 'The document was refused as a whole, so its items are sent again together.'
      : `${what} cannot be corrected here: it was imported or sent again, or is corrected together with others.`,
    actions: html`${all}${buttonLink({ text: 'Back to the import', href: path })}`,
  });
}

const notes: Readonly<Record<FailedRows['attributes']['SendsAgain'], string>> = {
  No: 'Only this row is imported again, with the values below. The file stays as it was sent.',
  Parts: 'Only this is sent again, as a new import that refers to this one. The original stays as it was sent.',
  Whole:
    'Nothing of the document was imported, so all of it is sent again with the values below, as an import of its own ' +
    'that names this one. What was sent stays as it is.',
};

function rowsForm(
  call: PageCall,
  { attributes: { SendsAgain: again }, children: rows }: FailedRows,
  path: string,
): Markup {
  const entered = enteredCells(call);
  const isWhole = again === 'Whole';
  const line = rows[0]?.attributes.SourceLine ?? 0;
  return html`<p class="soft">${notes[again]}</p>
<form class="card entry-form" method="post" action="${isWhole ? `${path}/correct` : `${path}/rows/${line}`}">
${csrfField(call)}
${rows.map((row, n) => {
  const fields = rowFields(row, { prefix: isWhole ? `${row.attributes.SourceLine}/` : '', entered, isFirst: n === 0 });
  return isWhole ? html`<h2 class="card-body">Item ${row.attributes.SourceLine}</h2>${fields}` : fields;
})}
<p class="row card-body">
${button({ text: again === 'No' ? 'Save and import this row' : 'Send again', kind: 'primary' })}
${buttonLink({ text: 'Cancel', href: path })}
${again !== 'No' && html`<span class="muted small">Empty values are left out.</span>`}
</p>
</form>`;
}

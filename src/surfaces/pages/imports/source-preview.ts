import type { AnswerFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { banner } from '../design/banner.ts';
import { card } from '../design/card.ts';
import { table } from '../design/table.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { importPath, type ImportRow } from './import-display.ts';

/** A row of the source, as received and as mapped. */
type PreviewItem = AnswerFor<'importfile/preview'>['root']['children'][number];

/** Rows of the source that are shown. */
const ROWS_SHOWN = 10;

/**
 * Renders the first rows of the source, and what the import type's maps make of them. Shown only on request: the file
 * is decrypted for it and contains personal data.
 */
export async function previewSection(call: PageCall, file: ImportRow): Promise<Markup | false> {
  if (file.PreTransformID === null || !call.may('importfile/preview')) return false;
  const id = file.ImportFileID;
  const link = html`<a class="link" href="${importPath(id)}?Preview=true#preview">Show first rows</a>`;
  const isShown = call.query['Preview'] === 'true';
  return card({
    id: 'preview',
    title: 'First rows of the file',
    actions: !isShown && link,
    body: isShown && (await previewTables(call, id)),
  });
}

async function previewTables(call: PageCall, id: number): Promise<Markup> {
  try {
    const { answer } = await call.call('importfile/preview', { ID: id, DisplaySize: ROWS_SHOWN });
    const items = answer.root.children;
    if (items.length === 0) return html`<p class="card-body muted">The file has no rows.</p>`;
    const hasMaps = items.some((item) => mappedValues(item).size > 0);
    const mapped = html`<h3 class="card-body">As mapped</h3>
${valueTable(items, mappedValues, 'As mapped')}`;
    const unmapped = html`<p class="card-body muted">
  The import type has no maps: each column is the field of the same name.
</p>`;
    return html`<h3 class="card-body">As received</h3>
${valueTable(items, receivedValues, 'As received')}
${hasMaps ? mapped : unmapped}
${problems(items)}`;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return errorNote(error.masked());
  }
}

/** Returns a row's values as received, by their columns. */
function receivedValues({ children }: PreviewItem): ReadonlyMap<string, string> {
  return new Map(
    children.flatMap((node) => (node.name === 'Value' ? [[node.attributes.Source, node.value] as const] : [])),
  );
}

/** Returns a row's values as mapped, by the parameters that they are sent as. */
function mappedValues({ children }: PreviewItem): ReadonlyMap<string, string> {
  return new Map(
    children.flatMap((node) => (node.name === 'Parameter' ? [[node.attributes.Destination, node.value] as const] : [])),
  );
}

function lineOf({ attributes: { Sheet: sheet, SourceLine: line } }: PreviewItem): string {
  return `${sheet === undefined ? '' : `${sheet} `}${line}`;
}

function valueTable(
  items: readonly PreviewItem[],
  valuesOf: (item: PreviewItem) => ReadonlyMap<string, string>,
  label: string,
): Markup {
  const rows = items.map((item) => ({ line: lineOf(item), values: valuesOf(item) }));
  const columns = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
  return table({
    label,
    heads: ['Line', ...columns],
    rows: rows.map(({ line, values }) => {
      const cells = columns.map((column) => html`<td>${values.get(column)}</td>`);
      return html`<tr><th scope="row">${line}</th>${cells}</tr>\n`;
    }),
  });
}

function problems(items: readonly PreviewItem[]): Markup | false {
  const list = items.flatMap((item) =>
    item.children
      .filter(({ name }) => name === 'Problem')
      .map(({ value }) => html`<li>Line ${lineOf(item)}: ${value}</li>`),
  );
  return (
    list.length > 0 &&
    html`<div class="card-body">${banner({
      tone: 'warn',
      text: 'Some rows would be rejected:',
      more: html`<ul>${list}</ul>`,
    })}</div>`
  );
}

import type { Row, TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable } from '../components.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';
import { importPath } from './import-display.ts';

/** Rows of the source that are shown. */
const ROWS_SHOWN = 10;

/**
 * Renders the first rows of the source, and what the import type's maps make of them. Shown only on request: the file
 * is decrypted for it and contains personal data.
 */
export async function previewSection(call: PageCall, file: Row): Promise<Markup | false> {
  if (typeof file['PreTransformID'] !== 'number' || !call.may('importfile/preview') || call.query['Part'] === 'live')
    return false;
  const id = Number(file['ImportFileID']);
  const link = html`<p><a href="${importPath(id)}?Preview=true#preview">Show first rows</a></p>`;
  return html`<section aria-labelledby="preview">
<h2 id="preview">First rows of the file</h2>
${call.query['Preview'] === 'true' ? await previewTables(call, id) : link}
</section>`;
}

async function previewTables(call: PageCall, id: number): Promise<Markup> {
  try {
    const { answer } = await call.call('importfile/preview', { ID: String(id), DisplaySize: String(ROWS_SHOWN) });
    const items = answer.root.children;
    if (items.length === 0) return html`<p class="quiet">The file has no rows.</p>`;
    const hasMaps = items.some((item) => valuesOf(item, 'Parameter', 'Destination').size > 0);
    const mapped = html`<h3>As mapped</h3>
${valueTable(items, 'Parameter', 'Destination', 'As mapped')}`;
    const unmapped = html`<p class="quiet">The import type has no maps: each column is the field of the same name.</p>`;
    return html`<h3>As received</h3>
${valueTable(items, 'Value', 'Source', 'As received')}
${hasMaps ? mapped : unmapped}
${problems(items)}`;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return errorNote(error.masked());
  }
}

/** Returns a row's values of one kind, by the attribute that names them. */
function valuesOf(item: TreeNode, kind: string, nameAttribute: string): ReadonlyMap<string, string> {
  return new Map(
    (item.children ?? []).flatMap(({ name, attributes, value }) =>
      name === kind ? [[plainText(attributes?.[nameAttribute]), plainText(value)] as const] : [],
    ),
  );
}

function lineOf({ attributes }: TreeNode): string {
  const sheet = attributes?.['Sheet'];
  return `${sheet === undefined || sheet === null ? '' : `${sheet} `}${plainText(attributes?.['SourceLine'])}`;
}

function valueTable(items: readonly TreeNode[], kind: string, nameAttribute: string, label: string): Markup {
  const rows = items.map((item) => ({ line: lineOf(item), values: valuesOf(item, kind, nameAttribute) }));
  const columns = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
  return dataTable({
    label,
    className: 'source',
    heads: ['Line', ...columns],
    rows: rows.map(({ line, values }) => {
      const cells = columns.map((column) => html`<td>${values.get(column)}</td>`);
      return html`<tr><th scope="row">${line}</th>${cells}</tr>\n`;
    }),
  });
}

function problems(items: readonly TreeNode[]): Markup | false {
  const list = items.flatMap((item) =>
    (item.children ?? [])
      .filter(({ name }) => name === 'Problem')
      .map(({ value }) => html`<li>Line ${lineOf(item)}: ${plainText(value)}</li>`),
  );
  return list.length > 0 && html`<div class="note"><p>Some rows would be rejected:</p><ul>${list}</ul></div>`;
}

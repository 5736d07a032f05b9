import type { Row, TreeAnswer, TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { importPath } from './import-display.ts';

/** Rows of the source that are shown. */
const ROWS_SHOWN = 10;

/**
 * The first rows of the source, and what the template's maps make of them. Shown when it is asked for: the document is opened and
 * unsealed for it, and what stands in it is about people.
 */
export async function previewSection(call: PageCall, file: Row): Promise<Markup | false> {
  if (typeof file['PreTransformID'] !== 'number' || !call.may('importfile/preview') || call.query['Part'] === 'live')
    return false;
  const id = Number(file['ImportFileID']);
  const isAsked = call.query['Preview'] === 'true';
  return html`<section aria-labelledby="preview"><h2 id="preview">First rows of the document</h2>${isAsked ? await previewTables(call, id) : html`<p><a href="${importPath(id)}?Preview=true#preview">Show them</a></p>`}</section>`;
}

async function previewTables(call: PageCall, id: number): Promise<Markup> {
  try {
    const { answer } = await call.call('importfile/preview', { ID: String(id), DisplaySize: String(ROWS_SHOWN) });
    const items = (answer as TreeAnswer).root.children ?? [];
    if (items.length === 0) return html`<p class="quiet">It has no rows.</p>`;
    const hasMaps = items.some((item) => valuesOf(item, 'Parameter', 'Destination').size > 0);
    return html`<h3>As it was sent</h3>${valueTable(items, 'Value', 'Source', 'As it was sent')}
${hasMaps ? html`<h3>As the template brings it into records</h3>${valueTable(items, 'Parameter', 'Destination', 'As the template brings it into records')}` : html`<p class="quiet">The template has no maps: a column is the field of its name.</p>`}
${problems(items)}`;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return errorNote(error.masked());
  }
}

function valuesOf(item: TreeNode, kind: string, named: string): ReadonlyMap<string, string> {
  return new Map(
    (item.children ?? []).flatMap(({ name, attributes, value }) =>
      name === kind ? [[String(attributes?.[named] ?? ''), String(value ?? '')] as const] : [],
    ),
  );
}

function lineOf({ attributes }: TreeNode): string {
  const sheet = attributes?.['Sheet'];
  return `${sheet === undefined || sheet === null ? '' : `${sheet} `}${String(attributes?.['SourceLine'] ?? '')}`;
}

function valueTable(items: readonly TreeNode[], kind: string, named: string, caption: string): Markup {
  const rows = items.map((item) => ({ line: lineOf(item), values: valuesOf(item, kind, named) }));
  const columns = [...new Set(rows.flatMap(({ values }) => [...values.keys()]))];
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table class="source"><thead><tr><th scope="col">Line</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(({ line, values }) => html`<tr><th scope="row">${line}</th>${columns.map((column) => html`<td>${values.get(column) ?? ''}</td>`)}</tr>\n`)}</tbody></table></div>`;
}

function problems(items: readonly TreeNode[]): Markup | false {
  const found = items.flatMap((item) =>
    (item.children ?? [])
      .filter(({ name }) => name === 'Problem')
      .map(({ value }) => html`<li>Line ${lineOf(item)}: ${String(value ?? '')}</li>`),
  );
  return found.length > 0 && html`<div class="note"><p>The template refuses some of them:</p><ul>${found}</ul></div>`;
}

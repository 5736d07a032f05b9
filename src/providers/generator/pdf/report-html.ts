import type { TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { fieldLabel, wordsOf } from '../../../kernel/declare/labels.ts';
import { escapeText } from '../../../kernel/xml/element.ts';
import { fieldText, type Writing } from '../mail-merge/values.ts';

/** Most rows of a report: the whole of it is laid out in memory. */
const ROWS_MAX = 20_000;

const STYLE =
  'body{font:10pt/1.4 "DejaVu Sans",Arial,sans-serif;color:#1a1a1a}h1{font-size:18pt;margin:0 0 12pt}' +
  'h2{font-size:12pt;margin:18pt 0 6pt;break-after:avoid}table{border-collapse:collapse;width:100%}' +
  'th,td{text-align:left;vertical-align:top;padding:3pt 6pt;border-bottom:.5pt solid #c8c8c8}' +
  'td{overflow-wrap:anywhere}' +
  'thead{display:table-header-group}tr{break-inside:avoid}th{font-weight:600}.number{text-align:right}' +
  '.fields th{width:32%;font-weight:400;color:#555}.empty{color:#555}';

/**
 * Returns data as HTML: a heading, the fields of the record, and a table for each of its collections. Throws TOO_LARGE
 * for more than {@link ROWS_MAX} rows.
 */
export function reportHtml(tree: TreeNode, writing: Writing): string {
  const lists = (tree.children ?? []).filter(({ list }) => list === true);
  const rows = lists.reduce((sum, { children = [] }) => sum + children.length, 0);
  if (rows > ROWS_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `The report has ${rows} rows; at most ${ROWS_MAX} are printed. Use a spreadsheet for more.`,
    });
  const title = wordsOf(tree.name.replace(/(?:Item|Tree)$/, ''));
  return (
    `<html lang="${escapeText(writing.locale)}"><head><title>${escapeText(title)}</title>` +
    `<style>${STYLE}</style></head>` +
    `<body><h1>${escapeText(title)}</h1>${fieldsHtml(tree, writing)}` +
    `${lists.map((list) => listHtml(list, writing)).join('')}</body></html>`
  );
}

function leavesOf({ children = [] }: TreeNode): readonly TreeNode[] {
  return children.filter(({ children: below, list }) => below === undefined && list !== true);
}

function labelOf({ name, field }: TreeNode): string {
  return escapeText(fieldLabel(name, field ?? {}));
}

function valueHtml(node: TreeNode, name: string, writing: Writing): string {
  const text = fieldText({ node, outer: undefined, index: 1, count: 1 }, [name], [], writing);
  return escapeText(text).replace(/\r\n|\n|\r/g, '<br>');
}

function fieldsHtml(tree: TreeNode, writing: Writing): string {
  const rows = leavesOf(tree).map(
    (leaf) => `<tr><th scope="row">${labelOf(leaf)}</th><td>${valueHtml(tree, leaf.name, writing)}</td></tr>`,
  );
  return rows.length === 0 ? '' : `<table class="fields"><tbody>${rows.join('')}</tbody></table>`;
}

const NUMBERS: ReadonlySet<string> = new Set(['money', 'decimal', 'integer']);

function listHtml({ name, children: items = [] }: TreeNode, writing: Writing): string {
  const columns = new Map<string, TreeNode>();
  for (const item of items)
    for (const leaf of leavesOf(item)) if (!columns.has(leaf.name)) columns.set(leaf.name, leaf);
  const heading = `<h2>${escapeText(wordsOf(name.replace(/Collection$/, '')))}</h2>`;
  if (columns.size === 0) return `${heading}<p class="empty">None</p>`;
  const classOf = ({ field }: TreeNode): string => (NUMBERS.has(field?.kind ?? '') ? ' class="number"' : '');
  const heads = [...columns.values()].map((leaf) => `<th scope="col"${classOf(leaf)}>${labelOf(leaf)}</th>`);
  const rows = items.map((item) => {
    const cells = [...columns].map(([column, leaf]) => `<td${classOf(leaf)}>${valueHtml(item, column, writing)}</td>`);
    return `<tr>${cells.join('')}</tr>`;
  });
  return `${heading}<table><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

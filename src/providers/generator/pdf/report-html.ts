import type { TreeNode } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { fieldLabel, pluralOf, wordsOf } from '../../../kernel/declare/labels.ts';
import { escapeText } from '../../../kernel/xml/element.ts';
import { fieldText, type Writing } from '../mail-merge/values.ts';
import { columnsOf, labelIndex, reportFields, type LabelIndex } from './report-fields.ts';

/** Most rows of a report: the whole of it is laid out in memory. */
const ROWS_MAX = 20_000;
/** Most columns of a table; further values of a row are in a line below it. */
const COLUMNS_MAX = 6;
/** Longest value in a column, in characters; longer ones are in the line below. */
const COLUMN_CHARACTERS_MAX = 60;
/** How deep linked records are shown: of a case its loan, and of that its property. */
const LINK_DEPTH_MAX = 2;
/** Characters of a word after which it may be broken. */
const WORD_CHARACTERS = 18;

const STYLE =
  'body{font:9.5pt/1.4 "DejaVu Sans",Arial,sans-serif;color:#1a1a1a}h1{font-size:18pt;margin:0}' +
  'h2{font-size:12pt;margin:18pt 0 4pt;break-after:avoid}.date{color:#555;margin:2pt 0 12pt}' +
  'table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:3pt 8pt 3pt 0}' +
  'thead{display:table-header-group}thead th{border-bottom:.75pt solid #777}th{font-weight:600}' +
  'tbody{break-inside:avoid}tbody tr:last-child>*{border-bottom:.5pt solid #c8c8c8}.more td{padding-top:0;color:#444}' +
  '.number{text-align:right;white-space:nowrap}.date-cell{white-space:nowrap}.more b{font-weight:400;color:#666}' +
  '.fields th{width:32%;font-weight:400;color:#555}.empty{color:#555}';

/** What sections of a report share. */
interface Report {
  readonly writing: Writing;
  readonly labels: LabelIndex;
}

/**
 * Returns data as HTML: the fields of the record, of the records that it links to, and a table for each collection,
 * with names instead of record numbers and without what only the platform uses. Throws TOO_LARGE for more than
 * {@link ROWS_MAX} rows.
 */
export function reportHtml(tree: TreeNode, writing: Writing): string {
  const rows = rowsIn(tree, 0);
  if (rows > ROWS_MAX)
    throw new PlatformError('TOO_LARGE', {
      message: `The report has ${rows} rows; at most ${ROWS_MAX} are printed. Use a spreadsheet for more.`,
    });
  const report: Report = { writing, labels: labelIndex(tree) };
  const title = titleOf(tree);
  const day = fieldText({ node: tree, outer: undefined, index: 1, count: 1 }, ['@today'], [], writing);
  return (
    `<html lang="${escapeText(writing.locale)}"><head><title>${escapeText(title)}</title>` +
    `<style>${STYLE}</style></head>` +
    `<body><h1>${escapeText(title)}</h1><p class="date">${escapeText(day)}</p>` +
    `${recordHtml(tree, report, 0)}</body></html>`
  );
}

/** Returns the title: the kind of the data, with the name of the record if it is one. */
function titleOf({ name, children = [] }: TreeNode): string {
  const kind = name.replace(/(?:Item|Tree)$/, '');
  const own = children.find((child) => child.name === kind)?.value;
  const words = kind === 'Data' ? 'Report' : wordsOf(kind);
  return typeof own === 'string' && own !== '' ? `${words} ${own}` : words;
}

function listsOf({ children = [] }: TreeNode, depth: number): readonly TreeNode[] {
  if (depth >= LINK_DEPTH_MAX) return [];
  const shown = children.filter(({ list, name }) => list === true && !INTERNAL_LISTS.has(name));
  // A summary can have a collection under two names.
  const taken = new Set<TreeNode['children']>();
  const names = new Set<string>();
  return shown.filter((list) => {
    const ids = (list.children ?? []).map((item) => `${item.name} ${String(item.children?.[1]?.value)}`).join();
    if (taken.has(list.children) || (ids !== '' && names.has(ids))) return false;
    taken.add(list.children);
    names.add(ids);
    return true;
  });
}

/** Collections of what the platform has done. */
const INTERNAL_LISTS: ReadonlySet<string> = new Set([
  'ImportFiles',
  'ImportLogs',
  'ObjectSubscriptions',
  'Processes',
  'Methods',
]);

function linksOf({ children = [] }: TreeNode, depth: number): readonly TreeNode[] {
  if (depth >= LINK_DEPTH_MAX) return [];
  return children.filter(({ children: below, list }) => below !== undefined && list !== true);
}

function rowsIn(node: TreeNode, depth: number): number {
  const own = listsOf(node, depth).reduce((sum, { children = [] }) => sum + children.length, 0);
  return linksOf(node, depth).reduce((sum, link) => sum + rowsIn(link, depth + 1), own);
}

/** Returns the fields of a record, then the records that it links to, then its collections. */
function recordHtml(node: TreeNode, report: Report, depth: number): string {
  const links = linksOf(node, depth).map((link) => {
    const inner = recordHtml(link, report, depth + 1);
    return inner === '' ? '' : `<h2>${escapeText(wordsOf(link.name))}</h2>${inner}`;
  });
  const lists = listsOf(node, depth).map((list) => listHtml(list, report));
  return `${fieldsHtml(node, report)}${links.join('')}${lists.join('')}`;
}

/** Returns the text of a value: the name of a record, or the value as its type is written. */
function textOf(node: TreeNode, leaf: TreeNode, { labels, writing }: Report, isShort: boolean): string {
  const named = labels.get(leaf);
  if (named !== undefined) return named;
  const formats = isShort && leaf.field?.kind === 'timestamp' ? [{ name: 'date', argument: 'MMM d, yyyy' }] : [];
  return fieldText({ node, outer: undefined, index: 1, count: 1 }, [leaf.name], formats, writing);
}

/** Escapes a text; long words can be broken, so that no table is wider than its page. */
function textHtml(text: string): string {
  return escapeText(text)
    .replace(/[^\s&;<>]{19,}/g, (word) => word.replaceAll(new RegExp(`(.{${WORD_CHARACTERS}})`, 'gu'), '$1<wbr>'))
    .replace(/\r\n|\n|\r/g, '<br>');
}

function fieldsHtml(node: TreeNode, report: Report): string {
  const shown = new Set<string>();
  const rows = reportFields(node, report.labels).flatMap((leaf) => {
    const text = textOf(node, leaf, report, false);
    const label = fieldLabel(leaf.name, leaf.field ?? {});
    const key = `${label}\n${text}`;
    if (text === '' || leaf.name === 'CreatedDate' || shown.has(key)) return [];
    shown.add(key);
    return `<tbody><tr><th scope="row">${escapeText(label)}</th><td>${textHtml(text)}</td></tr></tbody>`;
  });
  return rows.length === 0 ? '' : `<table class="fields">${rows.join('')}</table>`;
}

const NUMBERS: ReadonlySet<string> = new Set(['money', 'decimal', 'integer']);

function classOf({ field }: TreeNode): string {
  if (NUMBERS.has(field?.kind ?? '')) return ' class="number"';
  return field?.kind === 'date' || field?.kind === 'timestamp' ? ' class="date-cell"' : '';
}

function listHtml(list: TreeNode, report: Report): string {
  const { name, children: items = [] } = list;
  const heading = `<h2>${escapeText(headingOf(list))}</h2>`;
  if (items.length === 0) return `${heading}<p class="empty">None</p>`;
  const all = columnsOf(items, report.labels).filter(({ name: column }) => column !== name);
  const isLong = ({ name: column }: TreeNode): boolean =>
    items.some((item) => {
      const leaf = item.children?.find((each) => each.name === column);
      return leaf !== undefined && textOf(item, leaf, report, true).length > COLUMN_CHARACTERS_MAX;
    });
  const columns = all.filter((column) => !isLong(column)).slice(0, COLUMNS_MAX);
  const rest = all.filter((column) => !columns.includes(column));
  const heads = columns.map(
    (leaf) => `<th scope="col"${classOf(leaf)}>${escapeText(fieldLabel(leaf.name, leaf.field ?? {}))}</th>`,
  );
  const bodies = items.map((item) => rowHtml(item, { columns, rest }, report));
  return `${heading}<table><thead><tr>${heads.join('')}</tr></thead>${bodies.join('')}</table>`;
}

/** Returns what people call a collection; of one named after its records, as the label of their name says: Tasks. */
function headingOf({ name, children: [first] = [] }: TreeNode): string {
  const record = first?.name.replace(/Item$/, '') ?? '';
  const leaf = first?.children?.find((child) => child.name === record);
  const words = wordsOf(name.replace(/Collection$/, ''));
  const isOwn = name === pluralOf(record) || name === `${record}Collection`;
  return isOwn && leaf?.field?.label !== undefined ? pluralOf(leaf.field.label) : words;
}

/** Returns an item as a row, with a line below it for what has no column. */
function rowHtml(
  item: TreeNode,
  { columns, rest }: { readonly columns: readonly TreeNode[]; readonly rest: readonly TreeNode[] },
  report: Report,
): string {
  const textIn = (column: TreeNode): string => {
    const leaf = item.children?.find(({ name }) => name === column.name);
    return leaf === undefined ? '' : textOf(item, leaf, report, true);
  };
  const cells = columns.map((column) => `<td${classOf(column)}>${textHtml(textIn(column))}</td>`);
  const more = rest.flatMap((column) => {
    const text = textIn(column);
    const label = escapeText(fieldLabel(column.name, column.field ?? {}));
    return text === '' ? [] : [`<b>${label}:</b> ${textHtml(text)}`];
  });
  const below =
    more.length === 0 ? '' : `<tr class="more"><td colspan="${columns.length}">${more.join(' &#160; ')}</td></tr>`;
  return `<tbody><tr>${cells.join('')}</tr>${below}</tbody>`;
}

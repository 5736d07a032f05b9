import type { Answer, Row, Shape, TreeNode } from '../door/answer.ts';
import type { Alert, PlatformError } from '../door/errors.ts';
import type { Field } from '../declare/field-types.ts';
import { valueText } from '../parameters/value-text.ts';
import { html, type Markup } from './markup.ts';
import { XML_DECLARATION } from './xml.ts';

/** The two spellings of a page: HTML, and the same as well-formed XML. */
export type PageSpelling = 'Html' | 'XHtml';

/** Content security policy of an answer's page: only the built-in style; no scripts, requests or forms. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Content security policy of a page made by a stylesheet: only inline styles and pictures. The page is sandboxed from
 * the platform's origin. Whatever the stylesheet or its data contain, nothing runs or is sent, and no other page of the
 * platform is accessible.
 */
export const TRANSFORM_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; sandbox";

/** Renders an answer as a page: alerts first, a list as a table, a record as fields, a tree as nested fields. */
export function toHtml(
  answer: Exclude<Answer, { kind: 'content' }>,
  alerts: readonly Alert[],
  spelling: PageSpelling,
): string {
  const heading = headingOf(answer);
  return page(
    spelling,
    heading,
    html`<h1>${heading}</h1>
${alertsHtml(alerts)}
${bodyHtml(answer)}`,
  );
}

/** Renders an error as a page: the message first, then the facts that help to find it again. */
export function errorHtml(error: PlatformError, correlationId: string, spelling: PageSpelling): string {
  const heading = error.status >= 500 ? 'The call failed' : 'The call was refused';
  const facts: [string, unknown][] = [
    ['Code', error.code],
    ['Status', error.status],
    ['Field', error.field],
    ['CorrelationID', correlationId],
    ...Object.entries(error.details ?? {}),
  ];
  const fields = facts
    .filter(([, value]) => hasValue(value))
    .map(([name, value]) => fieldHtml(name, valueHtml(undefined, value)));
  return page(
    spelling,
    `${error.code}: ${heading}`,
    html`<h1>${heading}</h1>
<p class="lead">${error.message}</p>
${alertsHtml(error.alerts)}
<dl class="record">
${fields}</dl>`,
  );
}

function page(spelling: PageSpelling, title: string, body: Markup): string {
  const language =
    spelling === 'XHtml' ? html` xmlns="http://www.w3.org/1999/xhtml" lang="en" xml:lang="en"` : html` lang="en"`;
  return html`${{ markup: spelling === 'XHtml' ? XML_DECLARATION : '<!doctype html>\n' }}<html${language}>
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>${title} · Casewright</title>
<link rel="stylesheet" href="/style.css"/>
</head>
<body class="answer">
<header><a href="/">Casewright</a></header>
<main>
${body}
</main>
</body>
</html>
`.markup;
}

function headingOf(answer: Exclude<Answer, { kind: 'content' }>): string {
  switch (answer.kind) {
    case 'item':
    case 'list':
      return answer.name;
    case 'tree':
      return answer.root.name;
    case 'nothing':
      return 'Done';
  }
}

function bodyHtml(answer: Exclude<Answer, { kind: 'content' }>): Markup {
  switch (answer.kind) {
    case 'item':
      return recordHtml(answer.shape, answer.row as Row);
    case 'list':
      return tableHtml(answer.name, answer.shape, answer.rows as readonly Row[]);
    case 'tree':
      return nodeHtml(answer.root);
    case 'nothing':
      return html`<p>The call was carried out; it answers nothing.</p>`;
  }
}

function alertsHtml(alerts: readonly Alert[]): Markup | null {
  if (alerts.length === 0) return null;
  return html`<section class="note" role="status" aria-labelledby="alerts">
<h2 id="alerts">Alerts</h2>
<ul>
${alerts.map(alertHtml)}</ul>
</section>`;
}

function alertHtml({ code, text, id }: Alert): Markup {
  return html`<li><strong>${code}</strong>${id === undefined ? null : html` (${id})`}: ${text}</li>\n`;
}

/** Renders a record's fields. Omits fields without a value, as the other formats do. */
function recordHtml(shape: Shape, row: Row): Markup {
  const filled = shape.filter(({ name }) => hasValue(row[name]));
  return html`<dl class="record">
${filled.map(({ name, field }) => fieldHtml(name, valueHtml(field, row[name])))}</dl>`;
}

function fieldHtml(name: string, value: Markup): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`;
}

/** Columns that describe the whole list rather than one row. */
const counts = new Set(['RecordCount', 'RecordCountIsEstimate', 'NextCursor']);

function tableHtml(name: string, shape: Shape, rows: readonly Row[]): Markup {
  const own = shape.filter((column) => !counts.has(column.name));
  const shown = rows.length === 0 ? own : own.filter((column) => rows.some((row) => hasValue(row[column.name])));
  const empty = own.filter((column) => !shown.includes(column)).map((column) => column.name);
  const rowHtml = (row: Row): Markup =>
    html`<tr>${shown.map((column, at) => cellHtml(column.field, row[column.name], at === 0))}</tr>\n`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${name}">
<table>
<caption>${captionOf(rows)}</caption>
<thead>
<tr>${shown.map((column) => html`<th scope="col"${alignment(column.field)}>${column.name}</th>`)}</tr>
</thead>
<tbody>
${rows.map(rowHtml)}</tbody>
</table>
</div>
${empty.length > 0 ? html`<p class="quiet">Without a value in any row: ${empty.join(', ')}.</p>` : null}`;
}

function captionOf(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return 'Nothing was found.';
  const shown = rows.length === 1 ? '1 row' : `${rows.length} rows`;
  const { RecordCount: total, RecordCountIsEstimate: estimate } = first;
  return hasValue(total) && Number(total) !== rows.length
    ? `${shown} of ${estimate === true ? 'about ' : ''}${String(total)}`
    : shown;
}

/** Renders a cell. The first cell of a row is its header. */
function cellHtml(field: Field | undefined, value: unknown, isHeader: boolean): Markup {
  const shown = hasValue(value) ? valueHtml(field, value) : null;
  return isHeader ? html`<th scope="row"${alignment(field)}>${shown}</th>` : html`<td${alignment(field)}>${shown}</td>`;
}

function alignment(field: Field | undefined): Markup | null {
  return field && ['integer', 'decimal', 'money'].includes(field.kind) ? html` class="number"` : null;
}

/** Renders a node's attributes and children as fields, which may be nested. */
function nodeHtml(node: TreeNode): Markup {
  const attributes = Object.entries(node.attributes ?? {}).filter(([, value]) => hasValue(value));
  const children = node.children ?? [];
  if (attributes.length === 0 && children.length === 0) return leafHtml(node);
  const own = hasValue(node.value) || node.xml !== undefined ? fieldHtml('Value', leafHtml(node)) : null;
  if (attributes.length === 0 && !own && isTable(children)) return nodesTable(node.name, children);
  const fields = [
    ...attributes.map(([name, value]) => fieldHtml(name, valueHtml(undefined, value))),
    own,
    ...children.map((child) => fieldHtml(child.name, nodeHtml(child))),
  ];
  return html`<dl class="record">
${fields}</dl>`;
}

function leafHtml(node: TreeNode): Markup {
  if (node.xml !== undefined) return html`<code>${node.xml}</code>`;
  return hasValue(node.value) ? valueHtml(node.field, node.value) : html``;
}

/** Whether nodes can be rows of a table: they have the same name, and their children are plain values. */
function isTable(nodes: readonly TreeNode[]): boolean {
  const [first] = nodes;
  return (
    nodes.length > 1 &&
    nodes.every(
      (node) =>
        node.name === first?.name &&
        node.xml === undefined &&
        !hasValue(node.value) &&
        (node.children ?? []).length > 0 &&
        (node.children ?? []).every(isPlain) &&
        hasEachOnce(node),
    )
  );
}

function isPlain(node: TreeNode): boolean {
  return (
    node.xml === undefined &&
    (node.children ?? []).length === 0 &&
    Object.values(node.attributes ?? {}).every((value) => !hasValue(value))
  );
}

function hasEachOnce(node: TreeNode): boolean {
  const names = [...Object.keys(node.attributes ?? {}), ...(node.children ?? []).map((child) => child.name)];
  return new Set(names).size === names.length;
}

function nodesTable(name: string, nodes: readonly TreeNode[]): Markup {
  const fields = new Map<string, Field | undefined>();
  const rows = nodes.map((node) => {
    const row: Record<string, unknown> = { ...node.attributes };
    for (const attribute in row) if (!fields.has(attribute)) fields.set(attribute, undefined);
    for (const child of node.children ?? []) {
      fields.set(child.name, fields.get(child.name) ?? child.field);
      row[child.name] = child.value;
    }
    return row;
  });
  const columns = [...fields].filter(([column]) => rows.some((row) => hasValue(row[column])));
  const rowHtml = (row: Row): Markup =>
    html`<tr>${columns.map(([column, field], at) => cellHtml(field, row[column], at === 0))}</tr>\n`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${name}">
<table>
<caption>${captionOf(rows.map(() => ({})))}</caption>
<thead>
<tr>${columns.map(([column, field]) => html`<th scope="col"${alignment(field)}>${column}</th>`)}</tr>
</thead>
<tbody>
${rows.map(rowHtml)}</tbody>
</table>
</div>`;
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function booleanText(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'Yes' : 'No';
}

/** Returns a value as people read it, and exact: no digit is added or rounded away. */
function valueHtml(field: Field | undefined, value: unknown): Markup {
  if (Array.isArray(value)) return html`${value.map(String).join(', ')}`;
  if (typeof value === 'object') return html`<code>${JSON.stringify(value)}</code>`;
  const text = valueText(value);
  switch (field?.kind) {
    case 'boolean':
      return html`${booleanText(value) ?? text}`;
    case 'date':
      return html`<time datetime="${text}">${text}</time>`;
    case 'timestamp': {
      const shown = text.replace(/^(\d{4}-\d\d-\d\d)T([\d:]+)(?:\.0+)?(\.\d+)?Z$/, '$1 $2$3 UTC');
      return html`<time datetime="${text}">${shown}</time>`;
    }
    case 'xml':
    case 'json':
      return html`<code>${text}</code>`;
    default:
      return html`${text}`;
  }
}

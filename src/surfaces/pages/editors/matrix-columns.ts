import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { GridColumn, GridEdit } from '../../../lib/decision-tables/grid.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { selectField, textField, type Choice } from '../design/field.ts';
import { table } from '../design/table.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import type { SentFinding } from '../shared/matrix-cell.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { readDraft, type MatrixDraft } from './matrix-draft.ts';
import { answerQuestion, questionPage } from './question-page.ts';

/** Rows that a warning lists. */
const ROWS_LISTED_MAX = 8;

/** What cells of inputs and outputs can be. Empty: each cell is read by its form, outputs as text. */
const types: Readonly<Record<GridColumn['kind'], readonly Choice[]>> = {
  Input: [
    { value: '', text: 'Detected in each cell' },
    { value: 'Text', text: 'Text: values and lists of values' },
    { value: 'Number', text: 'Number: values, ranges, and bounds such as > 100' },
    { value: 'Date', text: 'Date: days, ranges of days, and bounds' },
  ],
  Output: [
    { value: '', text: 'Text, as written' },
    { value: 'Text', text: 'Text' },
    { value: 'Number', text: 'Number' },
    { value: 'Money', text: 'Amount' },
    { value: 'Date', text: 'Date' },
    { value: 'Boolean', text: 'Yes or no' },
    { value: 'Object', text: 'Record of a type' },
  ],
};

const typeText = ({ kind, type, objectType }: GridColumn): string => {
  if (type === 'Object') return `Record: ${objectType ?? ''}`;
  const { text } = types[kind].find(({ value }) => value === (type ?? '')) ?? {};
  return typeof text === 'string' ? (text.split(':')[0] ?? '') : '';
};

async function columnsAnswer(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const { grid, name, address, published, differences, mayEdit } = draft;
  const rows = grid.columns.map((column, at) => columnRow(call, draft, column, at));
  const heads = [
    'Column',
    'Kind',
    'Values',
    { text: 'Weight', isNumber: true },
    { text: 'Filled rows', isNumber: true },
    { text: 'Actions', isHidden: true },
  ];
  const { length } = differences.columns;
  return {
    title: `Columns of ${name}`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, 'Columns'),
    status: refusal?.status ?? 200,
    body: html`<div class="page wide"><header class="page-head"><h1>Columns of ${name}</h1>${buttonLink({
      text: 'Open the editor',
      href: address,
    })}</header>
${refusal && banner({ tone: 'danger', role: 'alert', text: refusal.message })}
<p class="soft">Changes are part of the draft: lookups use v${published} until you publish it.${
      length > 0 && ` The draft has ${length} ${length === 1 ? 'change' : 'changes'} of columns.`
    }</p>
${table({ label: 'Columns', heads, rows })}
${mayEdit && addForm(call, draft)}</div>`,
  };
}

function columnRow(call: PageCall, draft: MatrixDraft, column: GridColumn, at: number): Markup {
  const { grid, address, version, mayEdit } = draft;
  const { columns } = grid;
  const { kind, name, formerName, weight } = column;
  const filled = grid.rows.filter((row) => row[at] !== '').length;
  const move = (to: number, text: string, icon: 'arrowUp' | 'arrowDown'): Markup =>
    button({
      text,
      icon,
      iconOnly: true,
      kind: 'quiet',
      of: name,
      name: 'Move',
      value: `${at} ${to}`,
      disabledReason: columns[to]?.kind === kind ? undefined : `It is at the end of the ${kind.toLowerCase()}s.`,
      attributes: call.query['At'] === `${to > at ? 'down' : 'up'} ${at}` && html`autofocus`,
    });
  return html`<tr><th scope="row"><bdi>${name}</bdi>${
    formerName !== undefined && html` <span class="small muted">was <bdi>${formerName}</bdi></span>`
  }</th><td>${badge(kind, kind === 'Input' ? 'neutral' : 'accent')}</td><td>${typeText(column)}</td>
<td class="number">${weight}</td><td class="number">${filled} of ${grid.rows.length}</td><td>${
    mayEdit &&
    html`<form method="post" class="row">${csrfField(call)}<input type="hidden" name="Version"
value="${version}">${move(at - 1, 'Move up', 'arrowUp')}${move(at + 1, 'Move down', 'arrowDown')}${buttonLink({
      text: 'Change',
      kind: 'quiet',
      href: `${address}/columns/${at + 1}`,
      of: name,
    })}${buttonLink({ text: 'Remove', kind: 'quiet', href: `${address}/columns/${at + 1}/remove`, of: name })}</form>`
  }</td></tr>`;
}

function addForm(call: PageCall, { version }: MatrixDraft): Markup {
  const kinds: readonly Choice[] = [
    { value: 'Input', text: 'Input: a condition of rows' },
    { value: 'Output', text: 'Output: what a row decides' },
  ];
  return html`<section aria-labelledby="add-column"><h2 id="add-column">Add a column</h2>
<form method="post" class="row wrap align-end">${csrfField(call)}<input type="hidden" name="Version" value="${version}">
${textField({ label: 'Name', name: 'Name', isRequired: true, value: plainText(call.form['Name']) })}
${selectField({ label: 'Kind', name: 'Kind', choices: kinds, value: plainText(call.form['Kind']) || 'Input' })}
${button({ text: 'Add', icon: 'plus', name: 'Add', value: 'true' })}</form>
<p class="field-hint">Rows get an empty cell, which matches anything in an input. Choose the kind of values next.</p>
</section>`;
}

/** Lists the columns of a matrix, with forms to add and move them. */
export const matrixColumnsPage = page((call) => columnsAnswer(call));

/** Adds or moves a column. */
export const changeMatrixColumns = answerQuestion(columnsAnswer, async (call) => {
  const draft = await readDraft(call);
  const { columns } = draft.grid;
  const address = `${draft.address}/columns`;
  const move = plainText(call.form['Move']);
  if (move !== '') {
    const [from = 0, to = 0] = move.split(' ').map(Number);
    await saveEdits(call, draft, [{ kind: 'moveColumn', from, to }]);
    return `${address}?At=${to > from ? 'down' : 'up'}+${to}`;
  }
  const kind = plainText(call.form['Kind']) === 'Output' ? 'Output' : 'Input';
  const inputs = columns.filter((column) => column.kind === 'Input').length;
  const at = kind === 'Input' ? inputs : columns.length;
  const name = plainText(call.form['Name']).trim();
  const column: GridColumn = { kind, name, weight: kind === 'Input' ? '1' : null, type: null, objectType: null };
  await saveEdits(call, draft, [{ kind: 'addColumn', at, column }]);
  return `${address}/${at + 1}`;
});

async function saveEdits(call: PageCall, { id }: MatrixDraft, edits: readonly GridEdit[]): Promise<void> {
  await call.call('matrix/savedraft', {
    ID: id,
    Version: plainText(call.form['Version']),
    Edits: JSON.stringify(edits),
  });
}

/** Returns the column that the address names, with its place. @throws NOT_FOUND */
function columnOf(call: PageCall, { grid }: MatrixDraft): { readonly column: GridColumn; readonly at: number } {
  const at = Number(call.path['column']) - 1;
  const column = grid.columns[at];
  if (!column) throw new PlatformError('NOT_FOUND');
  return { column, at };
}

/** Returns the edits that a form of a column requests. */
function columnEdits(call: PageCall, { column, at }: ReturnType<typeof columnOf>): readonly GridEdit[] {
  const sent = (name: string, now: string): string =>
    call.form[name] === undefined ? now : plainText(call.form[name]).trim();
  const name = sent('Name', column.name);
  const type = sent('Type', column.type ?? '');
  const objectType = type === 'Object' ? sent('ObjectType', column.objectType ?? '') : '';
  const weight = sent('Weight', column.weight ?? '');
  return [
    ...(name === column.name ? [] : [{ kind: 'renameColumn' as const, column: at, name }]),
    ...(type === (column.type ?? '') && objectType === (column.objectType ?? '')
      ? []
      : [{ kind: 'typeColumn' as const, column: at, type: type || null, objectType: objectType || null }]),
    ...(column.kind === 'Output' || weight === column.weight ? [] : [{ kind: 'weight' as const, column: at, weight }]),
  ];
}

async function columnAnswer(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const { column, at } = columnOf(call, draft);
  const edits = columnEdits(call, { column, at });
  const effect = !refusal && edits.length > 0 ? await effectOf(call, draft, { edits, name: column.name }) : undefined;
  const sent = (name: string, now: string | null): string => plainText(call.form[name] ?? now);
  return questionPage(
    call,
    {
      crumbs: matrixCrumbs(draft, column.name),
      version: draft.version,
      back: { text: 'Back to the columns', href: `${draft.address}/columns` },
    },
    {
      title: `Change the ${column.kind.toLowerCase()} ${column.name}`,
      body: html`${effect}
${textField({
  label: 'Name',
  name: 'Name',
  isRequired: true,
  value: sent('Name', column.name),
  hint: nameHint(column),
})}
${selectField({ label: 'Values', name: 'Type', choices: types[column.kind], value: sent('Type', column.type) })}
${
  column.kind === 'Output' &&
  textField({
    label: 'Type of record',
    name: 'ObjectType',
    value: sent('ObjectType', column.objectType),
    hint: 'For records only, such as MessageTemplate.',
  })
}
${
  column.kind === 'Input' &&
  textField({
    label: 'Weight',
    name: 'Weight',
    value: sent('Weight', column.weight),
    hint: 'What a match adds to a row.',
  })
}${effect && html`<input type="hidden" name="Confirmed" value="true">`}`,
      action: button({ text: effect ? 'Change anyway' : 'Change', kind: 'primary' }),
    },
    refusal,
  );
}

function nameHint({ kind }: GridColumn): string {
  return kind === 'Input'
    ? 'Lookups send the value under this name, without spaces. Cells stay as they are.'
    : 'Results have it under this name, without spaces. Cells stay as they are.';
}

/** Returns what edits do to the cells of a column, from a trial that stores nothing; undefined if they all stay. */
async function effectOf(
  call: PageCall,
  draft: MatrixDraft,
  { edits, name }: { readonly edits: readonly GridEdit[]; readonly name: string },
): Promise<Markup | undefined> {
  const { answer } = await call.call('matrix/savedraft', {
    ID: draft.id,
    Version: draft.version,
    Edits: JSON.stringify(edits),
    Try: true,
  });
  const renamed = edits.find((edit) => edit.kind === 'renameColumn');
  const own = [name, renamed?.kind === 'renameColumn' ? renamed.name : name];
  const isUnreadable = ({ Finding, Input, Output }: SentFinding): boolean =>
    Finding === 'Unreadable' && own.includes(Input ?? Output ?? '');
  const rows = (answer.row.Findings as readonly SentFinding[]).filter(isUnreadable).map(({ Row }) => Row);
  if (rows.length === 0) return undefined;
  const listed = rows.slice(0, ROWS_LISTED_MAX).join(', ');
  const more = rows.length > ROWS_LISTED_MAX ? ', …' : '';
  return banner({
    tone: 'warn',
    role: 'alert',
    text: `${rows.length} of ${draft.grid.rows.length} cells cannot be read this way: rows ${listed}${more}.`,
    more: html`<p>Their text is unchanged. Correct them before you publish the draft.</p>`,
  });
}

/** Shows the form of a column. */
export const matrixColumnPage = page((call) => columnAnswer(call));

/** Changes a column. The user confirms a change that makes cells unreadable. */
export const changeMatrixColumn = page(async (call): Promise<PageAnswer> => {
  const draft = await readDraft(call);
  const { column, at } = columnOf(call, draft);
  const edits = columnEdits(call, { column, at });
  const isConfirmed = plainText(call.form['Confirmed']) === 'true';
  return confirmed(call, async () => {
    if (!isConfirmed && (await effectOf(call, draft, { edits, name: column.name }))) return undefined;
    if (edits.length > 0) await saveEdits(call, draft, edits);
    return `${draft.address}/columns`;
  });
});

/** Goes where `act` says, or shows the form again: with its question if it says nothing, or with the refusal. */
async function confirmed(call: PageCall, act: () => Promise<string | undefined>): Promise<PageAnswer> {
  try {
    const redirectTo = await act();
    return redirectTo === undefined ? await columnAnswer(call) : { redirectTo };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return columnAnswer(call, error.masked());
  }
}

async function askToRemove(call: PageCall, refusal?: PlatformError): Promise<PageAnswer> {
  const draft = await readDraft(call);
  const { column, at } = columnOf(call, draft);
  const { rows } = draft.grid;
  const filled = rows.filter((row) => row[at] !== '').length;
  const others = new Set(rows.map((row) => JSON.stringify(conditionsOf(draft, row, at))));
  const same = column.kind === 'Input' ? rows.length - others.size : 0;
  return questionPage(
    call,
    {
      crumbs: matrixCrumbs(draft, `Remove ${column.name}`),
      version: draft.version,
      back: { text: 'Back to the columns', href: `${draft.address}/columns` },
    },
    {
      title: `Remove the ${column.kind.toLowerCase()} ${column.name}?`,
      body: html`<p>${filled} of ${rows.length} rows have a value in it. ${
        column.kind === 'Output'
          ? 'Lookups no longer return it, and callers that use it find nothing.'
          : 'Lookups no longer compare it.'
      }</p>${same > 0 && html`<p class="soon">${same} rows then have the same conditions as a row before them.</p>`}
<p class="soft">v${draft.published} keeps it until you publish the draft.</p>`,
      action: button({ text: 'Remove', kind: 'danger' }),
    },
    refusal,
  );
}

/** Returns the conditions of a row without one of them. */
function conditionsOf({ grid }: MatrixDraft, row: readonly string[], without: number): readonly string[] {
  return row.filter((_, at) => at !== without && grid.columns[at]?.kind === 'Input');
}

/** Asks before a column is removed, with what that does to the rows. */
export const removeColumnPage = page((call) => askToRemove(call));

/** Removes a column. */
export const removeMatrixColumn = answerQuestion(askToRemove, async (call) => {
  const draft = await readDraft(call);
  await saveEdits(call, draft, [{ kind: 'removeColumn', column: columnOf(call, draft).at }]);
  return `${draft.address}/columns`;
});

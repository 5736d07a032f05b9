import type { AnswerRowFor, RowNamed } from '../../../kernel/declare/catalog.ts';
import { fieldLabel, valueLabel } from '../../../kernel/declare/labels.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { textAreaField } from '../design/field.ts';
import { facts } from '../design/list.ts';
import { table } from '../design/table.ts';
import { displayValue, noValue } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath } from '../record-address.ts';
import { rowsOf } from '../table.ts';
import { countWithNoun } from '../imports/import-display.ts';

/** Columns that are shown; more are on the list of maps. */
const MAPS_SHOWN = 500;
/** Lines of the field for a sample. */
const SAMPLE_LINES = 6;

type ImportType = RowNamed<'ImportFileTemplate'>;
type ImportMapRow = RowNamed<'ImportFileMap'>;
type TriedRow = AnswerRowFor<'importfiletemplate/try'>;

/** Shows an import type: its columns, how it runs, where it is used, and a trial with a sample in place. */
export const importTypePage = page((call) => typeAnswer(call));

/** Tries the import type with the sample that was entered. Nothing is stored. */
export const tryImportType = page(async (call) => {
  const sample = plainText(call.form['Sample']);
  try {
    if (sample.trim() === '')
      throw new PlatformError('MISSING_PARAMETER', { message: 'Paste the first lines of a file, then try it.' });
    const { answer } = await call.call('importfiletemplate/try', { ID: recordIdFromPath(call), Sample: sample });
    return await typeAnswer(call, { sample, rows: answer.rows });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return typeAnswer(call, { sample, refused: error });
  }
});

/** What a trial found. */
interface Trial {
  readonly sample: string;
  readonly rows?: readonly TriedRow[];
  readonly refused?: PlatformError;
}

async function typeAnswer(call: PageCall, trial: Trial = { sample: '' }): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const record = call.platform.registry.recordType('ImportFileTemplate');
  const { row } = (await call.call('importfiletemplate/select', { ID: id })).answer;
  const [maps, labels, uses] = await Promise.all([
    readMaps(call, id),
    loadLabels(call, [{ columns: record.shown, rows: [row] }]),
    whereUsed(call, row),
  ]);
  const name = row.ImportFileTemplate ?? '';
  return {
    title: name,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: record.titlePlural, href: '/records/importfiletemplate' },
      { text: name },
    ],
    status: trial.refused?.status ?? 200,
    body: html`<div class="page wide"><header class="page-head"><h1>${name}</h1>
<div class="row">${buttonLink({ text: 'All fields', href: `/records/importfiletemplate/${id}`, kind: 'quiet' })}${
      call.may('importfiletemplate/save') &&
      buttonLink({ text: 'Edit', href: `/records/importfiletemplate/${id}/edit` })
    }</div></header>
${(row.Description ?? '') !== '' && html`<p class="soft">${row.Description}</p>`}
<div class="imports-grid"><div>${columnsCard(call, row, maps)}${trialCard(call, id, trial)}</div>
<div>${card({
      id: 'runs',
      title: 'How it runs',
      body: html`<div class="card-body">${runFacts(call, row, labels)}</div>`,
    })}${uses}</div></div></div>`,
  };
}

async function readMaps(call: PageCall, id: number): Promise<readonly ImportMapRow[]> {
  if (!call.may('importfilemap/search')) return [];
  const { answer } = await call.call('importfilemap/search', {
    ImportFileTemplateID: id,
    OrderBy: 'Sequence,ImportFileMapID',
    DisplaySize: MAPS_SHOWN,
  });
  return answer.rows;
}

function columnsCard(
  call: PageCall,
  { ImportFileTemplateID: id, AppliesTo: className }: ImportType,
  maps: readonly ImportMapRow[],
): Markup {
  const { fields } = call.platform.registry.recordType('ImportFileMap');
  const add =
    call.may('importfilemap/save') &&
    buttonLink({ text: 'Add a column', href: `/records/importfilemap/new?ImportFileTemplateID=${id}`, kind: 'quiet' });
  const none = emptyState({
    title: 'No columns are mapped.',
    text: 'Each column of a file is saved in the field of the same name.',
    ...(add === false ? {} : { action: add }),
  });
  const body = table({
    label: 'Columns and where they are saved',
    heads: ['Column', fieldLabel('Destination', fields.Destination), 'Kind', 'Rules', 'Replaced values'],
    rows: maps.map((map) =>
      mapRow(map, {
        kind: map.DataType === null ? '' : valueLabel(fields.DataType, map.DataType),
        destination: destinationMark(call, className, map.Destination ?? map.ImportFileMap ?? ''),
      }),
    ),
  });
  return card({
    id: 'columns',
    title: 'Columns',
    actions: maps.length > 0 && add,
    body: maps.length === 0 ? none : body,
  });
}

/** Renders the label of the field that a column is saved in, with its name; any other destination as it is written. */
function destinationMark(call: PageCall, className: string | null, name: string): Markup {
  const record = className === null ? undefined : call.platform.registry.record(className);
  const column = record?.columns.get(name.toLowerCase());
  return column === undefined
    ? html`<code>${name}</code>`
    : html`${fieldLabel(name, column.field)} <code class="muted small">${name}</code>`;
}

function mapRow(map: ImportMapRow, { kind, destination }: { kind: string; destination: Markup }): Markup {
  const rules = [
    map.ImportFileMapType === 'Key' && 'finds the record',
    map.ImportFileMapType === 'Constant' && 'constant',
    map.ImportFileMapType === 'Ignore' && 'ignored',
    map.Required === true && 'required',
    map.IsText === true && 'kept as text',
  ].filter((rule) => rule !== false);
  const pairs = (map.Translation ?? '').split(/\r?\n/).filter((line) => line.trim() !== '');
  const replaced =
    pairs.length > 3 ? html`${pairs.slice(0, 3).join(', ')} and ${pairs.length - 3} more` : pairs.join(', ');
  const name = (map.ImportFileMap ?? '') || 'Constant';
  return html`<tr><th scope="row"><a href="/records/importfilemap/${map.ImportFileMapID}">${name}</a></th>
<td>${destination}</td><td>${kind || noValue}</td>
<td>${rules.length === 0 ? noValue : rules.join(', ')}</td><td class="reason">${replaced}</td></tr>\n`;
}

/** The fields of an import type that say how it runs. */
const runFields = [
  'ImportEngine',
  'AppliesTo',
  'ImportOperationsAllowed',
  'ExtranetEnabled',
  'Async',
  'Queue',
  'FailureThreshold',
  'SuccessThreshold',
  'ValidateSchema',
  'OnCompleteStatus',
  'DecisionTemplateID',
  'EndImportMethod',
  'ParameterString',
] as const satisfies readonly (keyof ImportType)[];

function runFacts(call: PageCall, row: ImportType, labels: Labels): Markup {
  const { columns } = call.platform.registry.recordType('ImportFileTemplate');
  return facts(
    runFields.map((name): readonly [string, HtmlValue] => {
      const column = columns.get(name.toLowerCase());
      const value = row[name];
      if (!column || value === null || value === '') return [name, undefined];
      if (name === 'ImportOperationsAllowed') return [fieldLabel(name, column.field), allowedOperations(Number(value))];
      return [fieldLabel(name, column.field), displayValue(call, column.field, value, labels)];
    }),
  );
}

/** Returns what rows may do, from its flags: "Insert, update". */
function allowedOperations(flags: number): string {
  const names = ['insert', 'update', 'call another operation'].filter((_, at) => (flags & (1 << at)) !== 0);
  const text = names.join(', ') || 'none';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Renders what uses an import type: its imports, and the sFTP accounts that send to it. */
async function whereUsed(call: PageCall, row: ImportType): Promise<Markup> {
  const [imports, accounts] = await Promise.all([
    call.may('importfile/search')
      ? call
          .call('importfile/search', {
            ImportFileTemplateID: row.ImportFileTemplateID,
            OrderBy: '-ImportFileID',
            DisplaySize: 1,
          })
          .then(({ answer }) => rowsOf(answer))
      : undefined,
    call.may('sftpaccount/search')
      ? call
          .call('sftpaccount/search', { Template: row.ImportFileTemplate ?? '', DisplaySize: 20 })
          .then(({ answer }) => answer.rows)
      : [],
  ]);
  const last = imports?.rows[0];
  const count = imports?.count ?? 0;
  const lines: readonly (Markup | false)[] = [
    last !== undefined && importsLine(call, row, { last, count, isEstimate: imports?.isEstimate === true }),
    ...accounts.map(
      (account) =>
        html`<li><a class="strong" href="/records/sftpaccount/${account.SftpAccountID}">sFTP account ${
          account.SftpAccount
        }</a></li>`,
    ),
  ];
  const shown = lines.filter((line) => line !== false);
  return card({
    id: 'used',
    title: 'Where it is used',
    body:
      shown.length === 0
        ? html`<p class="card-body muted">Nothing has been imported with it, and no sFTP account sends to it.</p>`
        : html`<ul class="needs-you">${shown}</ul>`,
  });
}

function importsLine(
  call: PageCall,
  { ImportFileTemplateID: id }: ImportType,
  of: { readonly last: RowNamed<'ImportFile'>; readonly count: number; readonly isEstimate: boolean },
): Markup {
  const { last, count, isEstimate } = of;
  return html`<li><a class="strong" href="/imports?ImportFileTemplateID=${id}">${
    isEstimate && 'About '
  }${countWithNoun(count, 'import')}</a>
<span class="muted small">last ${shortTimeMark(call, last.CreatedDate)}</span></li>\n`;
}

function trialCard(call: PageCall, id: number, { sample, rows, refused }: Trial): Markup | false {
  if (!call.may('importfiletemplate/try')) return false;
  return card({
    id: 'try',
    title: 'Try it',
    body: html`<form class="card-body stack" method="post" action="/configure/imports/${id}#try">
${csrfField(call)}${refused && errorNote(refused.masked())}
${textAreaField({
  label: 'Sample',
  name: 'Sample',
  id: 'sample',
  value: sample,
  rows: SAMPLE_LINES,
  hint: 'Paste the first lines of a file, with its column names. Up to 20 rows are tried, and nothing is stored.',
  attributes: html`spellcheck="false" data-private`,
})}
<p>${button({ text: 'Try it', kind: 'primary' })}</p></form>
${rows && triedTable(rows)}`,
  });
}

function triedTable(rows: readonly TriedRow[]): Markup {
  if (rows.length === 0) return html`<p class="card-body muted" role="status">The sample has no rows.</p>`;
  return html`<div role="status">${table({
    label: 'What importing each row would do',
    heads: [{ text: 'Line', isNumber: true }, 'Result', 'Saved', 'Reason'],
    rows: rows.map(
      ({ SourceLine: line, Parameters: parameters, Message: message, ...row }) => html`<tr>
<td class="number muted">${line > 0 ? line : noValue}</td><td>${resultOf(row)}</td>
<td class="reason">${(parameters ?? '').split('\n').join('; ')}</td><td class="reason">${message}</td></tr>\n`,
    ),
  })}</div>`;
}

const outcomes: Readonly<Record<string, string>> = {
  Insert: 'Would be added',
  Update: 'Would be updated',
  None: 'Unchanged',
};

function resultOf({ Status: status, Operation: operation }: Pick<TriedRow, 'Status' | 'Operation'>): Markup {
  if (status === 'Error') return badge('Would fail', 'danger', 'error');
  if (status === 'Read') return badge('Can be read', 'ok', 'check');
  const text = outcomes[operation ?? ''] ?? `Would call ${operation ?? ''}`;
  return status === 'Warning' ? badge(text, 'warn', 'warning') : badge(text, 'ok', 'check');
}

import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { recordField, selectField, textField, type Choice } from '../design/field.ts';
import { table } from '../design/table.ts';
import { groupDigits } from '../display-values.ts';
import { shortTimeMark } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import { movedPathField } from '../lists/bulk-actions.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';

const PATH = '/administration/files';
/** The location that every installation has; the others are records. */
const LOCAL = 'Local';
/** Most locations and moves that are listed. */
const LOCATIONS_SHOWN = 200;
const MOVES_SHOWN = 10;

/** A storage location, and how many documents have their files there. */
interface Location {
  readonly name: string;
  readonly kind: string;
  readonly id: number | undefined;
  readonly count: string;
}

/** Shows where the files of documents are, and moves those of many to another location, in the background. */
export const filesPage = page(async (call): Promise<PageAnswer> => {
  const filters = filtersOf(call);
  const [locations, found, moves] = await Promise.all([
    locationsOf(call),
    filters === undefined ? undefined : countOf(call, filters),
    movesOf(call),
  ]);
  return administrationAnswer(call, {
    title: 'Files',
    path: PATH,
    intro: 'Where the files of documents are. Moving a file checks the copy before the original is removed.',
    body: html`${card({ id: 'locations', title: 'Storage locations', body: locationTable(locations) })}
${card({
  id: 'move',
  title: 'Move files',
  body: html`${chooseForm(call, locations)}
${
  filters !== undefined &&
  found !== undefined &&
  html`<div class="card-body">${moveForm(call, locations, filters, found)}</div>`
}`,
})}
${card({ id: 'moves', title: 'Moves', body: moveTable(call, moves) })}`,
  });
});

async function locationsOf(call: PageCall): Promise<readonly Location[]> {
  const { answer } = await call.call('fileobject/search', {
    DisplaySize: LOCATIONS_SHOWN,
    OrderBy: ['FileObject'],
    RecordCount: 'false',
  });
  const saved = answer.rows.map(({ FileObject: name, FileObjectType: kind, FileObjectID: id }) => ({
    name: name ?? '',
    kind: kind ?? '',
    id,
  }));
  const all = [{ name: LOCAL, kind: 'folder of this installation', id: undefined }, ...saved];
  return Promise.all(all.map(async (each) => ({ ...each, count: await countOf(call, { FileObject: each.name }) })));
}

type Filters = Readonly<Record<string, string>>;

/** Returns how many documents are found, in words: beyond ten thousand it is an estimate. */
async function countOf(call: PageCall, filters: Filters): Promise<string> {
  const { answer } = await call.call('attachment/search', { DisplaySize: 1, SqlColumns: ['AttachmentID'] }, filters);
  const { count, isEstimate } = rowsOf(answer);
  return `${isEstimate ? 'about ' : ''}${groupDigits(String(count))}`;
}

/** Returns the documents that the form selects, as a search finds them; undefined before it is sent. */
function filtersOf({ query }: PageCall): Filters | undefined {
  const from = plainText(query['From']);
  if (from === '') return undefined;
  const [template, before, name] = ['AttachmentTemplateID', 'Before', 'FileName'].map((each) => plainText(query[each]));
  return {
    // Literally: a name may look like a list or a comparison.
    FileObject: `"${from}"`,
    ...(template !== '' && { AttachmentTemplateID: template }),
    ...(before !== '' && { CreatedDate: `<${before}` }),
    ...(name !== '' && { FileName: name }),
  };
}

async function movesOf(call: PageCall): Promise<readonly RowNamed<'BulkRun'>[]> {
  if (!call.may('bulkrun/search')) return [];
  const { answer } = await call.call('bulkrun/search', {
    Signature: 'attachment/movefile?*',
    OrderBy: ['-BulkRunID'],
    DisplaySize: MOVES_SHOWN,
    RecordCount: 'false',
  });
  return answer.rows;
}

function locationTable(locations: readonly Location[]): Markup {
  return table({
    label: 'Locations and their documents',
    heads: ['Location', 'Kind', { text: 'Documents', isNumber: true }],
    rows: locations.map(
      ({ name, kind, id, count }) =>
        html`<tr><th scope="row">${
          id === undefined ? name : html`<a href="/records/fileobject/${id}"><bdi>${name}</bdi></a>`
        }</th><td>${kind}</td><td class="number">${count}</td></tr>\n`,
    ),
  });
}

function choicesOf(locations: readonly Location[]): readonly Choice[] {
  return locations.map(({ name }) => ({ value: name, text: name }));
}

function chooseForm({ query, platform }: PageCall, locations: readonly Location[]): Markup {
  const column = platform.registry.requireRecord('Attachment', 'From').columns.get('filename');
  const sent = (name: string): string => plainText(query[name]);
  return html`<form class="filter-line" method="get" action="${PATH}#move">
${selectField({ label: 'From', name: 'From', value: sent('From'), choices: choicesOf(locations) })}
${recordField({
  label: 'Document type',
  name: 'AttachmentTemplateID',
  type: 'AttachmentTemplate',
  value: sent('AttachmentTemplateID'),
})}
${textField({ label: 'Created before', name: 'Before', type: 'date', value: sent('Before') })}
${textField({
  label: column ? fieldLabel(column.name, column.field) : 'File name',
  name: 'FileName',
  value: sent('FileName'),
  attributes: html`placeholder="*.pdf"`,
})}
${button({ text: 'Count documents' })}
</form>`;
}

/** Renders the second step; the rest is that of all bulk changes: they are tried, confirmed and run. */
function moveForm(call: PageCall, locations: readonly Location[], filters: Filters, found: string): Markup {
  const from = plainText(call.query['From']);
  if (found === '0') return html`<p role="status">No documents in ${from} are found.</p>`;
  const others = locations.filter(({ name }) => name !== from);
  if (others.length === 0)
    return html`<p role="status">There is no other location to move them to.</p>
<p><a class="button" href="/records/fileobject/new">Add a location</a></p>`;
  return html`<form class="form" method="post" action="/bulk/attachment">
${csrfField(call)}${hiddenField('Action', 'move')}${hiddenField('All', 'true')}${hiddenField(
    'Filters',
    new URLSearchParams(filters).toString(),
  )}
<p role="status">${found} documents in <bdi>${from}</bdi> are found.</p>
${selectField({ label: 'To', name: 'FileObject', choices: choicesOf(others) })}
${movedPathField}
<div class="row">${button({ text: 'Check', kind: 'primary', name: 'Step', value: 'check' })}
<span class="small muted">Nothing is moved yet.</span></div></form>`;
}

function moveTable(call: PageCall, moves: readonly RowNamed<'BulkRun'>[]): Markup {
  if (moves.length === 0)
    return emptyState({ title: 'No files have been moved.', text: 'Moves are listed here with their progress.' });
  return table({
    label: 'Moves and when they started',
    heads: ['Move', 'Started'],
    rows: moves.map(
      ({ BulkRunID, BulkRun: name, CreatedDate: started }) => html`<tr><th scope="row"><a
href="/bulk/${BulkRunID}?From=${encodeURIComponent(PATH)}"><bdi>${name}</bdi></a></th>
<td>${shortTimeMark(call, started)}</td></tr>\n`,
    ),
  });
}

import { html, type HtmlValue, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { banner } from '../design/banner.ts';
import { emptyState } from '../design/empty.ts';
import { icon } from '../design/icons.ts';
import { menu, menuLine, type MenuEntry } from '../design/menu.ts';
import { toast } from '../design/toast.ts';
import { dayMark, localDateTime, recordPath } from '../display-values.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { MATRIX_DATA_ID, type MatrixData } from '../shared/matrix-cell.ts';
import { changeCounts, editorShell, problemPanel, publishButton } from './editor-shell.ts';
import { cellLine } from './matrix-cell-line.ts';
import { matrixCrumbs } from './matrix-crumbs.ts';
import { countProblems, matrixId, problemsOf, publishingOf, readDraft, type MatrixDraft } from './matrix-draft.ts';
import { gapTable, matrixGrid } from './matrix-grid.ts';
import { trialPanel, tryInputs } from './matrix-trial.ts';

/** Published versions that the menu lists. */
const VERSIONS_LISTED_MAX = 6;

/** A published version of a matrix. */
interface Version {
  readonly number: number;
  readonly date: string;
}

const doneWords: Readonly<Record<string, string>> = {
  published: 'Published. Lookups use this version from now on.',
  discarded: 'Draft discarded. The published version is unchanged.',
  restored: 'The earlier version is now the draft. Publish it to use it.',
  imported: 'The table is now the draft. Look at the changes, then publish it.',
};

/** The editor of a matrix. */
export const matrixPage = page(async (call) => {
  const id = matrixId(call);
  const [draft, versions, uses, tried] = await Promise.all([
    readDraft(call),
    readVersions(call, id),
    readUses(call, id),
    tryInputs(call, id),
  ]);
  const people = await readPeople(call, draft);
  const done = doneWords[plainText(call.query['done'])];
  return {
    title: draft.name,
    place: 'configure',
    crumbs: matrixCrumbs(draft),
    entries: ['matrix'],
    hasPanes: true,
    toasts: done === undefined ? [] : [toast({ text: done })],
    body: editorShell({
      title: draft.name,
      versions: versionMenu(call, draft, versions),
      changes: changesSwitch(draft),
      tools: html`${uses}${exportMenu(draft)}`,
      publishing: publishingOf(draft),
      body: html`${staleNote(draft)}${tableOf(draft)}${dataScript(draft)}`,
      side: call.may('matrix/try') && trialPanel(call, draft, tried),
      problems: problems(call, draft, people),
    }),
  };
});

function tableOf(draft: MatrixDraft): Markup {
  const { address, grid, mayEdit } = draft;
  if (grid.columns.length > 0) return html`${mayEdit && cellLine()}${matrixGrid(draft)}`;
  return emptyState({
    title: 'This table has no columns yet.',
    text: 'Upload a table with the names of inputs and outputs, or add them one by one.',
    action:
      mayEdit &&
      html`<p class="row">${buttonLink({ text: 'Upload a table', href: `${address}/import`, kind: 'primary' })}
${buttonLink({ text: 'Add inputs and outputs', href: `${address}/columns` })}</p>`,
  });
}

/**
 * The parts of the editor that depend on the checks: its script takes them from here after it has saved. Without script
 * it is a page of the problems.
 */
export const matrixChecksPage = page(async (call) => {
  const draft = await readDraft(call);
  const people = await readPeople(call, draft);
  const publishing = publishingOf(draft);
  return {
    title: `Checks of ${draft.name}`,
    place: 'configure',
    crumbs: matrixCrumbs(draft, 'Checks'),
    body: html`<div class="page"><h1>Checks of ${draft.name}</h1><div class="row wrap">${versionName(draft)}
${changeCounts(
  draft.differences,
)}<span id="publishing" class="row">${publishing && publishButton(publishing)}</span></div>
${problems(call, draft, people)}${gapTable(draft)}
${dataScript(draft)}</div>`,
  };
});

function readPeople(call: PageCall, { findings }: MatrixDraft): Promise<Labels> {
  const rows = findings.flatMap(({ AcceptedPersonID }) =>
    typeof AcceptedPersonID === 'number' ? [{ AcceptedPersonID }] : [],
  );
  return loadLabels(call, [referencesOf(rows, ['AcceptedPersonID', 'Person'])]);
}

async function readVersions(call: PageCall, id: number): Promise<readonly Version[]> {
  const { answer } = await call.call('matrix/versions', { ID: id });
  return answer.rows.slice(0, VERSIONS_LISTED_MAX).map((row) => ({ number: row.Number, date: row.CreatedDate }));
}

/** Renders in how much configuration the matrix is used. */
async function readUses(call: PageCall, id: number): Promise<HtmlValue> {
  if (!call.may('matrix/usedin')) return false;
  const { answer } = await call.call('matrix/usedin', { ID: id });
  const { length } = answer.rows;
  const text = length === 0 ? 'Not used yet' : `Used in ${length} ${length === 1 ? 'place' : 'places'}`;
  return html`<a class="small muted" href="/configure/matrices/${id}/uses">${text}</a>`;
}

const versionName = ({ version, published }: MatrixDraft): Markup =>
  html`<span id="version-name">${version > 0 ? `v${published + 1} draft` : `v${published} published`}</span>`;

function versionMenu(call: PageCall, draft: MatrixDraft, versions: readonly Version[]): Markup {
  const { address, version, mayEdit } = draft;
  const summary = html`<summary
class="button">${icon('history')}${versionName(draft)}${icon('chevronDown', 12)}</summary>`;
  const entries: (MenuEntry | Markup | false)[] = [
    { text: 'Versions' },
    ...versions.map(({ number, date }): MenuEntry => ({
      text: html`v${number}, ${dayMark(call, date)}`,
      href: `${address}/versions#v${number}`,
    })),
    { text: 'All versions', href: `${address}/versions` },
    menuLine,
    mayEdit && { text: 'Columns', icon: 'columns', href: `${address}/columns` },
    { text: 'Name and rule set', icon: 'settings', href: recordPath('matrix', draft.id) },
    version > 0 && mayEdit && menuLine,
    version > 0 && mayEdit && { text: 'Discard this draft', icon: 'trash', href: `${address}/discard` },
  ];
  return menu(summary, entries, 'left');
}

/** The switch is a box alone: the style sheet hides changes while it is empty. */
function changesSwitch({ differences, published, mayEdit }: MatrixDraft): Markup | false {
  if (!mayEdit) return false;
  return html`<label class="check small soft"><input class="tick" type="checkbox" id="show-changes" checked><span>Show
changes from v${published}</span></label>${changeCounts(differences)}`;
}

function exportMenu({ id, address, mayEdit }: MatrixDraft): Markup {
  const file = (format: string): string => `/api/matrix/exporttable?ID=${id}&Draft=true&Format=${format}`;
  const summary = html`<summary
class="button">${icon('export')}<span>Spreadsheet</span>${icon('chevronDown', 12)}</summary>`;
  return menu(summary, [
    { text: 'Download for Excel', href: file('Xlsx') },
    { text: 'Download as CSV', href: file('Csv') },
    mayEdit && menuLine,
    mayEdit && { text: 'Upload a table…', icon: 'upload', href: `${address}/import` },
  ]);
}

function staleNote({ version, base, published, address }: MatrixDraft): Markup | false {
  if (version === 0 || base === published) return false;
  return banner({
    tone: 'warn',
    text: `v${published} was published after this draft began from v${base}.`,
    more: html`<p>The changes that you see are those from v${published}; publishing the draft would undo what it
changed.</p>`,
    actions: buttonLink({ text: 'Versions', href: `${address}/versions` }),
  });
}

function problems(call: PageCall, draft: MatrixDraft, people: Labels): Markup {
  const { grid, updatedDate } = draft;
  const rows = `${grid.rows.length.toLocaleString('en-US')} ${grid.rows.length === 1 ? 'row' : 'rows'} checked`;
  const saved = updatedDate === null ? '' : `, draft saved ${localDateTime(call, updatedDate)}`;
  return problemPanel(problemsOf(draft, people), countProblems(draft), `${rows}${saved}`);
}

/** Renders the table as JSON for the page's script, which the browser does not run. */
function dataScript({ id, version, grid, differences, marks, mayEdit }: MatrixDraft): Markup {
  const data: MatrixData = { id, version, grid, differences, marks, mayEdit };
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  return html`<script type="application/json" id="${MATRIX_DATA_ID}">${{ markup: text }}</script>`;
}

import type { RecordType } from '../../../kernel/declare/record.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { caseHeader } from '../case/case-header.ts';
import { readCase, type CaseView } from '../case/case-view.ts';
import { factPanels } from '../case/fact-panels.ts';
import { recordPath } from '../display-values.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordIdFromPath, selectRow } from '../record-address.ts';
import { changeCounts, editorShell } from './editor-shell.ts';
import {
  applyEdit,
  fieldPaths,
  linesOf,
  PANELS,
  parseDraft,
  parseEdit,
  type LayoutDraft,
  type LayoutEdit,
} from './layout-draft.ts';

const SIDE: readonly string[] = ['Tasks', 'Documents', 'Workflow'];
const TABS: readonly string[] = ['Overview', 'Tasks', 'Documents', 'Messages', 'Ledger', 'Workflow', 'History'];

/** Shows a layout of the page of cases for editing, beside a case that is shown by it. */
export const layoutPage = page((call) => layoutAnswer(call, {}));

/** Moves, adds or removes an entry of the draft, which the form carries, or publishes it. */
export const changeLayout = page(async (call) => {
  const id = recordIdFromPath(call);
  const action = plainText(call.form['Do']);
  const draft = parseDraft(plainText(call.form['Layout']));
  try {
    if (action === 'publish') {
      await call.call('pagelayout/save', {
        ID: id,
        Version: plainText(call.form['Version']),
        Layout: JSON.stringify(draft),
      });
      return { redirectTo: `/configure/layouts/${id}?done=published` };
    }
    const [verb = '', list = ''] = action.split(' ');
    const edit = parseEdit(action, plainText(call.form[`${verb} ${list}`]));
    const { answer } = await call.call('pagelayout/select', { ID: id });
    const record = call.platform.registry.requireRecord(answer.row.AppliesTo, 'AppliesTo');
    if (edit) applyEdit(draft, edit, { registry: call.platform.registry, record });
    return await layoutAnswer(call, { draft, edit });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500 || error.status === 404) throw error;
    return layoutAnswer(call, { draft, error });
  }
});

/** What a posted form leaves: the draft with its edit, or the reason why that was refused. */
interface Submitted {
  readonly draft?: LayoutDraft;
  readonly edit?: LayoutEdit | undefined;
  readonly error?: PlatformError;
}

async function layoutAnswer(call: PageCall, { draft: sent, edit, error }: Submitted): Promise<PageAnswer> {
  const id = recordIdFromPath(call);
  const { answer } = await call.call('pagelayout/select', { ID: id });
  const { row } = answer;
  const record = call.platform.registry.requireRecord(row.AppliesTo, 'AppliesTo');
  const published = parseDraft(row.Layout);
  const draft = sent ?? published;
  const caseId = plainText(call.form['Case'] ?? call.query['Case']);
  const isMine = call.may('pagelayout/save');
  const changes = differences(published, draft);
  const version = sent ? plainText(call.form['Version']) : String(row.Version);
  return {
    title: row.PageLayout ?? `Layout ${id}`,
    place: 'configure',
    crumbs: [
      { text: 'Configure', href: '/configure' },
      { text: 'Page layouts', href: '/records/pagelayout' },
      { text: row.PageLayout ?? `Layout ${id}` },
    ],
    hasPanes: true,
    status: error?.status ?? 200,
    body: editorShell({
      title: html`<bdi>${row.PageLayout}</bdi>`,
      versions: html`${badge(changes.length > 0 ? 'Draft' : 'Published', changes.length > 0 ? 'warn' : 'neutral')}
${buttonLink({ text: 'Versions', icon: 'history', kind: 'quiet', href: `${recordPath('pagelayout', id)}/history` })}`,
      changes: changeCounts({
        added: changes.filter(({ isAdded }) => isAdded).length,
        changed: 0,
        removed: changes.filter(({ isAdded }) => !isAdded).length,
      }),
      tools:
        isMine &&
        button({
          text: 'Publish',
          kind: 'primary',
          name: 'Do',
          value: 'publish',
          form: 'layout-form',
          disabledReason: changes.length === 0 && !isReordered(published, draft) ? 'Nothing has changed.' : undefined,
        }),
      body: html`<div class="layout-editor scroll" tabindex="0" role="region" aria-label="Layout">
<form method="post" id="layout-form" action="/configure/layouts/${id}">
${csrfField(call)}${hiddenField('Layout', JSON.stringify(draft))}${hiddenField('Version', version)}
${hiddenField('Case', caseId)}
${call.query['done'] === 'published' && banner({ tone: 'ok', role: 'status', text: 'Published. Cases show it now.' })}
${draftLists(call, record, draft, edit)}
</form></div>`,
      side: await preview(call, record, draft, caseId),
      problems: html`<section class="layout-problems" aria-label="Problems">${
        error
          ? banner({ tone: 'danger', role: 'alert', text: error.masked().message })
          : html`<p class="muted small">No problems. ${changes.map(changeText)}</p>`
      }</section>`,
    }),
  };
}

interface Difference {
  readonly text: string;
  readonly isAdded: boolean;
}

function changeText({ text, isAdded }: Difference): string {
  return `${isAdded ? '+' : '−'} ${text}. `;
}

function differences(before: LayoutDraft, after: LayoutDraft): readonly Difference[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  return [
    ...now.filter((line) => !old.includes(line)).map((text) => ({ text, isAdded: true })),
    ...old.filter((line) => !now.includes(line)).map((text) => ({ text, isAdded: false })),
  ];
}

function isReordered(before: LayoutDraft, after: LayoutDraft): boolean {
  return linesOf(before).join('\n') !== linesOf(after).join('\n');
}

function draftLists(call: PageCall, record: RecordType, draft: LayoutDraft, edit: LayoutEdit | undefined): Markup {
  const fields = fieldPaths(call.platform.registry, record);
  const factNames = (facts: readonly { readonly field: string; readonly label?: string }[]): string[] =>
    facts.map(({ field, label }) => (label === undefined ? field : `${label} (${field})`));
  const panels = draft.panels.map(({ panel, title, facts = [] }, at) =>
    panel === undefined
      ? entryList({
          title: title ?? '',
          list: `panels/${at}/facts`,
          entries: factNames(facts),
          choices: 'fields',
          edit,
        })
      : false,
  );
  const left = (of: readonly string[], used: readonly string[]): string[] => of.filter((name) => !used.includes(name));
  return html`<datalist id="fields">${fields.map((path) => html`<option value="${path}"></option>`)}</datalist>
${entryList({
  title: 'Facts of the header',
  list: 'header',
  entries: factNames(draft.header),
  choices: 'fields',
  edit,
})}
${entryList({
  title: 'Panels',
  list: 'panels',
  entries: draft.panels.map(({ panel, title }) => panel ?? title ?? ''),
  choices: 'text',
  edit,
  hint: `The title of a new panel, or one of ${PANELS.join(', ')}.`,
})}
${panels}
${entryList({ title: 'Right side', list: 'side', entries: draft.side, choices: left(SIDE, draft.side), edit })}
${entryList({ title: 'Tabs', list: 'tabs', entries: draft.tabs, choices: left(TABS, draft.tabs), edit })}
${entryList({
  title: 'Milestones',
  list: 'milestones',
  entries: draft.milestones,
  choices: 'text',
  edit,
  hint: 'Without any, all milestones of the workflow are shown.',
})}`;
}

/** A list of the editor. `choices`: what can be added; any text, a field, or one of several names. */
interface EntryList {
  readonly title: string;
  readonly list: string;
  readonly entries: readonly string[];
  readonly choices: 'fields' | 'text' | readonly string[];
  readonly edit: LayoutEdit | undefined;
  readonly hint?: string;
}

function entryList({ title, list, entries, choices, edit, hint }: EntryList): Markup {
  const id = `list-${list.replaceAll('/', '-')}`;
  const moved = edit?.list === list && edit.verb !== 'add' ? edit : undefined;
  const movedTo =
    moved && Math.max(0, Math.min(entries.length - 1, moved.at + ({ up: -1, down: 1 }[moved.verb as string] ?? 0)));
  const item = (name: string, at: number): Markup => {
    const act = (verb: LayoutEdit['verb'], text: string, icon: 'arrowUp' | 'arrowDown' | 'trash'): Markup =>
      button({
        text,
        icon,
        iconOnly: true,
        kind: 'quiet',
        name: 'Do',
        value: `${verb} ${list} ${at}`,
        of: name,
        attributes: movedTo === at && moved?.verb === verb && html`autofocus`,
      });
    return html`<li><bdi class="grow">${name}</bdi>
${act('up', 'Move up', 'arrowUp')}${act('down', 'Move down', 'arrowDown')}${act('remove', 'Remove', 'trash')}</li>\n`;
  };
  return html`<fieldset class="layout-list"><legend>${title}</legend>
<ol>${entries.map(item)}</ol>
${choices.length > 0 && addField(id, list, choices, edit?.list === list && edit.verb === 'add')}
${hint !== undefined && html`<p class="field-hint">${hint}</p>`}
</fieldset>`;
}

function addField(id: string, list: string, choices: EntryList['choices'], isFocused: boolean): Markup {
  const focus = isFocused && html` autofocus`;
  const name = `add ${list}`;
  const control =
    typeof choices === 'string'
      ? html`<input class="input" id="${id}" name="${name}" autocomplete="off"${
          choices === 'fields' && html` list="fields" placeholder="Loan.Property.County"`
        }${focus}>`
      : html`<select class="input" id="${id}" name="${name}"${focus}><option value=""></option>${choices.map(
          (each) => html`<option>${each}</option>`,
        )}</select>`;
  return html`<div class="row"><label class="hidden" for="${id}">Add to the list</label>${control}
${button({ text: 'Add', icon: 'plus', name: 'Do', value: `add ${list}` })}</div>`;
}

/** Renders a case as the draft shows it: the one that the address names, else the newest. */
async function preview(call: PageCall, record: RecordType, draft: LayoutDraft, caseId: string): Promise<Markup> {
  const form = html`<form method="get" class="row"><label class="small" for="preview-case">Preview case number</label>
<input class="input" id="preview-case" name="Case" inputmode="numeric" value="${caseId}">
${button({ text: 'Show' })}</form>`;
  const view = await previewCase(call, record, draft, caseId);
  if (!view) return html`${form}<p class="muted">No case to preview.</p>`;
  return html`${form}<div class="layout-preview case" inert>${caseHeader(call, view)}
<div>${factPanels({ ...view, call, panels: view.layout.panels })}</div></div>`;
}

async function previewCase(
  call: PageCall,
  record: RecordType,
  draft: LayoutDraft,
  caseId: string,
): Promise<CaseView | undefined> {
  const { answer } = await call.callOf(record, 'search', {
    DisplaySize: 1,
    RecordCount: 'false',
    ...(/^\d{1,15}$/.test(caseId) ? { ID: caseId } : { OrderBy: `-${record.idField}` }),
  });
  const [found] = answer.rows;
  const id = Number(found?.[record.idField]);
  if (!found || !Number.isSafeInteger(id)) return undefined;
  return readCase(call, { record, id, row: await selectRow(call, record, id), draft });
}

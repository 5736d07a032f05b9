import { html, type Markup } from '../../../kernel/render/markup.ts';
import { PANELS, SIDE, TABS, TITLE_MAX, type LayoutContent } from '../../../lib/page-layouts/content.ts';
import {
  canMove,
  entriesOf,
  entryName,
  holdsFacts,
  type EntryPlace,
  type LayoutEdit,
  type LayoutEntry,
  type ListPlace,
} from '../../../lib/page-layouts/edits.ts';
import { hiddenField } from '../components.ts';
import { button } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { entryIds, entryLabel, fieldNames, listTitle, type LayoutDraft } from './layout-draft.ts';

/** What the lists show: the draft, the case of the preview, and the element that gets the focus. */
export interface LayoutLists {
  readonly call: PageCall;
  readonly draft: LayoutDraft;
  /** The case of the preview, which every form sends along. */
  readonly caseText: string;
  /** The ID of the element that gets the focus: that of the last change. */
  readonly focus: string;
}

/** The form that the buttons of entries submit. */
const FORM = 'layout-form';

/** Renders the lists of a draft, in the places that they have on the page of a case. */
export function layoutLists(parts: LayoutLists): Markup {
  const { call, draft } = parts;
  const { content, record } = draft;
  const panels = content.panels.flatMap(({ facts }, at) => (facts ? [listCard(parts, `panels/${at}`)] : []));
  const fields = fieldNames(call.platform.registry, record);
  return html`<form method="post" id="${FORM}" action="${draft.address}" hidden>${hiddenFields(parts)}</form>
<datalist id="fields">${fields.map(({ path, label }) => html`<option value="${path}">${label}</option>`)}</datalist>
<div class="layout-columns"><div>${listCard(parts, 'header')}${listCard(parts, 'panels')}${panels}</div>
<div>${listCard(parts, 'tabs')}${listCard(parts, 'side')}${listCard(parts, 'milestones')}</div></div>`;
}

function hiddenFields({ call, draft, caseText }: LayoutLists): Markup {
  return html`${csrfField(call)}${hiddenField('Version', String(draft.version))}${hiddenField('Case', caseText)}`;
}

const hints: Readonly<Record<string, string>> = {
  panels: 'The title of a new panel of facts, or the name of a built-in panel.',
  milestones: 'Without any, cases show all milestones of their workflow.',
};

function listCard(parts: LayoutLists, list: string): Markup {
  const { content, mayEdit } = parts.draft;
  const entries = entriesOf(content, { list }) ?? [];
  const title = listTitle(content, list);
  const ids = entryIds(content, list);
  const isPanel = list.startsWith('panels/');
  const place: ListPlace = isPanel ? { list, title } : { list };
  const hint = hints[list];
  return html`<section class="layout-list${isPanel && ' of-panel'}" id="list-${list.replace('/', '-')}"
aria-labelledby="title-${list.replace('/', '-')}">
<h2 id="title-${list.replace('/', '-')}">${isPanel && html`<span class="muted">Panel </span>`}<bdi>${title}</bdi></h2>
<ol data-list="${JSON.stringify(place)}" data-title="${title}"
data-takes="${holdsFacts(list) ? 'facts' : list}">${entries.map((entry, at) =>
    entryLine(parts, {
      entry,
      from: { ...place, at, name: entryName(entry) },
      id: ids[at] ?? '',
      isLast: at === entries.length - 1,
    }),
  )}</ol>
${entries.length === 0 && html`<p class="muted small">${emptyText(list)}</p>`}
${mayEdit && addForm(parts, place)}
${hint !== undefined && mayEdit && html`<p class="field-hint">${hint}</p>`}
</section>`;
}

function emptyText(list: string): string {
  if (list === 'milestones') return 'All milestones of the workflow.';
  return list.startsWith('panels/') ? 'No facts. Cases do not show an empty panel.' : 'Nothing here.';
}

/** An entry with its place. */
interface EntryLine {
  readonly entry: LayoutEntry;
  readonly from: EntryPlace;
  readonly id: string;
  readonly isLast: boolean;
}

function entryLine(parts: LayoutLists, line: EntryLine): Markup {
  const { call, draft, focus } = parts;
  const { entry, from, id, isLast } = line;
  const { label, path } = entryLabel(call.platform, draft.record, entry);
  const problem = draft.problems.find(({ List, At }) => List === from.list && At === from.at);
  const mark =
    problem &&
    html`<span class="${problem.Severity === 'Error' ? 'late' : 'soon'}" title="${problem.Title}">${icon(
      problem.Severity === 'Error' ? 'error' : 'warning',
    )}<span class="hidden">${problem.Title}</span></span>`;
  const name = html`<span class="layout-name"><bdi>${label}</bdi>${
    path !== undefined && html` <bdi class="small muted">${path}</bdi>`
  }</span>`;
  if (!draft.mayEdit) return html`<li id="${id}">${mark}${name}</li>`;
  const act = (edit: LayoutEdit, text: string, more: ActLook): Markup =>
    button({
      text,
      icon: more.icon,
      iconOnly: true,
      kind: 'quiet',
      name: 'Do',
      value: JSON.stringify(edit),
      form: FORM,
      of: label,
      disabledReason: more.off,
      attributes: html`id="${edit.verb}-${id}"${focus === `${edit.verb}-${id}` && html` autofocus`}`,
    });
  return html`<li id="${id}" data-entry="${JSON.stringify(from)}" data-label="${label}" tabindex="-1">
<button type="button" class="button quiet square layout-handle" id="grip-${id}"
aria-describedby="layout-keys"${focus === `grip-${id}` && html` autofocus`}>${icon('grip')}
<span class="hidden">Move ${label}</span></button>
${mark}${name}${changeForm(parts, line, label)}
${act({ verb: 'up', from }, 'Move up', { icon: 'arrowUp', off: from.at === 0 ? 'It is the first.' : undefined })}
${act({ verb: 'down', from }, 'Move down', { icon: 'arrowDown', off: isLast ? 'It is the last.' : undefined })}
${act({ verb: 'remove', from }, 'Remove', { icon: 'trash' })}</li>\n`;
}

/** How a button of an entry looks. `off`: why it cannot be pressed. */
interface ActLook {
  readonly icon: 'arrowUp' | 'arrowDown' | 'trash';
  readonly off?: string | undefined;
}

/** Renders the form that changes a label or title, and moves a fact to another list. */
function changeForm(parts: LayoutLists, { entry, from, id }: EntryLine, label: string): Markup | false {
  const isFact = holdsFacts(from.list);
  const isTitled =
    from.list === 'panels' && typeof entry !== 'string' && !('field' in entry) && entry.panel === undefined;
  if (!isFact && !isTitled) return false;
  const value = typeof entry !== 'string' && 'field' in entry ? (entry.label ?? '') : label;
  return html`<details class="menu layout-change"><summary class="button quiet square" title="Change">${icon(
    'pencil',
  )}<span class="hidden">Change ${label}</span></summary>
<div class="menu-entries right"><form method="post" action="${parts.draft.address}" class="stack">${hiddenFields(parts)}
<div class="field"><label class="field-label" for="label-${id}">${isFact ? 'Label' : 'Title'}</label>
<input class="input" id="label-${id}" name="Label" maxlength="${TITLE_MAX}" value="${value}" autocomplete="off"></div>
${isFact && targetField(parts.draft.content, from, id)}
<p>${button({ text: 'Apply', name: 'Do', value: JSON.stringify({ verb: 'label', from }), of: label })}</p>
</form></div></details>`;
}

function targetField(content: LayoutContent, from: EntryPlace, id: string): Markup {
  const lists = ['header', ...content.panels.flatMap(({ facts }, at) => (facts ? [`panels/${at}`] : []))];
  const options = lists
    .filter((list) => canMove(from.list, list))
    .map(
      (list) =>
        html`<option value="${list}"${list === from.list && html` selected`}>${listTitle(content, list)}</option>`,
    );
  return html`<div class="field"><label class="field-label" for="to-${id}">In</label>
<select class="input" id="to-${id}" name="To">${options}</select></div>`;
}

function addForm(parts: LayoutLists, to: ListPlace): Markup | false {
  const { draft, focus } = parts;
  const { content } = draft;
  const { list } = to;
  const id = `add-${list.replace('/', '-')}`;
  const used = (entriesOf(content, { list }) ?? []).map(entryName);
  const title = listTitle(content, list);
  const attributes = html`id="${id}" name="Text" autocomplete="off"${focus === id && html` autofocus`}`;
  const choices = list === 'side' ? SIDE : TABS;
  const left = choices.filter((name) => !used.includes(name));
  const isChosen = list === 'side' || list === 'tabs';
  if (isChosen && left.length === 0) return false;
  const control = isChosen
    ? html`<select class="input" ${attributes}>${left.map((name) => html`<option>${name}</option>`)}</select>`
    : html`<input class="input" ${attributes} required maxlength="200"${
        holdsFacts(list) &&
        html` list="fields"
placeholder="Field, such as Loan.Agency"`
      }${list === 'panels' && html` list="panel-names" placeholder="Title"`}>`;
  const names = PANELS.filter((name) => !used.includes(name));
  return html`<form method="post" action="${draft.address}" class="row layout-add">${hiddenFields(parts)}<label
class="hidden" for="${id}">Add to ${title}</label>${control}${
    list === 'panels' &&
    html`<datalist id="panel-names">${names.map((name) => html`<option value="${name}"></option>`)}</datalist>`
  }${button({ text: 'Add', icon: 'plus', name: 'Do', value: JSON.stringify({ verb: 'add', to }), of: `to ${title}` })}
</form>`;
}

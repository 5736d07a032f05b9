import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { pinnedInOrder } from '../../../lib/pinned-views.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { checkbox, textField } from '../design/field.ts';
import { icon } from '../design/icons.ts';
import { menu, menuLine } from '../design/menu.ts';
import { hiddenField } from '../components.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { filterable } from './filter-bar.ts';
import type { ListData } from './list-data.ts';
import { headText, nextOrder } from './list-table.ts';
import type { ListSource } from './list-sources.ts';
import { filterQuery, orderOf, statePath, viewPath, type ListState } from './list-state.ts';

/** Whether the user may change a view: their own, or with the permission any. */
function mayChangeView(call: PageCall, view: RowNamed<'View'>): boolean {
  return call.may('view/save') && (view.PersonID === call.user.personId || call.may('view/share'));
}

/** Renders what a list can do besides filtering: save the view, sort, and choose columns. */
export function viewTools(call: PageCall, source: ListSource, state: ListState, data: ListData | undefined): Markup {
  return html`<div class="row end list-tools">
${state.isChanged && changedNote(call, source, state)}
${pinButton(call, source, state)}${call.may('view/save') && call.user.universal && viewMenu(call, source, state)}
${data && sortMenu(source, state, data)}
${data && columnMenu(source, state, data)}
</div>`;
}

function changedNote(call: PageCall, source: ListSource, state: ListState): Markup {
  const { view } = state;
  const save =
    view &&
    mayChangeView(call, view) &&
    html`<form method="post" action="/lists/${source.record.module}/views">
${viewFields(call, source, state)}${hiddenField(
      'ViewID',
      view.ViewID,
    )}<button class="link-button" name="Action" value="save">Save</button></form>`;
  return html`<span class="small muted">View changed</span>${save}
<a class="link small" href="${viewPath(source, view)}" data-list-link>Reset</a>`;
}

/** Renders what is posted about the list, so that it can be saved. */
function viewFields(call: PageCall, source: ListSource, state: ListState): Markup {
  return html`${csrfField(call)}${hiddenField('Path', source.path)}${hiddenField(
    'Filters',
    filterQuery(state).toString(),
  )}${hiddenField('Columns', state.columns.join(','))}${hiddenField('SortedBy', orderOf(source, state))}`;
}

function viewMenu(call: PageCall, source: ListSource, state: ListState): Markup {
  const { view } = state;
  const summary = html`<summary class="button quiet square" title="Views">${icon('filter')}
<span class="hidden">Views</span></summary>`;
  const isOwn = view !== undefined && mayChangeView(call, view);
  const action = (value: string, text: string): Markup =>
    html`<button class="menu-entry" name="Action" value="${value}">${text}</button>`;
  const own =
    isOwn &&
    html`${menuLine}<p class="menu-heading">${view.View}</p>
${view.PersonID === null && pinForAll(view, action)}
${call.may('view/share') && view.PersonID === null && action('own', 'Keep to yourself')}
${call.may('view/share') && view.PersonID !== null && action('share', 'Share with everybody')}
${action('delete', 'Delete this view')}`;
  return menu(summary, [
    html`<form method="post" action="/lists/${source.record.module}/views">${viewFields(call, source, state)}
${view && hiddenField('ViewID', view.ViewID)}
<div class="chip-form">${nameField}
${button({ text: 'Save as new view', name: 'Action', value: 'create' })}</div>
${own}</form>`,
  ]);
}

function pinForAll({ Pinned }: RowNamed<'View'>, action: (value: string, text: string) => Markup): Markup {
  return Pinned === true
    ? action('unpin-for-all', 'Unpin for all who see it')
    : action('pin-for-all', 'Pin for all who see it');
}

/** Renders the button that pins the view to the user's sidebar, or unpins it. */
function pinButton(call: PageCall, source: ListSource, state: ListState): Markup | false {
  const { view } = state;
  if (!view) return false;
  const isPinned = pinnedInOrder([view], call.preferences.pinnedViews).length > 0;
  return html`<form method="post" action="/lists/${source.record.module}/views" data-pin-form>${csrfField(call)}
${hiddenField('Path', source.path)}${hiddenField('ViewID', view.ViewID)}${button({
    text: isPinned ? 'Unpin from the sidebar' : 'Pin to the sidebar',
    icon: 'pin',
    iconOnly: true,
    kind: 'quiet',
    key: 'p',
    name: 'Action',
    value: isPinned ? 'unpin' : 'pin',
    attributes: html`aria-pressed="${isPinned ? 'true' : 'false'}"`,
  })}</form>`;
}

const nameField = textField({
  label: 'Save this list as a view',
  name: 'Name',
  id: 'view-name',
  attributes: html`maxlength="60"`,
});

function sortMenu(source: ListSource, state: ListState, data: ListData): Markup {
  const summary = html`<summary class="button quiet square" title="Sort">${icon('sort')}
<span class="hidden">Sort</span></summary>`;
  const order = orderOf(source, state).replace(/^-/, '');
  return menu(summary, [
    { text: 'Sort by' },
    ...data.columns.map((column) => ({
      text: html`${headText(source, column)}${order === column.name && html` ${icon('check', 12)}`}`,
      href: statePath(source, state, { orderBy: nextOrder(source, state, column.name) }),
    })),
  ]);
}

function columnMenu(source: ListSource, state: ListState, data: ListData): Markup {
  const shown = data.columns.map(({ name }) => name);
  const all = filterable(source.record).filter(({ field }) => field.kind !== 'json');
  const summary = html`<summary class="button quiet square" title="Columns">${icon('columns')}
<span class="hidden">Columns</span></summary>`;
  const query = new URLSearchParams(statePath(source, state, { columns: [] }).split('?')[1] ?? '');
  const rows = data.columns.map((column, at) => {
    const up = [...shown.slice(0, at - 1), column.name, shown[at - 1] ?? '', ...shown.slice(at + 1)];
    const label = headText(source, column);
    const move =
      at > 0 &&
      html`<a class="button quiet square" href="${statePath(source, state, { columns: up })}" data-list-link
 aria-label="Move ${label} to the left" title="Move to the left">${icon('chevronUp', 12)}</a>`;
    return html`<div class="row column-choice">${checkbox({
      label,
      name: 'Columns',
      value: column.name,
      isChecked: true,
    })}<span class="end">${move}</span></div>`;
  });
  const others = all
    .filter(({ name }) => !shown.includes(name))
    .map(({ name, field }) => checkbox({ label: fieldLabel(name, field), name: 'Columns', value: name }));
  return menu(summary, [
    html`<form class="column-form" method="get" action="${source.path}" data-list-form>
${[...query].map(([name, value]) => hiddenField(name, value))}
<p class="menu-heading">Columns · ${shown.length} of ${all.length} shown</p>
<div class="column-list scroll" tabindex="0" role="group" aria-label="Columns">${rows}<hr>${others}</div>
${button({ text: 'Show these columns', kind: 'primary' })}</form>`,
  ]);
}

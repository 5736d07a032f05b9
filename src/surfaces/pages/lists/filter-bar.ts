import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { fieldLabel, valueLabel, wordsOf } from '../../../kernel/declare/labels.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { button } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import { menu, type MenuEntry } from '../design/menu.ts';
import { selectField, textField, recordField } from '../design/field.ts';
import { hiddenField } from '../components.ts';
import type { PageCall } from '../page-call.ts';
import { operatorText, operatorsOf, parseFilter, takesValue, type FilterTerm } from './filters.ts';
import type { ListData } from './list-data.ts';
import type { ListSource } from './list-sources.ts';
import { parentOf, statePath, type ListFilter, type ListState, type ParentFilter } from './list-state.ts';
import { recordLink } from '../display-values.ts';

/** The filter of the box at the front: what begins with a text. */
const TEXT_FILTER = 'StartsWith';

/** Renders the box to filter by text, a chip for each filter, and the menu that adds one. */
export function filterBar(call: PageCall, source: ListSource, state: ListState, data: ListData | undefined): Markup {
  const { record } = source;
  const parent = parentOf(call, state);
  const isParent = ({ name }: ListFilter): boolean => parent !== undefined && /^Object(?:ID)?$/.test(name);
  const chips = state.filters.flatMap((filter, at) =>
    filter.name === TEXT_FILTER || isParent(filter) ? [] : [chip({ source, state, data }, filter, at)],
  );
  if (parent) chips.unshift(parentChip(call, { source, state, data }, parent));
  const named = state.named.map((name) => namedChip(source, state, name));
  const added = record.columns.get(state.added.toLowerCase());
  return html`<div class="filter-bar" role="group" aria-label="Filters">
${textBox(source, state)}
${named}${chips}
${added && addedChip(call, source, state, added)}
${addMenu(call, source, state)}
</div>`;
}

function textBox(source: ListSource, state: ListState): Markup {
  const text = state.filters.find(({ name }) => name === TEXT_FILTER)?.text ?? '';
  const others = state.filters.filter(({ name }) => name !== TEXT_FILTER);
  return html`<form class="filter-text" method="get" action="${source.path}" role="search"
 aria-label="Filter this list" data-list-form>
${carriedFields(source, state, others)}${icon('search', 14)}
<label class="hidden" for="filter-text">Filter by the beginning of a text</label>
<input class="input" id="filter-text" name="${TEXT_FILTER}" type="search" value="${text}" placeholder="Filter"
 autocomplete="off" data-key="/">${keyHint('/')}
</form>`;
}

/** Renders the parts of the list's address that a form does not change. */
function carriedFields(source: ListSource, state: ListState, filters: readonly ListFilter[]): Markup {
  const path = statePath(source, { ...state, filters });
  const query = new URLSearchParams(path.split('?')[1] ?? '');
  return html`${[...query].map(([name, value]) => hiddenField(name, value))}`;
}

interface ChipContext {
  readonly source: ListSource;
  readonly state: ListState;
  readonly data: ListData | undefined;
}

/** Renders a filter: its field, operator and value open its form; the cross removes it. */
function chip({ source, state, data }: ChipContext, filter: ListFilter, at: number): Markup {
  const column = source.record.columns.get(filter.name.toLowerCase());
  const term = parseFilter(filter.text);
  const others = state.filters.filter((_each, place) => place !== at);
  const label = column ? fieldLabel(column.name, column.field) : wordsOf(filter.name);
  const value = column ? shownValue(column, term, data) : filter.text;
  const operator = column ? operatorText(term.operator, column.field) : 'is';
  const summary = html`<summary class="chip-parts"><span>${label}</span><span class="operator">${operator}</span>${
    takesValue(term.operator) && html`<span class="value cut">${value}</span>`
  }</summary>`;
  const form = column
    ? chipForm(source, { ...state, filters: others }, column, term)
    : html`<p class="menu-heading">Remove this filter to change it.</p>`;
  const remove = removeLink(label, statePath(source, state, { filters: others }));
  return html`<span class="chip" data-chip><details class="menu">${summary}
<div class="menu-entries left">${form}</div></details>${remove}</span>\n`;
}

/** Renders the record to which the list is restricted: its type and number are one filter. */
function parentChip(call: PageCall, { source, state, data }: ChipContext, { record, id }: ParentFilter): Markup {
  const others = state.filters.filter(({ name }) => name !== 'Object' && name !== 'ObjectID');
  const label = data?.labels.get(record.name)?.get(id) ?? `${record.title} ${id}`;
  const remove = removeLink('Belongs to', statePath(source, state, { filters: others }));
  return html`<span class="chip" data-chip><span class="chip-parts"><span>Belongs to</span>
<span class="value cut"><bdi>${recordLink(call, record.name, id, label)}</bdi></span></span>${remove}</span>\n`;
}

function namedChip(source: ListSource, state: ListState, name: string): Markup {
  const others = state.named.filter((each) => each !== name);
  const doc = source.record.sqlFilters?.[name]?.doc ?? '';
  const text = wordsOf(name);
  return html`<span class="chip" data-chip>
<span class="chip-parts" title="${doc}"><span class="value">${text}</span></span>${removeLink(
    text,
    statePath(source, state, { named: others }),
  )}</span>\n`;
}

function removeLink(label: string, href: string): Markup {
  return html`<a class="chip-remove" href="${href}" aria-label="Remove filter: ${label}" data-list-link>${icon(
    'close',
    12,
  )}</a>`;
}

/** Renders the form of a filter whose field has just been chosen, open. */
function addedChip(_call: PageCall, source: ListSource, state: ListState, column: Column): Markup {
  const [operator = 'is'] = operatorsOf(column.field);
  const label = fieldLabel(column.name, column.field);
  return html`<span class="chip" data-chip><details class="menu" open><summary class="chip-parts"><span>${label}</span>
<span class="operator">…</span></summary>
<div class="menu-entries left">${chipForm(source, state, column, { operator, value: '' })}</div></details>${removeLink(
    label,
    statePath(source, state),
  )}</span>`;
}

function chipForm(source: ListSource, rest: ListState, column: Column, term: FilterTerm): Markup {
  const { name, field } = column;
  const id = `filter-${name}`;
  const operators = operatorsOf(field);
  const choices = [...new Set([...operators, term.operator])];
  return html`<form class="chip-form" method="get" action="${source.path}" data-list-form>
${carriedFields(source, rest, rest.filters)}${hiddenField('Field', name)}
${selectField({
  label: fieldLabel(name, field),
  name: 'Operator',
  id: `${id}-operator`,
  value: term.operator,
  choices: choices.map((value) => ({ value, text: operatorText(value, field) })),
})}
${valueField(column, id, term)}
${button({ text: 'Apply', kind: 'primary' })}
</form>`;
}

/** Renders the field for a filter's value as its kind wants it. */
function valueField({ field }: Column, id: string, { value }: FilterTerm): Markup {
  const parts = { label: 'Value', name: 'Value', id: `${id}-value`, value, attributes: html`autofocus` };
  const { kind, values } = field;
  if (values)
    return selectField({
      ...parts,
      empty: 'Choose',
      choices: values.map((each) => ({ value: each, text: valueLabel(field, each) })),
    });
  if (kind === 'boolean')
    return selectField({
      ...parts,
      choices: [
        { value: 'true', text: 'Yes' },
        { value: 'false', text: 'No' },
      ],
    });
  if (kind === 'id' && field.to !== undefined)
    return recordField({
      ...parts,
      type: field.to,
      ...(field.to === 'Person' && { accepts: 'me' }),
      hint: field.to === 'Person' ? 'Type a name, or “me” for yourself.' : 'Type the beginning of its name.',
    });
  if ((kind === 'date' || kind === 'timestamp') && (value === '' || /^\d{4}-\d\d-\d\d$/.test(value)))
    return textField({ ...parts, type: 'date' });
  return textField(parts);
}

function shownValue({ field }: Column, { value }: FilterTerm, data: ListData | undefined): string {
  if (field.kind === 'boolean') return value === 'true' ? 'Yes' : 'No';
  if (field.kind === 'id' && field.to !== undefined && /^\d+$/.test(value)) {
    const id = Number(value);
    return data?.labels.get(field.to)?.get(id) ?? value;
  }
  return valueLabel(field, value);
}

/** Renders the menu of fields and named filters that can be added. */
function addMenu(_call: PageCall, source: ListSource, state: ListState): Markup {
  const { record } = source;
  const summary = html`<summary class="button quiet" data-key="f">${icon('plus', 14)}
<span>Filter</span>${keyHint('f')}</summary>`;
  const named = Object.keys(record.sqlFilters ?? {}).flatMap((name): MenuEntry[] =>
    state.named.includes(name)
      ? []
      : [{ text: wordsOf(name), icon: 'filter', href: statePath(source, state, { named: [...state.named, name] }) }],
  );
  const fields = filterable(record).map(({ name, field }): MenuEntry => ({
    text: fieldLabel(name, field),
    href: statePath(source, state, {}, { Add: name }),
  }));
  return html`<span class="add-filter">${menu(summary, [...named, ...fields], 'left')}</span>`;
}

/** Returns the columns by which people filter, by their labels. */
export function filterable(record: RecordType): readonly Column[] {
  return record.shown
    .filter(({ name, field }) => field.kind !== 'ssn' && field.kind !== 'xml' && name !== 'Version')
    .toSorted((a, b) => fieldLabel(a.name, a.field).localeCompare(fieldLabel(b.name, b.field)));
}

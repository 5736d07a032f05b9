import type { Field } from '../../../kernel/declare/field-types.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { shortDay, today } from '../days.ts';
import { card } from '../design/card.ts';
import { displayValue, localDateTime } from '../display-values.ts';
import type { Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { onceEach } from '../table.ts';
import { fieldGroups, type FieldGroup } from './field-groups.ts';

/** Columns that the head of the page shows instead. */
const headColumns: ReadonlySet<string> = new Set(['Object', 'ObjectID', 'RecordClass']);

function isFilled(row: Row, { name }: Column): boolean {
  return row[name] !== null && row[name] !== undefined && row[name] !== '';
}

/** The fields of a record, as cards. */
export interface RecordFacts {
  readonly own: Markup;
  /** When it was created and changed, and by whom. */
  readonly about: Markup | false;
}

/** Renders the fields of a record that have values, in groups. The names of the others are folded. */
export function recordFacts(call: PageCall, record: RecordType, row: Row, labels: Labels): RecordFacts {
  const columns = onceEach(record.shown.filter(({ name }) => !headColumns.has(name)));
  const empty = columns.filter((column) => !isFilled(row, column));
  const filled = columns.filter((column) => isFilled(row, column));
  const cards = new Map(fieldGroups(record, filled).map((group) => [group.id, groupCard(call, row, group, labels)]));
  const about = cards.get('record');
  const texts = cards.get('texts');
  cards.delete('record');
  cards.delete('texts');
  return {
    own: html`<div class="record-facts stack"><div class="fact-cards">${[...cards.values()]}</div>
${texts}${empty.length > 0 && emptyFields(empty)}</div>`,
    about: about !== undefined && html`<div class="record-facts">${about}</div>`,
  };
}

function groupCard(call: PageCall, row: Row, { id, title, columns }: FieldGroup, labels: Labels): Markup {
  const more = { texts: ' stacked', amounts: ' amounts' }[id as string] ?? '';
  const line = ({ name, field }: Column): Markup => {
    const value = factValue(call, field, row[name], labels);
    return html`<div><dt title="${field.doc}">${fieldLabel(name, field)}</dt><dd>${value}</dd></div>\n`;
  };
  return card({ id: `group-${id}`, title, body: html`<dl class="card-body facts${more}">${columns.map(line)}</dl>` });
}

/** Renders a value; of dates without the year if it is this one. */
function factValue(call: PageCall, field: Field, value: unknown, labels: Labels): Markup {
  if (typeof value !== 'string') return displayValue(call, field, value, labels);
  if (field.kind === 'date') return shortDay(call, value);
  return field.kind === 'timestamp' ? shortTime(call, value) : displayValue(call, field, value, labels);
}

function shortTime(call: PageCall, instant: string): Markup {
  const text = localDateTime(call, instant);
  const short = text.replace(`, ${today(call).slice(0, 4)}, `, ', ');
  return html`<time datetime="${instant}" title="${text}">${short}</time>`;
}

function emptyFields(columns: readonly Column[]): Markup {
  const names = columns.map(({ name, field }) => fieldLabel(name, field)).join(', ');
  return html`<details class="small muted empty-fields">
<summary>${columns.length} empty ${columns.length === 1 ? 'field' : 'fields'}</summary><p>${names}</p></details>`;
}

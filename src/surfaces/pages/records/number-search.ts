import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Column, RecordType } from '../../../kernel/declare/record.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { inSentence } from '../display-names.ts';
import { loadLabels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { recordTypeFromPath } from '../record-address.ts';
import { listColumns, rowsOf } from '../table.ts';
import { recordTable } from '../lists/record-table.ts';
import { allOf } from '../lists/list-sources.ts';
import { listCrumbs } from './record-crumbs.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';

/** Most records shown: few have the same number. */
const ROWS_MAX = 100;

/** Returns the column of a record type that contains a Social Security number. */
export function numberColumn(record: RecordType): Column | undefined {
  return record.shown.find(({ field }) => field.kind === 'ssn');
}

/**
 * Renders the form that finds records by Social Security number: a form that is posted, since addresses are stored by
 * browsers and servers. Nothing for record types without such a number.
 */
export function numberForm(call: PageCall, record: RecordType): Markup | false {
  const column = numberColumn(record);
  if (!column) return false;
  const label = fieldLabel(column.name, column.field);
  return html`<form class="row number-form" action="/records/${record.module}/number" method="post" role="search"
 aria-label="Find by ${label}">
${csrfField(call)}
<label class="hidden" for="number">${label}</label>
<input class="input" id="number" name="Number" autocomplete="off" inputmode="numeric" maxlength="11" required
 placeholder="${label}, all nine digits" aria-describedby="number-doc">
${button({ text: `Find by ${label}` })}
<span class="muted small" id="number-doc">Logged and limited</span>
</form>`;
}

/** Lists the records with a Social Security number that the form sent. */
export const numberSearchPage = page(async (call) => {
  const record = recordTypeFromPath(call);
  const column = numberColumn(record);
  if (!column) throw new PlatformError('NOT_FOUND');
  const title = record.titlePlural;
  const answer = (results: Markup, status = 200) => ({
    title,
    place: allOf(call, record).place,
    crumbs: [...listCrumbs(call, record), { text: `Find by ${fieldLabel(column.name, column.field)}` }],
    status,
    body: html`<div class="page wide"><header class="page-head"><h1>${title}</h1></header>
${numberForm(call, record)}
${results}</div>`,
  });
  try {
    return answer(await foundTable(call, record, column));
  } catch (error) {
    const isShown = error instanceof PlatformError && [400, 429].includes(error.status);
    if (!isShown) throw error;
    return answer(errorNote(error.masked()), error.status);
  }
});

async function foundTable(call: PageCall, record: RecordType, column: Column): Promise<Markup> {
  const number = plainText(call.form['Number']).trim();
  if (number === '') throw new PlatformError('MISSING_PARAMETER', { field: column.name });
  const filter: Readonly<Record<string, string | readonly string[]>> = { [column.name]: number };
  const { answer } = await call.callOf(record, 'search', { ...filter, DisplaySize: ROWS_MAX });
  const { rows } = rowsOf(answer);
  if (rows.length === 0)
    return html`<div role="status">${emptyState({
      icon: 'person',
      title: `No ${inSentence(record.titlePlural)} have this number.`,
      text: 'The number must be complete; parts of it are not searched.',
    })}</div>`;
  const columns = listColumns(record, rows);
  const labels = await loadLabels(call, [{ columns, rows }]);
  const table = recordTable(call, { record, rows, columns, labels, label: 'Records with this number' });
  return card({ id: 'found', title: record.titlePlural, body: table });
}

import type { ListAnswer } from '../../kernel/door/answer.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import type { PageCall } from './page-call.ts';
import { loadLabels } from './labels.ts';
import { page } from './page.ts';
import { listColumns, recordTable, rowsOf } from './table.ts';
import { humanize } from './display-values.ts';

/** What the start page lists, each where the user may search it: what changed last. */
const RECENT_RECORDS: readonly string[] = ['Process', 'Loan', 'Message'];
const RECENT_ROWS = 8;

/** The start page: the search, and what was changed last. */
export const homePage = page(async (call) => {
  const records = RECENT_RECORDS.flatMap((name) => call.platform.registry.record(name) ?? []).filter((record) =>
    call.may(`${record.module}/search`),
  );
  const lists = await Promise.all(
    records.map(async (record) => {
      const { answer } = await call.call(`${record.module}/search`, {
        OrderBy: `-${record.idField}`,
        DisplaySize: String(RECENT_ROWS),
        RecordCount: 'false',
      });
      return { record, rows: rowsOf(answer as ListAnswer).rows };
    }),
  );
  const filled = lists
    .filter(({ rows }) => rows.length > 0)
    .map((list) => ({ ...list, columns: listColumns(list.record, list.rows) }));
  const labels = await loadLabels(call, filled);
  return {
    title: 'Start',
    wide: true,
    body: html`<h1>Good to see you, ${call.user.name}</h1>
<form class="filters" action="/search" method="get" role="search"><p><label class="hidden" for="text">What to look for</label><input id="text" name="Text" type="search" autofocus placeholder="Case or loan number, name, address, outside identifier"> <button>Search</button></p></form>
${await workLink(call)}
${filled.map(({ record, rows, columns }) => html`<section aria-labelledby="latest-${record.module}"><h2 id="latest-${record.module}">Newest: ${humanize(record.name).toLowerCase()}</h2>${recordTable(call, record, rows, { columns, labels, caption: `Latest: ${humanize(record.name)}` })}<p><a href="/records/${record.module}">All of them</a></p></section>`)}
${filled.length === 0 && html`<p>There is nothing within your reach yet.</p>`}`,
  };
});

/** The way to the user's own work, and what is begun of it. */
async function workLink(call: PageCall): Promise<Markup | false> {
  if (!call.may('smartworklistmember/next') || !call.may('smartworklistmember/search')) return false;
  const { answer } = await call.call('smartworklistmember/search', {
    PersonID: String(call.user.personId),
    Status: 'Started',
    SqlColumns: 'SmartWorklistMemberID',
    DisplaySize: '1',
  });
  const { count } = rowsOf(answer as ListAnswer);
  return html`<p class="actions"><a class="button" href="/work">Work</a> <span class="quiet">${count === 0 ? 'Take your next item.' : `You have begun ${count === 1 ? 'one item' : `${count} items`}.`}</span></p>`;
}

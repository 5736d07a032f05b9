import { html, type Markup } from '../../kernel/render/markup.ts';
import { inSentence } from './display-names.ts';
import { failedStepsNote } from './failed-steps.ts';
import { localInputValue } from './display-values.ts';
import { loadLabels, type Labels } from './labels.ts';
import type { PageCall } from './page-call.ts';
import { page } from './page.ts';
import { searchForm } from './search.ts';
import { listColumns, recordTable, rowsOf, type RecordRows } from './table.ts';

/** Record types whose newest records the home page lists, where the user may search them. */
const RECENT_RECORDS: readonly string[] = ['Process', 'Loan', 'Message'];
const RECENT_ROWS = 8;

/** Shows the search, the user's work, and the newest records. */
export const homePage = page(async (call) => {
  const records = RECENT_RECORDS.flatMap((name) => call.platform.registry.record(name) ?? []).filter((record) =>
    call.mayOf(record, 'search'),
  );
  const lists = await Promise.all(
    records.map(async (record) => {
      const { answer } = await call.callOf(record, 'search', {
        OrderBy: `-${record.idField}`,
        DisplaySize: RECENT_ROWS,
        RecordCount: 'false',
      });
      return { record, rows: answer.rows };
    }),
  );
  const filled = lists
    .filter(({ rows }) => rows.length > 0)
    .map((list) => ({ ...list, columns: listColumns(list.record, list.rows) }));
  const labels = await loadLabels(call, filled);
  return {
    title: 'Home',
    wide: true,
    body: html`<h1>${greeting(call)}, ${call.user.name}</h1>
${searchForm('')}
${await workLink(call)}
${await failedStepsNote(call)}
${filled.map((list) => recentSection(call, list, labels))}
${filled.length === 0 && html`<p>There's nothing to show yet.</p>`}`,
  };
});

function greeting(call: PageCall): string {
  const hour = Number(localInputValue(call, call.platform.clock.now()).slice(11, 13));
  if (hour < 12) return 'Good morning';
  return hour < 18 ? 'Good afternoon' : 'Good evening';
}

function recentSection(call: PageCall, list: RecordRows, labels: Labels): Markup {
  const { record } = list;
  const id = `latest-${record.module}`;
  const title = `Recent ${inSentence(record.titlePlural)}`;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${recordTable(call, list, { labels, caption: title })}
<p><a href="/records/${record.module}">View all<span class="hidden"> ${record.title} records</span></a></p>
</section>`;
}

/** Links to the user's own work, with the number of items in progress. */
async function workLink(call: PageCall): Promise<Markup | false> {
  if (!call.may('smartworklistmember/next') || !call.may('smartworklistmember/search')) return false;
  const { answer } = await call.call('smartworklistmember/search', {
    PersonID: call.user.personId,
    Status: 'Started',
    SqlColumns: 'SmartWorklistMemberID',
    DisplaySize: '1',
  });
  const { count } = rowsOf(answer);
  const items = count === 1 ? 'one item' : `${count} items`;
  const note = count === 0 ? 'Take the next item from your queue.' : `You have ${items} in progress.`;
  return html`<p class="actions"><a class="button" href="/work">Work</a> <span class="quiet">${note}</span></p>`;
}

import type { AnswerRowFor, RecordName } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { dataTable } from '../components.ts';
import { loadLabels } from '../labels.ts';
import { administrationCrumb } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { listColumns, recordTable, rowsOf } from '../table.ts';
import { sessionTable } from './users.ts';

/** Log entries that the health page shows, and rows of the other pages. */
const LATEST_ROWS = 15;
const PAGE_ROWS = 50;

/** Shows the state of the installation, and recent errors. */
export const healthPage = page(async (call) => {
  const title = 'Recent errors';
  const [health, errors] = await Promise.all([
    call.call('system/health', {}),
    latestRows(call, 'ErrorLog', LATEST_ROWS, title),
  ]);
  const line = ({ Health: check, State: state, Detail: detail }: AnswerRowFor<'system/health'>): Markup => html`<tr>
<th scope="row">${check}</th>
<td><span class="status ${state}">${state}</span></td>
<td>${detail}</td>
</tr>`;
  return {
    title: 'Health',
    wide: true,
    body: html`${administrationCrumb()}
<h1>Health</h1>
${dataTable({
  label: 'Health',
  heads: ['Check', 'State', 'Details'],
  rows: health.answer.rows.map(line),
})}
<h2>${title}</h2>
${errors}`,
  };
});

/** Shows the newest entries of the security log. */
export const securityPage = page(async (call) => ({
  title: 'Security log',
  wide: true,
  body: html`${administrationCrumb()}
<h1>Security log</h1>
<p><a href="/records/securitylog">Filter or download the log</a></p>
${await latestRows(call, 'SecurityLog', PAGE_ROWS, 'Security log')}`,
}));

/** Shows the open sessions. */
export const sessionsPage = page(async (call) => {
  const { answer } = await call.call('session/search', {
    Status: 'Open',
    OrderBy: '-SessionID',
    DisplaySize: PAGE_ROWS,
  });
  return {
    title: 'Sessions',
    wide: true,
    body: html`${administrationCrumb()}
<h1>Sessions</h1>
<p class="quiet">
  Open sessions. Expired ones are listed until they are cleaned up. <a href="/records/session">View all</a>
</p>
${sessionTable(call, rowsOf(answer).rows)}`,
  };
});

/** Ends a session. */
export const endSession = page(async (call) => {
  await call.call('session/end', { ID: plainText(call.form['ID']) });
  return { redirectTo: '/administration/sessions' };
});

async function latestRows(call: PageCall, name: RecordName, size: number, caption: string): Promise<Markup> {
  const record = call.platform.registry.requireRecord(name, 'name');
  const { answer } = await call.callOf(record, 'search', {
    OrderBy: `-${record.idField}`,
    DisplaySize: size,
    RecordCount: 'false',
  });
  const { rows } = rowsOf(answer);
  if (rows.length === 0) return html`<p class="quiet">None</p>`;
  const columns = [
    ...listColumns(record, rows, ['UpdatedDate']),
    ...record.shown.filter(({ name }) => name === 'CreatedDate'),
  ];
  return recordTable(call, { record, rows, columns }, { labels: await loadLabels(call, [{ columns, rows }]), caption });
}

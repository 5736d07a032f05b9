import type { ListAnswer } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { loadLabels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { listColumns, recordTable, rowsOf } from '../table.ts';
import { sessionTable } from './users.ts';

/** Rows of the latest log entries. */
const LATEST_ROWS = 15;
const PAGE_ROWS = 50;

/** How the installation is, and the latest unforeseen failures. */
export const healthPage = page(async (call) => {
  const [health, errors] = await Promise.all([
    call.call('system/health'),
    latestRows(call, 'errorlog', LATEST_ROWS, 'Latest unforeseen failures'),
  ]);
  const rows = (health.answer as ListAnswer).rows;
  return {
    title: 'Health',
    wide: true,
    body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>Health</h1>
<div class="scroll" role="region" tabindex="0" aria-label="Health"><table><thead><tr><th scope="col">What</th><th scope="col">State</th><th scope="col">Found</th></tr></thead><tbody>${rows.map((row) => html`<tr><th scope="row">${String(row['Health'])}</th><td><span class="status ${String(row['State'])}">${String(row['State'])}</span></td><td>${String(row['Detail'])}</td></tr>`)}</tbody></table></div>
<h2>Latest unforeseen failures</h2>${errors}`,
  };
});

/** What happened to access, the latest first. */
export const securityPage = page(async (call) => ({
  title: 'Security log',
  wide: true,
  body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>Security log</h1><p><a href="/records/securitylog">Filter it, or take it as CSV</a></p>${await latestRows(call, 'securitylog', PAGE_ROWS, 'Security log')}`,
}));

/** Who is signed in. */
export const sessionsPage = page(async (call) => {
  const { answer } = await call.call('session/search', {
    Status: 'Open',
    OrderBy: '-SessionID',
    DisplaySize: String(PAGE_ROWS),
  });
  return {
    title: 'Sign-ins',
    wide: true,
    body: html`<p class="crumbs"><a href="/administration">Administration</a></p><h1>Sign-ins</h1><p class="quiet">Those that were not ended; one that has expired is listed until it is swept. <a href="/records/session">All of them</a></p>${sessionTable(call, rowsOf(answer as ListAnswer).rows)}`,
  };
});

/** Ends a sign-in. */
export const endSession = page(async (call) => {
  await call.call('session/end', { ID: String(call.form['ID'] ?? '') });
  return { redirectTo: '/administration/sessions' };
});

async function latestRows(call: PageCall, module: string, size: number, caption: string): Promise<Markup> {
  const record = call.platform.registry.requireRecord(module, 'module');
  const { answer } = await call.call(`${module}/search`, {
    OrderBy: `-${record.idField}`,
    DisplaySize: String(size),
    RecordCount: 'false',
  });
  const { rows } = rowsOf(answer as ListAnswer);
  if (rows.length === 0) return html`<p class="quiet">None.</p>`;
  const columns = [
    ...listColumns(record, rows, ['UpdatedDate']),
    ...record.shown.filter(({ name }) => name === 'CreatedDate'),
  ];
  return recordTable(call, record, rows, { columns, labels: await loadLabels(call, [{ columns, rows }]), caption });
}

import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { shortTimeMark } from '../short-time.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';

/** Errors that the page shows. */
const ERRORS_SHOWN = 15;

/** Shows the state of the installation, what to do about it, and recent errors. */
export const healthPage = page(async (call) => {
  const [health, errors] = await Promise.all([call.call('system/health', {}), errorsCard(call)]);
  const { rows } = health.answer;
  const troubled = rows.filter(({ State: state }) => state !== 'ok').length;
  return administrationAnswer(call, {
    title: 'Health',
    path: '/administration/health',
    intro: troubled === 0 ? 'All checks are passed.' : `${troubled} of ${rows.length} checks need attention.`,
    actions: buttonLink({ text: 'Check again', href: '/administration/health', icon: 'refresh' }),
    body: html`${card({
      id: 'checks',
      title: 'Checks',
      body: table({
        label: 'Health checks',
        className: 'wrap',
        heads: ['Check', 'State', 'Details', 'What to do'],
        rows: rows.map(checkRow),
      }),
    })}${errors}`,
  });
});

function checkRow({
  Health: check,
  State: state,
  Detail: detail,
  Advice: advice,
}: AnswerRowFor<'system/health'>): Markup {
  return html`<tr>
<th scope="row">${check}</th>
<td>${stateBadge(state)}</td>
<td>${detail}</td>
<td>${advice}</td>
</tr>\n`;
}

function stateBadge(state: string): Markup {
  if (state === 'failed') return badge('Failed', 'danger', 'error');
  return state === 'warning' ? badge('Warning', 'warn', 'warning') : badge('OK', 'ok', 'check');
}

async function errorsCard(call: PageCall): Promise<Markup | false> {
  if (!call.may('errorlog/search')) return false;
  const { answer } = await call.call('errorlog/search', {
    OrderBy: '-ErrorLogID',
    DisplaySize: ERRORS_SHOWN,
    RecordCount: 'false',
  });
  const { rows } = rowsOf(answer);
  return card({
    id: 'errors',
    title: 'Recent errors',
    actions: buttonLink({ text: 'All errors', href: '/records/errorlog', kind: 'quiet' }),
    body:
      rows.length === 0
        ? emptyState({ title: 'No unexpected error is in the log.', icon: 'check' })
        : table({
            label: 'Latest errors',
            className: 'wrap',
            heads: ['When', 'Error', 'Reference'],
            rows: rows.map(
              (row) => html`<tr>
<td class="nowrap">${shortTimeMark(call, row.CreatedDate)}</td>
<th scope="row"><a href="/records/errorlog/${row.ErrorLogID}">${row.ErrorLog}</a></th>
<td class="mono">${row.ErrorGUID}</td>
</tr>\n`,
            ),
          }),
  });
}

import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { browserOf } from '../browser-name.ts';
import { hiddenField } from '../components.ts';
import { button, buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { table } from '../design/table.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { shortTimeMark } from '../due-words.ts';
import { rowsOf } from '../table.ts';
import { administrationAnswer } from './frame.ts';

type SessionRow = RowNamed<'Session'>;

const PATH = '/administration/sessions';
/** Sessions that the page shows. */
const PAGE_ROWS = 100;

/** Shows the open sessions. */
export const sessionsPage = page(async (call) => {
  const { answer } = await call.call('session/search', {
    Status: 'Open',
    OrderBy: '-SessionID',
    DisplaySize: PAGE_ROWS,
  });
  const { rows, count } = rowsOf(answer);
  const labels = await loadLabels(call, [referencesOf(rows, ['PersonID', 'Person'])]);
  return administrationAnswer(call, {
    title: 'Sessions',
    path: PATH,
    intro: 'Who is signed in at a browser. A session that you end is refused everywhere within a second.',
    actions: buttonLink({ text: 'All sessions', href: '/records/session', kind: 'quiet' }),
    done: call.query['done'] === 'ended' ? 'Session ended' : undefined,
    body: card({ id: 'sessions', title: 'Open sessions', note: count, body: sessionTable(call, rows, labels) }),
  });
});

/** Ends a session. */
export const endSession = page(async (call) => {
  await call.call('session/end', { ID: plainText(call.form['ID']) });
  return { redirectTo: `${PATH}?done=ended` };
});

/** Renders sessions, each with a button that ends it. Without `labels` they are one user's. */
export function sessionTable(call: PageCall, rows: readonly SessionRow[], labels?: Labels): Markup {
  if (rows.length === 0) return emptyState({ title: 'Nobody is signed in at a browser.' });
  return table({
    label: 'Sessions by browser',
    heads: [
      labels !== undefined && 'User',
      'Browser',
      'Address',
      'Signed in',
      'Last used',
      { text: 'End', isHidden: true },
    ],
    rows: rows.map((row) => sessionRow(call, row, labels)),
  });
}

function sessionRow(call: PageCall, row: SessionRow, labels: Labels | undefined): Markup {
  const { PersonID: person, SessionID: id } = row;
  const name = labels?.get('Person')?.get(person) ?? String(person);
  const end =
    row.EndedDate === null &&
    call.may('session/end') &&
    html`<form method="post" action="${PATH}/end">${csrfField(call)}${hiddenField('ID', id)}
${button({ text: 'End', kind: 'quiet', of: labels ? `session of ${name}` : `session ${id}` })}</form>`;
  return html`<tr>
${labels && html`<th scope="row"><a href="/administration/users/${person}">${name}</a></th>`}
<td title="${row.Session}">${browserOf(row.Session ?? '')}</td>
<td class="mono">${row.Address}</td>
<td>${shortTimeMark(call, row.CreatedDate)}</td>
<td>${shortTimeMark(call, row.LastSeen)}</td>
<td class="number">${end}</td>
</tr>\n`;
}

import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { recordField, textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { loadLabels } from '../labels.ts';
import { errorNote } from '../notes.ts';
import type { PageCall } from '../page-call.ts';
import { plainText } from '../plain-text.ts';

type RoleExplanation = AnswerRowFor<'role/explain'>;

/** Renders the question why a user may or may not do something, and its answer where the address asks it. */
export async function explanationCard(call: PageCall): Promise<Markup> {
  const person = plainText(call.query['PersonID']).trim();
  const operation = plainText(call.query['Operation']).trim();
  const isRequested = person !== '' && operation !== '';
  return card({
    id: 'why',
    title: "Why can or can't somebody do this?",
    body: html`<form class="filter-line" method="get" action="/administration/roles#why" role="search" aria-label="Why">
${recordField({ label: 'User', name: 'PersonID', value: person, type: 'Person' })}
${textField({ label: 'Operation', name: 'Operation', value: operation, attributes: html`placeholder="contact/save"` })}
${button({ text: 'Explain' })}
</form>${isRequested && (await answer(call, person, operation))}`,
  });
}

async function answer(call: PageCall, person: string, operation: string): Promise<Markup> {
  try {
    const explained = await call.call('role/explain', { PersonID: person, Operation: operation });
    const id = Number(person);
    const labels = await loadLabels(call, [{ columns: [], rows: [{ Object: 'Person', ObjectID: id }] }]);
    return explanation(explained.answer.rows, labels.get('Person')?.get(id) ?? person, operation);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return html`<div class="card-body">${errorNote(error.masked())}</div>`;
  }
}

function explanation(rows: readonly RoleExplanation[], name: string, operation: string): Markup {
  const by = rows.filter(({ Held: held, Grants: grants }) => held && grants).map(({ Role: role }) => role);
  const would = rows.filter(({ Held: held, Grants: grants }) => !held && grants).map(({ Role: role }) => role);
  const permission = rows[0]?.Permission ?? '';
  const may = permission === '' || by.length > 0;
  const why =
    permission === ''
      ? 'It needs no permission: everybody who is signed in may call it.'
      : reason({ permission, by, would });
  return html`<div class="card-body">${banner({
    tone: may ? 'ok' : 'warn',
    text: html`<bdi class="strong">${name}</bdi> <span class="strong">${may ? 'may' : 'may not'}</span> call
<code>${operation}</code>. ${why}`,
  })}</div>
${
  permission !== '' &&
  table({
    label: 'What each role grants',
    className: 'wrap',
    heads: ['Role', 'The user has it', permission, 'Pattern'],
    rows: rows.map(
      ({ Role: role, RoleID: id, Held: held, Grants: grants, Pattern: pattern }) => html`<tr>
<th scope="row"><a href="/records/role/${id}">${role}</a></th>
<td>${held ? 'Yes' : 'No'}</td>
<td>${grants ? badge('Granted', 'ok', 'check') : badge('Not granted')}</td>
<td>${pattern === null ? html`<span class="muted">None</span>` : html`<code>${pattern}</code>`}</td>
</tr>\n`,
    ),
  })
}`;
}

function reason(of: {
  readonly permission: string;
  readonly by: readonly string[];
  readonly would: readonly string[];
}): string {
  const { permission, by, would } = of;
  if (by.length > 0) return `${by.join(', ')} ${by.length === 1 ? 'grants' : 'grant'} ${permission}.`;
  const others = would.length > 0 ? ` ${would.join(', ')} would.` : ' No role does.';
  return `None of the user's roles grants ${permission}.${others}`;
}

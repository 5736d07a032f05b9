import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { button, buttonLink } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { hiddenField } from '../components.ts';
import { dueWords } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { caseKey, itemTitle, type ItemCases, type UpcomingRow } from '../work/item-cases.ts';

/** Renders the next item with the reason why it is next, and the buttons to begin or skip it. */
export function nextCard(call: PageCall, row: UpcomingRow | undefined, cases: ItemCases): Markup {
  if (!row) return caughtUp(call);
  const due = dueWords(call, row.DueDate);
  const id = String(row.SmartWorklistMemberID);
  const isStarted = row.StartDate !== null;
  return html`<section class="next-item" aria-labelledby="next-item-title">
<div class="next-what">
<p class="row small soft"><span>${isStarted ? 'In progress' : 'Next item'}</span>
${due.tone === 'late' && badge(due.text, 'danger', 'clock')}
${due.tone !== 'late' && due.text !== '' && badge(due.text, due.tone === 'soon' ? 'warn' : 'neutral')}</p>
<h2 id="next-item-title"><bdi>${itemTitle(call, row)}</bdi></h2>
<p class="soft">${caseLine(row, cases)}</p>
</div>
<div class="next-why small"><span class="muted">Why this one</span><p><bdi>${row.Why}</bdi></p></div>
<form class="next-actions" method="post" action="/work">
${csrfField(call)}${hiddenField('ID', id)}
${button({
  text: isStarted ? 'Continue' : 'Start',
  kind: 'primary',
  key: 'w',
  name: 'Do',
  value: 'start',
  of: itemTitle(call, row),
})}
${
  call.may('smartworklistmember/skip') &&
  buttonLink({ text: 'Skip', href: `/item/skip?item=${id}&from=home`, of: itemTitle(call, row) })
}
</form>
</section>`;
}

/** Renders a case in one line: borrowers, property, number. */
function caseLine(row: UpcomingRow, cases: ItemCases): Markup {
  const { name = '', place = '', number = '' } = cases.get(caseKey(row)) ?? {};
  const parts = [name, place, number].filter((text) => text !== '');
  return html`${parts.map((text, at) => html`${at > 0 && ' · '}<bdi>${text}</bdi>`)}`;
}

function caughtUp(call: PageCall): Markup {
  const action =
    call.may('smartworklist/counts') && html`<a class="button" href="/team">See the work of your teams</a>`;
  return html`<section class="card" aria-label="Next item">${emptyState({
    icon: 'check',
    title: 'Nothing waits for you.',
    text: 'New items appear here when a case needs you. Skipped ones come back on their day.',
    action,
  })}</section>`;
}

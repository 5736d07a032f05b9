import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { recentTime } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import type { ItemRow } from './current-item.ts';
import { itemTitle } from './item-cases.ts';
import { queueOf } from './work-address.ts';

/** Why an item cannot be worked on, in words; undefined if it can. */
export async function goneReason(call: PageCall, row: ItemRow | undefined): Promise<string | undefined> {
  if (!row) return 'This item does not exist, or you don’t have access to it.';
  const labels = await loadLabels(call, [referencesOf([row], ['PersonID', 'Person'], ['UpdatedPersonID', 'Person'])]);
  const title = itemTitle(call, row);
  const [owner, last] = [nameOf(call, labels, row.PersonID), nameOf(call, labels, row.UpdatedPersonID)];
  const at = (instant: string): string => recentTime(call, instant);
  if (row.CompletionDate !== null) return `“${title}” was completed by ${last}, ${at(row.CompletionDate)}.`;
  if (row.CancelledDate !== null) return `“${title}” was canceled, ${at(row.CancelledDate)}. Nothing is left to do.`;
  if (row.PersonID !== null && row.PersonID !== call.user.personId)
    return row.StartDate === null
      ? `“${title}” was assigned to ${owner}, ${at(row.UpdatedDate ?? row.CreatedDate)}.`
      : `${owner} is working on “${title}” since ${at(row.StartDate)}.`;
  return undefined;
}

function nameOf(call: PageCall, labels: Labels, id: number | null): string {
  if (id === call.user.personId) return 'you';
  return labels.get('Person')?.get(id ?? 0) ?? 'somebody else';
}

/** Renders why an item cannot be worked on, and the way on. */
export function gonePane(call: PageCall, reason: string, hasNext: boolean): Markup {
  const next = html`<form method="post" action="/work">${csrfField(call)}${hiddenField('queue', queueOf(call))}
${button({ text: 'Next item', kind: 'primary', key: 'w', name: 'Do', value: 'next' })}</form>`;
  return html`<section class="work-item scroll" aria-labelledby="item-title" tabindex="0"><div class="work-column">
<h1 id="item-title" tabindex="-1">This item is no longer yours to do</h1>
${banner({
  tone: 'warn',
  role: 'status',
  text: reason,
  more: html`<p>Answers that you entered are in the task’s draft. Whoever works on it sees them.</p>`,
  actions: hasNext && next,
})}
</div></section>`;
}

import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { holdNote } from '../forms/form-entry.ts';
import { recentTime } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import type { CurrentItem } from './current-item.ts';
import { queueOf, workPath } from './work-address.ts';

/**
 * Returns the topics whose changes concern the open item: the item itself, its record, and the case, whose holds stop
 * the task.
 */
function topicsOf({ row, about }: Pick<CurrentItem, 'row' | 'about'>): string {
  const own = `smartworklistmember/${row.SmartWorklistMemberID}`;
  const records = [
    `${row.SourceObject}/${row.SourceObjectID}`,
    ...(about.ObjectID > 0 ? [`${about.Object}/${about.ObjectID}`] : []),
  ];
  return [own, ...new Set(records)].join(' ').toLowerCase();
}

/** Renders the attributes of an element that follows the open item while it is worked on. */
export function followsItem(item: Pick<CurrentItem, 'row' | 'about'>): Markup {
  return html`data-live="${topicsOf(item)}" data-live-mode="quiet"`;
}

/**
 * Renders what keeps the item from being completed, and who else changed it. It is renewed while the item is open; what
 * the user has entered stays below it.
 */
export function itemState(call: PageCall, item: CurrentItem, gone: string | undefined): Markup {
  const { form } = item;
  const isHeld = gone === undefined && form?.isOnHold === true;
  return html`<div id="item-state" role="status" ${followsItem(item)}>
${gone !== undefined && goneNote(gone)}${isHeld && holdNote(call, form)}${gone === undefined && changedNote(call, item)}
</div>`;
}

function goneNote(reason: string): Markup {
  return banner({
    tone: 'warn',
    text: reason,
    more: html`<p>What you entered stays here until you leave the page.</p>`,
  });
}

/**
 * Renders who last changed the task. It is hidden: the script shows it if that was after the page was shown, which it
 * knows by the task's version.
 */
function changedNote(call: PageCall, { row, source, form, people }: CurrentItem): Markup | false {
  if (!form || !source) return false;
  const { UpdatedPersonID: by, UpdatedDate: at } = source;
  if (typeof by !== 'number' || by === call.user.personId || typeof at !== 'string') return false;
  const who = people.get(by) ?? 'Somebody else';
  return html`<div data-version="${form.version}" hidden>${banner({
    tone: 'info',
    text: html`<bdi>${who}</bdi> changed this task, ${recentTime(call, at)}.`,
    actions: html`<a class="button" href="${workPath(call, row.SmartWorklistMemberID)}">Show the changes</a>`,
  })}</div>`;
}

/** Renders the way to the next item. */
export function nextButton(call: PageCall): Markup {
  return html`<form method="post" action="/work">${csrfField(call)}${hiddenField('queue', queueOf(call))}
${button({ text: 'Next item', kind: 'primary', key: 'w', name: 'Do', value: 'next' })}</form>`;
}

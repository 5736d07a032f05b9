import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { facts } from '../design/list.ts';
import { fieldLabel } from '../../../kernel/declare/labels.ts';
import { hiddenField } from '../components.ts';
import { badge } from '../design/badge.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { icon } from '../design/icons.ts';
import { displayValue } from '../display-values.ts';
import { dueSentence } from '../due-words.ts';
import {
  canComplete,
  formEntry,
  moveButton,
  rejectionNote,
  TASK_FORM_ID,
  type RejectedAnswers,
} from '../forms/form-entry.ts';
import { completeNote, draftNote } from '../forms/task-form.ts';
import type { FormView } from '../forms/form-view.ts';
import type { Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import type { PageCall } from '../page-call.ts';
import { listColumns } from '../table.ts';
import type { CurrentItem } from './current-item.ts';
import { itemTitle, recordAddress, type UpcomingRow } from './item-cases.ts';
import { givingText, mayGiveAway } from './give-away.ts';
import { followsItem, itemState, nextButton } from './item-state.ts';
import { queueOf, workPath } from './work-address.ts';

/** Characters of a reason that the page shows; the record has it all. */
const REASON_CHARACTERS_MAX = 2_000;

/** How the item is shown. */
export interface ItemPaneOptions {
  /** The item among the coming ones, which says why it is next. */
  readonly upcoming: UpcomingRow | undefined;
  readonly sent: Readonly<Record<string, string>>;
  readonly rejected: RejectedAnswers | undefined;
}

/** Renders the item in the middle: what it is, why it is here, and its form. */
export function itemPane(call: PageCall, item: CurrentItem, options: ItemPaneOptions): Markup {
  const { row, form, source, record, labels } = item;
  const id = row.SmartWorklistMemberID;
  return html`<section class="work-item scroll" id="item-${id}" aria-labelledby="item-title" tabindex="0">
<div class="work-column">
${headLines(call, item, options.upcoming?.Why ?? '')}
${itemState(call, item, undefined)}
${form ? formPart(call, form, id, options) : recordPart(call, { item, source, record, labels })}
</div>
</section>`;
}

function headLines(call: PageCall, { row, form }: CurrentItem, why: string): Markup {
  const detail = (row.ReasonDetail ?? '').slice(0, REASON_CHARACTERS_MAX);
  const status = form?.status ?? '';
  return html`<p class="small row wrap">${dueMark(call, row.DueDate)}
${why !== '' && whyLink(call, row.SmartWorklistMemberID, why)}</p>
<h1 id="item-title" tabindex="-1"><bdi>${itemTitle(call, row)}</bdi>${status !== '' && html` ${badge(status)}`}</h1>
${(row.Reason ?? '') !== '' && html`<p class="soft">In the queue because: <bdi>${row.Reason}</bdi></p>`}
${detail !== '' && html`<p class="soft text">${detail}</p>`}`;
}

/** Renders why the item is next, which leads to all that decides its place. */
function whyLink(call: PageCall, id: number, why: string): Markup {
  const words = html`<bdi>${why}</bdi>`;
  if (!call.may('smartworklistmember/explain')) return html`<span class="muted">${words}</span>`;
  return html`<a class="muted" href="/item/why?item=${id}&amp;from=work" data-key="y"
 title="Why is it here? (Y)">${words}</a>`;
}

function dueMark(call: PageCall, instant: string | null): Markup | false {
  if (instant === null) return false;
  const { text, tone } = dueSentence(call, instant);
  const clock = tone === 'late' && icon('clock', 14);
  return html`<span class="row ${tone}">${clock}${text}</span>`;
}

function formPart(call: PageCall, form: FormView, id: number, { sent, rejected }: ItemPaneOptions): Markup {
  return html`${form.instructions !== '' && html`<p class="soft text">${form.instructions}</p>`}
${rejected && rejectionNote(call, form, sent, rejected)}
${completeNote(call, form)}${draftNote(call, form)}
${formEntry(call, form, { sent, rejected, itemId: String(id) })}`;
}

interface RecordPart {
  readonly item: CurrentItem;
  readonly source: Row | undefined;
  readonly record: RecordType | undefined;
  readonly labels: Labels;
}

/** Renders an item that is no task: the facts of its record, and where to work on it. */
function recordPart(call: PageCall, { item, source, record, labels }: RecordPart): Markup {
  if (!source || !record)
    return banner({ tone: 'warn', text: 'The record was deleted, or you don’t have access to it.' });
  const columns = listColumns(record, [source]).filter(({ name }) => name !== record.name);
  const address = item.url ?? recordAddress(call, { Object: record.name, ObjectID: item.row.SourceObjectID });
  const external = item.url !== undefined && /^https?:/i.test(item.url) && html`rel="noreferrer"`;
  const open = address !== undefined && buttonLink({ text: 'Open', icon: 'link', href: address, attributes: external });
  const shown = columns.map(
    ({ name, field }) => [fieldLabel(name, field), displayValue(call, field, source[name], labels)] as const,
  );
  return html`${facts(shown)}
${open && html`<p>${open}</p>`}`;
}

/** Renders the bar at the bottom: whether the answers are saved, and what can be done. */
export function workFoot(call: PageCall, item: CurrentItem, wrong: number): Markup {
  return html`<footer class="work-foot">
<p class="row small muted" data-saved role="status">${icon('check', 14)}<span></span></p>
<p class="row small late" data-problems${wrong === 0 && html` hidden`}>${icon('error', 14)}<span>${wrong} ${
    wrong === 1 ? 'answer' : 'answers'
  } to check</span></p>
${workActions(call, item, false)}
</footer>`;
}

/** Renders what can be done with the item now. `isGone`: it is somebody else's by now, or done. */
export function workActions(call: PageCall, item: CurrentItem, isGone: boolean): Markup {
  const { row, form } = item;
  const id = row.SmartWorklistMemberID;
  const link = (text: string, action: string, key: string, name: 'note' | 'assign' | 'skip' | 'undo'): Markup =>
    buttonLink({
      text,
      icon: name,
      key,
      kind: name === 'skip' ? 'plain' : 'quiet',
      href: `/item/${action}${workPath(call, id).slice('/work'.length)}`,
    });
  const own = html`${call.may('message/save') && link('Note', 'note', 'n', 'note')}
${mayGiveAway(call) && link(givingText(call), 'reassign', 'r', 'assign')}
${call.may('smartworklistmember/skip') && link('Skip', 'skip', 's', 'skip')}
${completeButtons(call, id, form)}`;
  return html`<div class="row end" id="work-actions" ${followsItem(item)}>${isGone ? nextButton(call) : own}</div>`;
}

function completeButtons(call: PageCall, id: number, form: CurrentItem['form']): Markup | false {
  const text = 'Complete and next';
  if (form && !form.isComplete) {
    if (form.isOnHold) return button({ text, kind: 'primary', disabledReason: 'The task is on hold.' });
    if (!call.may('importform/update')) return false;
    if (!canComplete(form)) return html`${form.moves.map((move) => moveButton(move, TASK_FORM_ID))}`;
    return button({ text, kind: 'primary', key: 'c', name: 'Do', value: 'complete', form: TASK_FORM_ID });
  }
  if (!call.may('smartworklistmember/complete')) return false;
  return html`<form method="post" action="/work" data-next>${csrfField(call)}${hiddenField('ID', id)}${hiddenField(
    'queue',
    queueOf(call),
  )}
${button({ text, kind: 'primary', key: 'c', name: 'Do', value: 'complete' })}</form>`;
}

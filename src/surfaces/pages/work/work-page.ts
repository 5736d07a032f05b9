import { PlatformError } from '../../../kernel/door/errors.ts';
import { parametersFromQuery } from '../../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button } from '../design/button.ts';
import { emptyState } from '../design/empty.ts';
import { progress } from '../design/progress.ts';
import { changedAnswers } from '../forms/questions.ts';
import type { RejectedAnswers } from '../forms/form-entry.ts';
import { rejectedForm } from '../forms/submit-form.ts';
import type { Workload } from '../home/workload-head.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { actionAnswer, asksFirst } from './action-pages.ts';
import { casePane } from './case-pane.ts';
import { readCurrentItem, readItemRow, type CurrentItem, type ItemRow } from './current-item.ts';
import { doneToast } from './done-words.ts';
import { enteredAnswers, gonePane, goneReason, type EnteredAnswers } from './gone-pane.ts';
import { itemTitle, loadItemCases, type ItemCases, type UpcomingRow } from './item-cases.ts';
import { itemPane, workActions, workFoot } from './item-pane.ts';
import { itemState } from './item-state.ts';
import { performAction } from './perform-action.ts';
import { queuePane, waitingPane } from './queue-pane.ts';
import { queueOf, workPath } from './work-address.ts';

/** Coming items that the list shows. */
const ROWS_MAX = 25;

/** Shows an item with its form, case and documents, and the items after it. By default the next item. */
export const workPage = page(async (call) => {
  if (!call.may('smartworklistmember/next')) return noWorkAnswer;
  return (call.query['Part'] === 'live' ? await liveAnswer(call) : undefined) ?? workAnswer(call);
});

const noWorkAnswer: PageAnswer = {
  title: 'Work',
  place: 'work',
  body: html`<div class="page"><h1>Work</h1>${emptyState({
    title: 'You have no work items.',
    text: 'Your roles let you read, not take work from a queue. Your administrator can change that.',
    action: html`<a class="button" href="/">Home</a>`,
  })}</div>`,
};

/** Performs an action on the item. A refusal is shown on the page, with everything that was entered. */
export const doWork = page(async (call) => {
  try {
    const address = await performAction(call);
    return call.form['Part'] === 'next' ? await nextAnswer(call, address) : { redirectTo: address };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    const action = plainText(call.form['Do']);
    return asksFirst(action) ? actionAnswer(call, action, error) : workAnswer(call, error);
  }
});

/**
 * Answers with the page that an action leads to, if that is an item: a redirect would cost the clerk another round trip
 * between two items. It is read after the action, so nothing on it is older than the claim.
 */
function nextAnswer(call: PageCall, address: string): Promise<PageAnswer> {
  const [path, query = ''] = address.split('?');
  if (path !== '/work') return Promise.resolve({ redirectTo: address });
  return workAnswer({ ...call, form: {}, query: parametersFromQuery(query) });
}

/** Renders only what other people's changes of the open item concern; undefined if there is no such item. */
async function liveAnswer(call: PageCall): Promise<PageAnswer | undefined> {
  const row = await readItemRow(call, plainText(call.query['item']));
  if (!row) return undefined;
  const [gone, item] = await Promise.all([goneReason(call, row), readCurrentItem(call, row)]);
  return {
    title: 'Work',
    place: 'work',
    isFocused: true,
    body: html`${itemState(call, item, gone)}${casePane(call, item)}${workActions(call, item, gone !== undefined)}`,
  };
}

/** What the page shows of a submission that was refused. */
interface RefusedWork {
  readonly error: PlatformError;
  readonly sent: Readonly<Record<string, string>>;
  readonly answers: RejectedAnswers | undefined;
}

/** All that the page shows. */
interface WorkView {
  readonly counts: Workload;
  readonly coming: readonly UpcomingRow[];
  /** The user's own items that wait, if the page lists these. */
  readonly waiting: readonly ItemRow[] | undefined;
  /** The cases of the listed items. */
  readonly cases: ItemCases;
  readonly item: CurrentItem | undefined;
  /** Why the requested item cannot be worked on. */
  readonly gone: string | undefined;
  readonly refused: RefusedWork | undefined;
  /** What was entered for an item that cannot be worked on any more. */
  readonly entered: EnteredAnswers | undefined;
}

async function workAnswer(call: PageCall, error?: PlatformError): Promise<PageAnswer> {
  const view = await readWork(call, error);
  const { item, counts, refused } = view;
  return {
    title: item ? `Work: ${itemTitle(call, item.row)}` : 'Work',
    place: 'work',
    hasPanes: true,
    isFocused: true,
    entries: ['work'],
    status: error?.status ?? 200,
    toasts: doneToast(call),
    topLeft: topLeft(call, counts, item),
    body: html`<work-mode class="work-mode${!item && ' empty-work'}" data-item="${claimable(item)}" data-address="${
      item ? workPath(call, item.row.SmartWorklistMemberID) : workPath(call)
    }">
${listPane(call, view)}
${item ? itemPanes(call, item, view) : emptyPane(call, view)}
${refused && !refused.answers && view.gone === undefined && refusalBanner(refused.error)}
</work-mode>`,
  };
}

async function readWork(call: PageCall, error: PlatformError | undefined): Promise<WorkView> {
  const named = plainText(call.query['item'] ?? call.form['ID']);
  // The item is usually named: its reads need not wait for those of the list.
  const [workload, listed, ofName] = await Promise.all([
    call.call('smartworklistmember/workload', {}),
    readList(call),
    named === '' ? undefined : readShownItem(call, named, error),
  ]);
  const [first] = listed.waiting ?? listed.coming;
  const shown = ofName ?? (await readShownItem(call, plainText(first?.SmartWorklistMemberID), error));
  return { counts: workload.answer.row, ...listed, ...shown };
}

/** Reads the coming items, or the waiting ones, with their cases. */
async function readList(call: PageCall): Promise<Pick<WorkView, 'coming' | 'waiting' | 'cases'>> {
  const isWaitingList = call.query['list'] === 'waiting';
  const [coming, waiting] = await Promise.all([readComing(call), isWaitingList ? readWaiting(call) : undefined]);
  return { coming, waiting, cases: await loadItemCases(call, waiting ? waiting.map(referenceOf) : coming) };
}

type ShownItem = Pick<WorkView, 'item' | 'gone' | 'refused' | 'entered'>;

const noItem: ShownItem = { item: undefined, gone: undefined, refused: undefined, entered: undefined };

/** Reads the item to show, if any, or why it cannot be worked on; with what was entered if that was refused. */
async function readShownItem(call: PageCall, id: string, error: PlatformError | undefined): Promise<ShownItem> {
  const row = id === '' ? undefined : await readItemRow(call, id);
  const gone = id === '' ? undefined : await goneReason(call, row);
  if (gone !== undefined || !row) {
    const entered = row && error && (await enteredAnswers(call, row));
    return { ...noItem, gone, refused: error && (await refusedWork(call, error, undefined)), entered };
  }
  const read = await readCurrentItem(call, row);
  const refused = error && (await refusedWork(call, error, read));
  return { ...noItem, item: refused?.form ? { ...read, form: refused.form } : read, refused };
}

function listPane(call: PageCall, { coming, waiting, cases, counts, item }: WorkView): Markup {
  const currentId = item?.row.SmartWorklistMemberID;
  if (waiting) return waitingPane(call, waiting, cases, currentId);
  return queuePane(call, {
    rows: coming,
    cases,
    total: counts.Own + counts.Unassigned,
    currentId,
    nextCursor: coming.at(-1)?.NextCursor ?? null,
  });
}

/** Renders the item with its form, its case, and what can be done. */
function itemPanes(call: PageCall, item: CurrentItem, { coming, refused }: WorkView): Markup {
  const upcoming = coming.find(({ SmartWorklistMemberID: id }) => id === item.row.SmartWorklistMemberID);
  return html`${itemPane(call, item, { upcoming, sent: refused?.sent ?? {}, rejected: refused?.answers })}
${casePane(call, item)}
${workFoot(call, item, wrongAnswers(item))}`;
}

async function readComing(call: PageCall): Promise<readonly UpcomingRow[]> {
  const queue = queueOf(call);
  const after = plainText(call.query['after']);
  const { answer } = await call.call('smartworklistmember/upcoming', {
    DisplaySize: ROWS_MAX,
    ...(queue === '' ? {} : { SmartWorklist: queue }),
    ...(after === '' ? {} : { Cursor: after }),
  });
  return answer.rows;
}

/** Reads the user's own items that are skipped or on hold. */
async function readWaiting(call: PageCall): Promise<readonly ItemRow[]> {
  const own = { PersonID: call.user.personId, DisplaySize: ROWS_MAX, RecordCount: 'false' } as const;
  const [skipped, held] = await Promise.all([
    call.call('smartworklistmember/search', { ...own, Status: 'Skipped', OrderBy: 'SkipDate' }),
    call.call('smartworklistmember/search', { ...own, Status: ['Queued', 'Started'], OrderBy: '-HeldDate' }),
  ]);
  return [...skipped.answer.rows, ...held.answer.rows.filter(({ HeldDate: since }) => since !== null)];
}

function referenceOf({ SourceObject: type, SourceObjectID: id }: ItemRow): { Object: string; ObjectID: number } {
  return { Object: type, ObjectID: id };
}

/** Returns the item that the script claims: one that the user may work on now. */
function claimable(item: CurrentItem | undefined): string {
  return item?.row.SkipDate === null ? String(item.row.SmartWorklistMemberID) : '';
}

function wrongAnswers({ form }: CurrentItem): number {
  return form?.questions.filter(({ isShown, problem }) => isShown && problem !== '').length ?? 0;
}

/** Reads the form of a refused submission as it was submitted. */
async function refusedWork(
  call: PageCall,
  error: PlatformError,
  item: CurrentItem | undefined,
): Promise<(RefusedWork & Pick<CurrentItem, 'form'>) | undefined> {
  const task = plainText(call.form['Task']);
  const sent = changedAnswers(call.form);
  if (task === '' || !item?.form) return { error, sent, answers: undefined, form: undefined };
  const { form, rejected } = await rejectedForm(call, { parameters: { ID: task }, changed: sent }, error);
  return { error, sent, answers: rejected, form };
}

function refusalBanner(error: PlatformError): Markup {
  const words = banner({ tone: 'danger', role: 'alert', text: error.masked().message });
  return html`<div class="work-refusal">${words}</div>`;
}

/** Renders the way out of work mode, where the items come from, and how much of the day is done. */
function topLeft(call: PageCall, counts: Workload, item: CurrentItem | undefined): Markup {
  const { DoneToday: done, Overdue: late, DueToday: today } = counts;
  const total = done + late + today;
  const queue = queueOf(call);
  const where = queue === '' ? 'All queues' : queue;
  const words = html`<span class="nowrap"><b>${done}</b> of ${total}<span class="work-today"> today</span></span>`;
  return html`<form class="row work-top" method="post" action="/work" id="top-left">
${csrfField(call)}${hiddenField('ID', item?.row.SmartWorklistMemberID ?? '')}
${button({ text: 'Leave work mode', icon: 'close', iconOnly: true, kind: 'quiet', name: 'Do', value: 'leave' })}
<b class="nowrap">My work</b><span class="muted cut work-where"><bdi>${where}</bdi></span>
${total > 0 && progress(done, total, words)}
</form>`;
}

function emptyPane(call: PageCall, { gone, coming, entered }: WorkView): Markup {
  if (gone !== undefined) return gonePane(call, { reason: gone, hasNext: coming.length > 0, entered });
  const queue = queueOf(call);
  const others =
    queue === ''
      ? call.may('smartworklist/counts') && html`<a class="button" href="/team">See the queues of your teams</a>`
      : html`<a class="button" href="/work">All queues</a>`;
  const state = emptyState({
    icon: 'check',
    title: queue === '' ? 'You’re all caught up.' : html`Nothing waits in “<bdi>${queue}</bdi>”.`,
    text: 'Skipped items come back on their own.',
    action: others,
  });
  return html`<section class="work-item" aria-labelledby="item-title">
<h1 id="item-title" class="hidden" tabindex="-1">Work</h1>${state}</section>`;
}

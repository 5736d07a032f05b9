import type { ItemAnswer, ListAnswer, Row, TreeAnswer } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { errorNote } from '../error.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { page } from '../page.ts';
import { localDateTime } from '../display-values.ts';
import { age, countSections } from './queue-counts.ts';
import { itemSection, readItem, reasonOf, recordOfItem, workPath } from './work-item.ts';

/** Own items that the page lists, of each kind. */
const OWN_MAX = 25;

/** The page on which a worker works: the item in hand, the others that were begun or put off, and what there is to do. */
export const workPage = page((call) => workAnswer(call));

/** Takes the next item, or does with one what its button says; what refuses is told on the page. */
export const doWork = page(async (call) => {
  try {
    return { redirectTo: await performAction(call) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return workAnswer(call, error);
  }
});

async function performAction(call: PageCall): Promise<string> {
  const { Do = '', ID = '', InHand = '', SmartWorklist = '', SkipDate = '' } = call.form;
  const id = String(ID);
  switch (Do) {
    case 'next':
      return takeNext(call, String(SmartWorklist), String(InHand));
    case 'complete':
      await call.call('smartworklistmember/complete', { ID: id });
      return '/work?done=completed';
    case 'skip':
      await call.call('smartworklistmember/skip', {
        ID: id,
        ...(SkipDate === '' ? {} : { SkipDate: String(SkipDate) }),
      });
      return '/work?done=skipped';
    case 'release':
      await release(call, id);
      return '/work?done=released';
    case 'start':
      await call.call('smartworklistmember/start', { ID: id });
      return workPath(id);
    default:
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Do',
        message: 'Do: expected next, complete, skip, release or start.',
      });
  }
}

/** Takes the next item. While one is in hand it is the next, until something is done with it: that is told. */
async function takeNext(call: PageCall, worklist: string, inHand: string): Promise<string> {
  const { answer } = await call.call('smartworklistmember/next', worklist === '' ? {} : { SmartWorklist: worklist });
  if (answer.kind === 'nothing')
    return `/work?${new URLSearchParams({ done: 'nothing', ...(worklist === '' ? {} : { of: worklist }) }).toString()}`;
  const id = String((answer as TreeAnswer).root.children?.find(({ name }) => name === 'SmartWorklistMemberID')?.value);
  return id === inHand ? `${workPath(id)}&done=same` : workPath(id);
}

/** Gives an item back to its queue. `requeue` takes anybody's items, this button only one's own. */
async function release(call: PageCall, id: string): Promise<void> {
  const { answer } = await call.call('smartworklistmember/select', { ID: id });
  if ((answer as ItemAnswer).row['PersonID'] !== call.user.personId)
    throw new PlatformError('STATE_REFUSES', { message: 'The item is not yours any more; nothing was changed.' });
  await call.call('smartworklistmember/requeue', { ID: id });
}

async function workAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const [started, skipped, counts] = await Promise.all([
    ownItems(call, 'Started', '-StartDate'),
    ownItems(call, 'Skipped', 'SkipDate'),
    countSections(call),
  ]);
  const wanted = String(call.query['item'] ?? call.form['ID'] ?? '');
  const row =
    started.find((each) => String(each['SmartWorklistMemberID']) === wanted) ??
    (wanted !== '' || refused || call.query['done'] === undefined ? started[0] : undefined);
  const item = row && (await readItem(call, row));
  const others = started.filter((each) => each !== row);
  const labels = await loadLabels(call, [
    { columns: [], rows: [...(row ? [row] : []), ...others, ...skipped].map(recordOfItem) },
  ]);
  const isGone =
    wanted !== '' && String(row?.['SmartWorklistMemberID']) !== wanted && call.query['done'] === undefined && !refused;
  return {
    title: 'Work',
    wide: true,
    status: refused?.status ?? 200,
    scripts: ['/work.js', '/form.js'],
    body: html`<h1>Work</h1>
${refused ? errorNote(refused.masked()) : flashNote(call)}
${isGone && html`<div class="note refused" role="alert"><p>The item that you asked for is not in your hands any more: it was completed, put off, or given to somebody else.</p></div>`}
${nextForm(call, item && String(item.row['SmartWorklistMemberID']))}
${item ? itemSection(call, item, labels) : emptyState(started.length > 0)}
${ownSection(call, 'started', 'Also begun', others, labels)}
${ownSection(call, 'skipped', 'Put off', skipped, labels)}
${counts}
<p class="quiet">Keys: <kbd>n</kbd> next item, <kbd>c</kbd> complete, <kbd>s</kbd> put off. They do nothing while you type in a field.</p>`,
  };
}

async function ownItems(call: PageCall, status: string, order: string): Promise<readonly Row[]> {
  if (!call.may('smartworklistmember/search')) return [];
  const { answer } = await call.call('smartworklistmember/search', {
    PersonID: String(call.user.personId),
    Status: status,
    OrderBy: order,
    DisplaySize: String(OWN_MAX),
    RecordCount: 'false',
  });
  return (answer as ListAnswer).rows;
}

/** The button that everything begins with. While an item is in hand it stays small: that is done first. */
function nextForm(call: PageCall, inHand: string | undefined): Markup | false {
  return (
    call.may('smartworklistmember/next') &&
    html`<form method="post" action="/work" class="actions">${csrfField(call)}${inHand !== undefined && html`<input type="hidden" name="InHand" value="${inHand}">`}<button name="Do" value="next" data-key="n"${inHand === undefined ? html` autofocus` : html` class="quiet"`}>Next item</button> <kbd aria-hidden="true">n</kbd></form>`
  );
}

function emptyState(hasStarted: boolean): Markup {
  return html`<section aria-labelledby="hand"><h2 id="hand">Nothing in hand</h2><p>Take your next item: it comes from what was given to you, from your teams, and from what everybody may take, the most urgent first.${hasStarted && ' What you have begun comes first.'}</p></section>`;
}

function ownSection(
  call: PageCall,
  kind: 'started' | 'skipped',
  heading: string,
  rows: readonly Row[],
  labels: Labels,
): Markup | false {
  if (rows.length === 0) return false;
  const line = (row: Row): Markup => {
    const { Object: name, ObjectID: id } = recordOfItem(row);
    const label = labels.get(name)?.get(id) ?? `${name} ${id}`;
    const path = workPath(String(row['SmartWorklistMemberID']));
    const open = kind === 'started' ? html`<a href="${path}"><bdi>${label}</bdi></a>` : html`<bdi>${label}</bdi>`;
    return html`<li>${open} <bdi class="quiet">${reasonOf(row, label)}</bdi> ${kind === 'started' ? html`<span class="quiet">${age(call, row['StartDate'])}</span>` : untilForm(call, row, label)}</li>\n`;
  };
  return html`<section aria-labelledby="own-${kind}"><h2 id="own-${kind}">${heading} <span class="count">${rows.length}${rows.length === OWN_MAX && '+'}</span></h2><ul class="found">${rows.map(line)}</ul></section>`;
}

function untilForm(call: PageCall, row: Row, label: string): Markup {
  return html`<span class="quiet">until ${localDateTime(call, String(row['SkipDate']))}</span>${call.may('smartworklistmember/start') && html` <form class="beside" method="post" action="/work">${csrfField(call)}<input type="hidden" name="ID" value="${String(row['SmartWorklistMemberID'])}"><button class="quiet" name="Do" value="start">Begin now<span class="hidden">: ${label}</span></button></form>`}`;
}

function flashNote({ query }: PageCall): Markup | false {
  const done = String(query['done'] ?? '');
  if (done === 'nothing')
    return html`<div class="note" role="status"><p>There is nothing for you to do${typeof query['of'] === 'string' && query['of'] !== '' && html` on “<bdi>${query['of'].slice(0, 255)}</bdi>”`} now. What is put off comes back by itself; new items come as cases move on.</p></div>`;
  const text = flashMessages.get(done);
  return text !== undefined && html`<div class="note" role="status"><p>${text}</p></div>`;
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    same: 'This is your next item: complete it, put it off or give it back, and the one after it comes.',
    completed: 'The item is complete.',
    skipped: 'The item is put off; it comes back by itself.',
    released: 'The item is back in its queue.',
    saved: 'Saved.',
    task: 'The task is complete, and its item with it.',
    unchanged: 'Nothing was different; nothing was changed.',
  }),
);

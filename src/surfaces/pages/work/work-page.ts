import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { hiddenField } from '../components.ts';
import { localDateTime } from '../display-values.ts';
import { failedStepsNote } from '../failed-steps.ts';
import { loadLabels, type Labels } from '../labels.ts';
import { csrfField } from '../layout.ts';
import { alertNote, errorNote, flashNote, statusNote } from '../notes.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { age, countSections } from './queue-counts.ts';
import { itemSection, readItem, reasonOf, recordOfItem, workPath, type ItemRow } from './work-item.ts';

/** Own items that the page lists, of each kind. */
const OWN_MAX = 25;
/** Characters of a queue's name that a note shows. */
const NAME_CHARACTERS_MAX = 255;

/** Shows the user's current work item, their other items in progress or snoozed, and the queues. */
export const workPage = page((call) => workAnswer(call));

/** Takes the next item, or performs an item's button action. A refusal is shown on the page. */
export const doWork = page(async (call) => {
  try {
    return { redirectTo: await performAction(call) };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return workAnswer(call, error);
  }
});

/** Performs the pressed button's action. Returns the address to go to. */
async function performAction(call: PageCall): Promise<string> {
  const id = plainText(call.form['ID']);
  const until = plainText(call.form['SkipDate']);
  switch (call.form['Do']) {
    case 'next':
      return takeNext(call, plainText(call.form['SmartWorklist']), plainText(call.form['InHand']));
    case 'complete':
      await call.call('smartworklistmember/complete', { ID: id });
      return '/work?done=completed';
    case 'skip':
      await call.call('smartworklistmember/skip', { ID: id, ...(until === '' ? {} : { SkipDate: until }) });
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

/**
 * Takes the next item of a queue, or of any. `current`: the item shown, which stays the next until it is dealt with.
 */
async function takeNext(call: PageCall, queue: string, current: string): Promise<string> {
  const { answer } = await call.call('smartworklistmember/next', queue === '' ? {} : { SmartWorklist: queue });
  if (answer.kind === 'nothing')
    return `/work?${new URLSearchParams({ done: 'nothing', ...(queue === '' ? {} : { of: queue }) }).toString()}`;
  const { children } = answer.root;
  const id = plainText(children?.find(({ name }) => name === ('SmartWorklistMemberID' satisfies keyof ItemRow))?.value);
  return id === current ? `${workPath(id)}&done=same` : workPath(id);
}

/** Returns the user's own item to its queue. The operation itself accepts any user's items. */
async function release(call: PageCall, id: string): Promise<void> {
  const { answer } = await call.call('smartworklistmember/select', { ID: id });
  if (answer.row.PersonID !== call.user.personId)
    throw new PlatformError('STATE_REFUSES', {
      message: 'This item is no longer assigned to you. Nothing was changed.',
    });
  await call.call('smartworklistmember/requeue', { ID: id });
}

async function workAnswer(call: PageCall, refused?: PlatformError): Promise<PageAnswer> {
  const [started, snoozed, counts, failedSteps] = await Promise.all([
    ownItems(call, 'Started', '-StartDate'),
    ownItems(call, 'Skipped', 'SkipDate'),
    countSections(call),
    // Only users who assign work can fix failed steps.
    call.may('smartworklistmember/reassign') && failedStepsNote(call),
  ]);
  const requestedId = plainText(call.query['item'] ?? call.form['ID']);
  const row = currentItem(call, started, requestedId, refused);
  const item = row && (await readItem(call, row));
  const others = started.filter((each) => each !== row);
  const labels = await loadLabels(call, [
    { columns: [], rows: [...(row ? [row] : []), ...others, ...snoozed].map(recordOfItem) },
  ]);
  const currentId = row && itemId(row);
  const isGone = requestedId !== '' && currentId !== requestedId && call.query['done'] === undefined && !refused;
  return {
    title: 'Work',
    wide: true,
    status: refused?.status ?? 200,
    scripts: ['/work.js', '/form.js'],
    body: html`<h1>Work</h1>
${refused ? errorNote(refused.masked()) : doneNote(call)}
${isGone && alertNote('This item is no longer assigned to you. It was completed, snoozed or reassigned.')}
${nextForm(call, currentId)}
${item ? itemSection(call, item, labels) : emptyState(started.length > 0)}
${ownSection('started', 'In progress', others, (each) => startedLine(call, each, labels))}
${ownSection('skipped', 'Snoozed', snoozed, (each) => snoozedLine(call, each, labels))}
${failedSteps}
${counts}
<p class="quiet">
  Keys: <kbd>n</kbd> next item, <kbd>c</kbd> complete, <kbd>s</kbd> snooze. They are off while you type in a field.
</p>`,
  };
}

/** Returns the item to show: the requested one, else the last one started, unless something was just done. */
function currentItem(
  call: PageCall,
  started: readonly ItemRow[],
  requestedId: string,
  refused: PlatformError | undefined,
): ItemRow | undefined {
  const requested = started.find((row) => itemId(row) === requestedId);
  if (requested) return requested;
  return requestedId !== '' || refused || call.query['done'] === undefined ? started[0] : undefined;
}

function itemId(row: ItemRow): string {
  return String(row.SmartWorklistMemberID);
}

async function ownItems(call: PageCall, status: string, order: string): Promise<readonly ItemRow[]> {
  if (!call.may('smartworklistmember/search')) return [];
  const { answer } = await call.call('smartworklistmember/search', {
    PersonID: call.user.personId,
    Status: status,
    OrderBy: order,
    DisplaySize: OWN_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** Renders the button that takes the next item. It is secondary while there is a current item, which comes first. */
function nextForm(call: PageCall, currentId: string | undefined): Markup | false {
  const attributes = currentId === undefined ? html` autofocus` : html` class="quiet"`;
  return (
    call.may('smartworklistmember/next') &&
    html`<form method="post" action="/work" class="actions">
${csrfField(call)}${currentId !== undefined && hiddenField('InHand', currentId)}
<button name="Do" value="next" data-key="n"${attributes}>Next item</button>
<kbd aria-hidden="true">n</kbd>
</form>`
  );
}

function emptyState(hasStarted: boolean): Markup {
  const hint = hasStarted ? 'Items in progress come first.' : 'The most urgent item comes first.';
  return html`<section aria-labelledby="hand">
<h2 id="hand">You're not working on anything</h2>
<p>Take the next item from your queue. ${hint}</p>
</section>`;
}

function ownSection(
  kind: 'started' | 'skipped',
  heading: string,
  rows: readonly ItemRow[],
  line: (row: ItemRow) => Markup,
): Markup | false {
  if (rows.length === 0) return false;
  const count = html`<span class="count">${rows.length}${rows.length === OWN_MAX && '+'}</span>`;
  return html`<section aria-labelledby="own-${kind}">
<h2 id="own-${kind}">${heading} ${count}</h2>
<ul class="found">${rows.map((row) => html`<li>${line(row)}</li>\n`)}</ul>
</section>`;
}

function itemLabel(call: PageCall, row: ItemRow, labels: Labels): string {
  const { Object: name, ObjectID: id } = recordOfItem(row);
  return labels.get(name)?.get(id) ?? `${call.platform.registry.titleOf(name)} ${id}`;
}

function startedLine(call: PageCall, row: ItemRow, labels: Labels): Markup {
  const label = itemLabel(call, row, labels);
  const link = html`<a href="${workPath(itemId(row))}"><bdi>${label}</bdi></a>`;
  const held = row.HeldDate !== null && html` <span class="status warning">On hold</span>`;
  const since = html`<span class="quiet">${age(call, row.StartDate)}</span>${held}`;
  return html`${link} <bdi class="quiet">${reasonOf(row, label)}</bdi> ${since}`;
}

function snoozedLine(call: PageCall, row: ItemRow, labels: Labels): Markup {
  const label = itemLabel(call, row, labels);
  const until = localDateTime(call, row.SkipDate ?? '');
  return html`<bdi>${label}</bdi> <bdi class="quiet">${reasonOf(row, label)}</bdi>
<span class="quiet">snoozed until ${until}</span>
${call.may('smartworklistmember/start') && startForm(call, row, label)}`;
}

function startForm(call: PageCall, row: ItemRow, label: string): Markup {
  return html`<form class="beside" method="post" action="/work">
${csrfField(call)}${hiddenField('ID', itemId(row))}
<button class="quiet" name="Do" value="start">Start now<span class="hidden">: ${label}</span></button>
</form>`;
}

function doneNote({ query }: PageCall): Markup | false {
  if (query['done'] !== 'nothing') return flashNote(flashMessages, query['done']);
  const queue = typeof query['of'] === 'string' ? query['of'].slice(0, NAME_CHARACTERS_MAX) : '';
  const where = queue !== '' && html` in “<bdi>${queue}</bdi>”`;
  return statusNote(html`You're all caught up${where}. Snoozed items come back on their own.`);
}

const flashMessages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    same: 'Finish or snooze this item to get the next one',
    completed: 'Item completed',
    skipped: 'Item snoozed. It comes back on its own.',
    released: 'Item returned to its queue',
    saved: 'Saved',
    task: 'Task completed',
    unchanged: 'No changes to save',
  }),
);

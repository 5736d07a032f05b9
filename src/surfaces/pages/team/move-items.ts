import { PlatformError } from '../../../kernel/door/errors.ts';
import { html } from '../../../kernel/render/markup.ts';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { Alert } from '../../../kernel/door/errors.ts';
import { hiddenField } from '../components.ts';
import { banner } from '../design/banner.ts';
import { button, buttonLink } from '../design/button.ts';
import { plural } from '../due-words.ts';
import { csrfField } from '../layout.ts';
import type { PageAnswer, PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText, plainTexts } from '../plain-text.ts';
import { receivers } from '../work/give-away.ts';
import { itemTitle } from '../work/item-cases.ts';
import { filterFields } from './items-card.ts';
import { teamFilter, teamPath } from './team-filter.ts';
import { teamAnswer } from './team-page.ts';

type ItemRow = RowNamed<'SmartWorklistMember'>;

/** Most items that one action changes: those of a page, ticked. */
const ITEMS_MAX = 200;

/** Moves the ticked items or sets their priority, after a question; or undoes that. */
export const changeItems = page(async (call) => {
  const action = plainText(call.form['Do']);
  try {
    if (action === 'undo') return await undo(call);
    const ids = tickedItems(call);
    if (action === 'move') return call.form['Confirmed'] === 'true' ? await move(call, ids) : await askMove(call, ids);
    if (action === 'prioritize') return await prioritize(call, ids);
    throw new PlatformError('BAD_PARAMETER', { field: 'Do', message: 'Do: expected move, prioritize or undo.' });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return teamAnswer(call, banner({ tone: 'danger', role: 'alert', text: error.masked().message }), error.status);
  }
});

/** Returns the ids of the ticked items. @throws BAD_PARAMETER for none or too many */
function tickedItems(call: PageCall): readonly string[] {
  const ids = plainTexts(call.form['Item']).filter((id) => /^\d{1,15}$/.test(id));
  if (ids.length > 0 && ids.length <= ITEMS_MAX) return ids;
  throw new PlatformError('BAD_PARAMETER', {
    field: 'Item',
    message: ids.length === 0 ? 'Tick the items first.' : `Tick at most ${ITEMS_MAX} items.`,
  });
}

/** To whom items are moved. */
interface Target {
  readonly value: string;
  readonly text: string;
  readonly parameters: { readonly TeamID?: string; readonly PersonID: string };
}

/** Returns whom a choice names. @throws BAD_PARAMETER for no choice */
async function targetOf(call: PageCall): Promise<Target> {
  const value = plainText(call.form['To']);
  const team = Number(plainText(call.form['team']));
  const choice = (await receivers(call, Number.isSafeInteger(team) ? team : null)).find((each) => each.value === value);
  if (!choice) throw new PlatformError('BAD_PARAMETER', { field: 'To', message: 'Choose the person or the team.' });
  const [kind, id = ''] = value.split(' ');
  return { value, text: choice.text, parameters: kind === 'team' ? { TeamID: id, PersonID: '' } : { PersonID: id } };
}

async function askMove(call: PageCall, ids: readonly string[]): Promise<PageAnswer> {
  const target = await targetOf(call);
  const filter = teamFilter(call, Number(plainText(call.form['team'])));
  const count = plural(ids.length, 'item');
  return {
    title: 'Move items',
    place: 'team',
    crumbs: [{ text: 'Team', href: teamPath(filter) }, { text: 'Move items' }],
    body: html`<div class="page narrow">
<h1>Move ${count} to <bdi>${target.text}</bdi>?</h1>
<p class="soft">Whoever is working on one of them loses it. Answers that were entered stay with the task.</p>
<form class="row" method="post" action="/team">${csrfField(call)}${filterFields(filter)}
${ids.map((id) => hiddenField('Item', id))}${hiddenField('To', target.value)}${hiddenField('Confirmed', 'true')}
${button({ text: `Move ${count}`, kind: 'primary', name: 'Do', value: 'move', attributes: html`autofocus` })}
${buttonLink({ text: 'Cancel', kind: 'quiet', href: teamPath(filter) })}
</form>
</div>`,
  };
}

async function move(call: PageCall, ids: readonly string[]): Promise<PageAnswer> {
  const target = await targetOf(call);
  const before = await readItems(call, ids);
  const { alerts } = await call.call('smartworklistmember/reassign', { ID: ids.join(','), ...target.parameters });
  return resultAnswer(call, { verb: 'moved', before, alerts });
}

async function prioritize(call: PageCall, ids: readonly string[]): Promise<PageAnswer> {
  const before = await readItems(call, ids);
  const { alerts } = await call.call('smartworklistmember/prioritize', {
    ID: ids.join(','),
    Priority: plainText(call.form['Priority']),
  });
  return resultAnswer(call, { verb: 'given the priority', before, alerts });
}

async function readItems(call: PageCall, ids: readonly string[]): Promise<readonly ItemRow[]> {
  const { answer } = await call.call('smartworklistmember/search', {
    ID: ids.join(','),
    DisplaySize: ITEMS_MAX,
    RecordCount: 'false',
  });
  return answer.rows;
}

/** What was done to items: their rows before, and why some were not changed. */
interface Result {
  readonly verb: string;
  readonly before: readonly ItemRow[];
  readonly alerts: readonly Alert[];
}

/** Shows what was done to each item, with a way back. */
function resultAnswer(call: PageCall, { verb, before, alerts }: Result): Promise<PageAnswer> {
  const refused = new Map(alerts.flatMap(({ id, text }) => (id === undefined ? [] : [[id, text] as const])));
  const done = before.filter(({ SmartWorklistMemberID: id }) => !refused.has(id));
  const filter = teamFilter(call, Number(plainText(call.form['team'])));
  const lines = before
    .filter(({ SmartWorklistMemberID: id }) => refused.has(id))
    .map((row) => html`<li><bdi>${itemTitle(call, row)}</bdi>: ${refused.get(row.SmartWorklistMemberID)}</li>\n`);
  const undo = html`<form method="post" action="/team">${csrfField(call)}${filterFields(filter)}
${done.map((row) => hiddenField('Was', formerState(row)))}
${button({ text: 'Undo', name: 'Do', value: 'undo', key: 'z' })}</form>`;
  return teamAnswer(
    call,
    banner({
      tone: lines.length === 0 ? 'ok' : 'warn',
      role: 'status',
      text: `${plural(done.length, 'item')} ${done.length === 1 ? 'was' : 'were'} ${verb}.${
        lines.length === 0 ? '' : ` ${plural(lines.length, 'item')} stayed:`
      }`,
      more: lines.length > 0 && html`<ul>${lines}</ul>`,
      actions: done.length > 0 && undo,
    }),
  );
}

/** Returns whose an item was and with which priority: `item team person priority`, each empty as `-`. */
function formerState(row: ItemRow): string {
  return [row.SmartWorklistMemberID, row.TeamID ?? '-', row.PersonID ?? '-', row.Priority ?? '-'].join(' ');
}

/** Gives items back to whom they were taken from, and their priority, a call for each combination. */
async function undo(call: PageCall): Promise<PageAnswer> {
  const states = plainTexts(call.form['Was']).flatMap((text) => {
    const [id, team, owner, priority] = text.split(' ');
    return id === undefined ? [] : [{ id, owned: `${team ?? '-'} ${owner ?? '-'}`, priority: priority ?? '-' }];
  });
  const value = (text = '-'): string => (text === '-' ? '' : text);
  const unrestored: Alert[] = [];
  for (const [owned, items] of Map.groupBy(states, (state) => state.owned)) {
    const [team, owner] = owned.split(' ');
    const ID = items.map(({ id }) => id).join(',');
    unrestored.push(
      ...(await call.call('smartworklistmember/reassign', { ID, TeamID: value(team), PersonID: value(owner) })).alerts,
    );
  }
  for (const [priority, items] of Map.groupBy(states, (state) => state.priority))
    unrestored.push(
      ...(
        await call.call('smartworklistmember/prioritize', {
          ID: items.map(({ id }) => id).join(','),
          Priority: value(priority),
        })
      ).alerts,
    );
  const text =
    unrestored.length === 0 ? 'Undone.' : `Undone, except: ${unrestored.map((alert) => alert.text).join(' ')}`;
  return teamAnswer(call, banner({ tone: unrestored.length === 0 ? 'ok' : 'warn', role: 'status', text }));
}

import { html, type Markup } from '../../../kernel/render/markup.ts';
import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import type { TreeNode } from '../../../kernel/door/answer.ts';
import { icon } from '../design/icons.ts';
import { facts } from '../design/list.ts';
import { buttonLink } from '../design/button.ts';
import { dueSentence } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { loadPeople, type PeopleNames } from '../people.ts';
import { plainText } from '../plain-text.ts';
import { itemTitle } from '../work/item-cases.ts';

/** What a rule says when it holds, and when it does not. */
const rules: ReadonlyMap<string, readonly [holds: string, fails: string]> = new Map(
  Object.entries({
    Open: ['It is open.', 'It is completed or canceled.'],
    WorklistOpen: ['Its queue is open.', 'Its queue is closed.'],
    NotSkipped: ['It is not skipped.', 'It is skipped until later.'],
    NotOnHold: ['Its case is not on hold.', 'Its case is on hold.'],
    Unassigned: ['Nobody else has it.', 'It is assigned to somebody else.'],
    Team: ['It is for a team of this user, or for anyone.', 'It is for a team that this user is not in.'],
  }),
);

/** Explains to a user when an item is theirs to do: which rules hold, and what decides its place. */
export const whyPage = page(async (call) => {
  const id = plainText(call.query['item']);
  const requested = plainText(call.query['person']);
  const { answer: found } = await call.call('smartworklistmember/select', { ID: id });
  const { row } = found;
  const about = requested === '' ? (row.PersonID ?? call.user.personId) : Number(requested);
  const { answer } = await call.call('smartworklistmember/explain', { ID: id, PersonID: about });
  const labels = await loadLabels(call, [
    referencesOf([row], ['TeamID', 'Collection'], ['SmartWorklistID', 'SmartWorklist']),
  ]);
  const people = await loadPeople(call, [row.PersonID, about]);
  const name = about === call.user.personId ? 'you' : (people.get(about) ?? `user ${about}`);
  const isFromWork = plainText(call.query['from']) === 'work';
  const back = isFromWork
    ? { text: 'My work', href: `/work?item=${id}` }
    : { text: 'Team', href: `/team?team=${row.TeamID ?? ''}` };
  return {
    title: 'Why it is here',
    place: isFromWork ? 'work' : 'team',
    crumbs: [back, { text: 'Why it is here' }],
    body: html`<div class="page narrow">
<div><h1><bdi>${itemTitle(call, row)}</bdi></h1><p class="soft">${placeSentence(answer.root, name)}</p></div>
<ul class="rules">${answer.root.children.filter(({ name: of }) => of === 'Rule').map(ruleLine)}</ul>
${itemFacts(call, row, labels, people)}
<p class="row">${ways(call, id)}</p>
</div>`,
  };
});

function itemFacts(call: PageCall, row: RowNamed<'SmartWorklistMember'>, labels: Labels, people: PeopleNames): Markup {
  const labelOf = (type: string, id: number | null, none: string): Markup =>
    html`<bdi>${id === null ? none : (labels.get(type)?.get(id) ?? '')}</bdi>`;
  const reason = row.Reason ?? '';
  return facts([
    ['Queue', labelOf('SmartWorklist', row.SmartWorklistID, '')],
    ['In it because', reason !== '' && html`<bdi>${reason}</bdi>`],
    ['Team', labelOf('Collection', row.TeamID, 'Anyone')],
    ['Assigned to', html`<bdi>${row.PersonID === null ? 'Nobody' : (people.get(row.PersonID) ?? '')}</bdi>`],
    ['Priority', row.Priority ?? 'None'],
    ['Due', row.DueDate === null ? 'No date' : dueSentence(call, row.DueDate).text.slice('Due '.length)],
  ]);
}

function ways(call: PageCall, id: string): readonly (Markup | false)[] {
  return [
    call.may('smartworklistmember/next') && buttonLink({ text: 'Open in work mode', href: `/work?item=${id}` }),
    call.may('smartworklistmember/reassign') && buttonLink({ text: 'Reassign', href: `/item/reassign?item=${id}` }),
  ];
}

/** Returns the place of an item among those that a user gets, in words. */
function placeSentence({ attributes = {} }: TreeNode, name: string): string {
  const { Place: place, Of: total, Eligible: isEligible } = attributes;
  if (isEligible !== true) return `It does not come to ${name}.`;
  if (place === 1) return `It is the next item for ${name}.`;
  const order = 'Own items come first, then by the priority of the team, the priority of the item and its due date.';
  return `It is number ${String(place)} of the ${String(total)} items that come to ${name}. ${order}`;
}

function ruleLine({ attributes = {} }: TreeNode): Markup {
  const [holds, fails] = rules.get(String(attributes['Name'])) ?? ['', ''];
  const isTrue = attributes['Holds'] === true;
  const mark = icon(isTrue ? 'check' : 'error', 14);
  return html`<li class="row ${isTrue ? '' : 'late'}">${mark}${isTrue ? holds : fails}</li>\n`;
}

import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty.ts';
import { selectField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { plural } from '../due-words.ts';
import { loadLabels, referencesOf, type Labels } from '../labels.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { plainText } from '../plain-text.ts';
import { administrationAnswer } from './frame.ts';
import { moduleTitle } from './module-title.ts';

const PATH = '/administration/roles/compare';
/** Roles that are offered. */
const ROLES_MAX = 200;

type Difference = AnswerRowFor<'role/compare'>;
type Holder = AnswerRowFor<'role/holders'>;

/** A role that is compared. */
interface ComparedRole {
  readonly id: string;
  readonly name: string;
}

/** A role as the page offers it. */
interface RoleChoice {
  readonly value: string;
  readonly text: string;
}

/** Returns the address on which a role is compared, and its users are listed. */
export function comparisonPath(id?: number): string {
  return id === undefined ? PATH : `${PATH}?First=${id}`;
}

/** Shows who has a role, and what it grants that another one does not. */
export const roleComparisonPage = page(async (call) => {
  const found = await call.call('role/search', { OrderBy: 'Role', DisplaySize: ROLES_MAX, RecordCount: 'false' });
  const choices = found.answer.rows.map(({ RoleID: id, Role: name }) => ({ value: String(id), text: name ?? '' }));
  const first = chosen(call, 'First', choices);
  const second = chosen(call, 'Second', choices);
  const [holders, differences] = await Promise.all([
    first && call.call('role/holders', { ID: first.id }),
    first && second && call.call('role/compare', { ID: first.id, OtherID: second.id }),
  ]);
  const labels =
    holders && (await loadLabels(call, [referencesOf(holders.answer.rows, ['OrganizationID', 'Organization'])]));
  return administrationAnswer(call, {
    title: 'Compare roles',
    path: '/administration/roles',
    below: [{ text: 'Compare roles' }],
    intro: 'See who has a role, and what it grants that another one does not.',
    body: html`${card({
      id: 'roles',
      title: 'Roles',
      body: html`<form class="filter-line" method="get" action="${PATH}" role="search" aria-label="Roles to compare">
${selectField({ label: 'Role', name: 'First', value: first?.id, choices, empty: 'Choose a role' })}
${selectField({ label: 'Compare with', name: 'Second', value: second?.id, choices, empty: 'No other role' })}
${button({ text: 'Show' })}
</form>`,
    })}
${first && second && differences && differenceCards(call, first, second, differences.answer.rows)}
${first && holders && holdersCard(first, holders.answer.rows, labels)}`,
  });
});

function differenceCards(
  call: PageCall,
  first: ComparedRole,
  second: ComparedRole,
  rows: readonly Difference[],
): readonly Markup[] {
  const [ofFirst, ofSecond] = [rows.filter((row) => row.First), rows.filter((row) => !row.First)];
  return [
    differenceCard(call, { role: first, other: second, rows: ofFirst }),
    differenceCard(call, { role: second, other: first, rows: ofSecond }),
  ];
}

/** Returns the role that the address names. @throws NOT_FOUND for one that is not offered */
function chosen(call: PageCall, name: string, choices: readonly RoleChoice[]): ComparedRole | undefined {
  const id = plainText(call.query[name]).trim();
  if (id === '') return undefined;
  const found = choices.find(({ value }) => value === id);
  if (!found) throw new PlatformError('NOT_FOUND');
  return { id, name: found.text };
}

function differenceCard(
  call: PageCall,
  {
    role,
    other,
    rows,
  }: { readonly role: ComparedRole; readonly other: ComparedRole; readonly rows: readonly Difference[] },
): Markup {
  const groups = [...Map.groupBy(rows, ({ Module: module }) => moduleTitle(call, module))].toSorted(([a], [b]) =>
    a.localeCompare(b),
  );
  return card({
    id: `only-${role.id}`,
    title: html`Only <bdi>${role.name}</bdi> may`,
    note: rows.length > 0 && plural(rows.length, 'operation'),
    body:
      rows.length === 0
        ? emptyState({ title: `${role.name} grants nothing that ${other.name} does not.` })
        : table({
            label: `What ${role.name} grants and ${other.name} does not`,
            className: 'wrap stacked',
            heads: ['Of', 'Change', 'Read'],
            rows: groups.map(
              ([title, of]) => html`<tr><th scope="row" class="nowrap">${title}</th>
<td data-label="Change">${operationsIn(call, of, true)}</td>
<td data-label="Read">${operationsIn(call, of, false)}</td></tr>\n`,
            ),
          }),
  });
}

/** Renders the operations that change something, or those that read, by name; the pointer shows what each does. */
function operationsIn(call: PageCall, rows: readonly Difference[], changes: boolean): Markup {
  const shown = rows.filter(({ Changes: is }) => is === changes);
  if (shown.length === 0) return html`<span class="muted">–<span class="hidden">nothing</span></span>`;
  return html`${shown.map(
    ({ Operation: route, Summary: summary }, at) =>
      html`${at > 0 && ', '}<span title="${summary}">${operationName(call, route, at === 0)}</span>`,
  )}`;
}

/** Returns an operation's name in words: `ListByObject` is "list by object". */
function operationName({ platform }: PageCall, route: string, isFirst: boolean): string {
  const name = platform.registry.operation(route)?.name ?? route;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return isFirst ? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}` : words;
}

function holdersCard({ name }: ComparedRole, rows: readonly Holder[], labels: Labels | undefined): Markup {
  return card({
    id: 'holders',
    title: html`Who has <bdi>${name}</bdi>`,
    note: rows.length > 0 && plural(rows.length, 'user'),
    body:
      rows.length === 0
        ? emptyState({ title: 'No user has this role.' })
        : table({
            label: `Users who have ${name}`,
            className: 'wrap',
            heads: ['User', 'Status', 'Firm', 'Uses it through', 'Other roles'],
            rows: rows.map((row) => holderRow(row, labels)),
          }),
  });
}

function holderRow(row: Holder, labels: Labels | undefined): Markup {
  const { PersonID: id, OrganizationID: firm } = row;
  const isActive = row.Status?.toLowerCase() === 'active';
  return html`<tr>
<th scope="row"><a href="/administration/users/${id}"><bdi>${row.Person}</bdi></a></th>
<td>${badge(row.Status ?? '', isActive ? 'ok' : 'neutral')}</td>
<td>${firm !== null && html`<bdi>${labels?.get('Organization')?.get(firm) ?? firm}</bdi>`}</td>
<td>${isActive ? usesOf(row) : html`<span class="muted">Nothing: may not sign in</span>`}</td>
<td><bdi>${row.OtherRoles}</bdi></td>
</tr>\n`;
}

/** Returns through what a user can use a role: "Password, 2 API keys, 1 open session". */
function usesOf({ HasPassword: hasPassword, Keys: keys, Sessions: sessions }: Holder): string {
  const uses = [
    ...(hasPassword ? ['Password'] : []),
    ...(keys > 0 ? [plural(keys, 'API key')] : []),
    ...(sessions > 0 ? [plural(sessions, 'open session')] : []),
  ];
  return uses.length === 0 ? 'Nothing: no password and no key' : uses.join(', ');
}

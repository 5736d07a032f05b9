import type { AnswerRowFor } from '../../../kernel/declare/catalog.ts';
import { html, type Markup } from '../../../kernel/render/markup.ts';
import { buttonLink } from '../design/button.ts';
import { card } from '../design/card.ts';
import { table } from '../design/table.ts';
import type { PageCall } from '../page-call.ts';
import { page } from '../page.ts';
import { administrationAnswer } from './frame.ts';
import { moduleTitle } from './module-title.ts';
import { comparisonPath } from './role-comparison.ts';
import { explanationCard } from './role-explanation.ts';

type Grant = AnswerRowFor<'role/granted'>;

/** Roles that are offered. */
const ROLES_MAX = 50;

/** Shows the roles, and as a matrix what each may do with which records. */
export const rolesPage = page(async (call) => {
  const [roles, granted] = await Promise.all([
    call.call('role/search', { OrderBy: 'Role', DisplaySize: ROLES_MAX, RecordCount: 'false' }),
    call.call('role/granted', {}),
  ]);
  return administrationAnswer(call, {
    title: 'Roles',
    path: '/administration/roles',
    intro: 'A role says which operations its users may call. Which records they see is decided by universal access.',
    actions: html`${call.may('role/compare') && buttonLink({ text: 'Compare roles', href: comparisonPath() })}${
      call.may('role/insert') &&
      buttonLink({ text: 'New role', href: '/records/role/new', kind: 'primary', icon: 'plus' })
    }`,
    body: html`${await explanationCard(call)}${card({
      id: 'roles',
      title: 'Roles',
      body: table({
        label: 'Roles and what they are for',
        className: 'wrap',
        heads: ['Role', 'What it is for', 'Sees', { text: 'Edit', isHidden: true }],
        rows: roles.answer.rows.map(
          ({ RoleID: id, Role: name, Description: description, UniversalAccess: universal }) => html`<tr>
<th scope="row"><a href="/records/role/${id}">${name}</a></th>
<td>${description}</td>
<td>${universal === true ? 'All records' : "Its firm's records"}</td>
<td class="number">${
            call.may('role/holders') &&
            html`<a class="link" href="${comparisonPath(id)}">Users<span class="hidden"> of ${name}</span></a> `
          }${
            call.may('role/save') &&
            html`<a class="link" href="/records/role/${id}/edit">Edit<span class="hidden"> ${name}</span></a>`
          }</td>
</tr>\n`,
        ),
      }),
    })}
${card({
  id: 'matrix',
  title: 'What each role may do',
  note: 'All: everything. Reads: look, not change. Some: parts of it.',
  body: matrix(call, granted.answer.rows),
})}`,
  });
});

function matrix(call: PageCall, grants: readonly Grant[]): Markup {
  const names = [...new Set(grants.map(({ Role: role }) => role))];
  const modules = [...Map.groupBy(grants, ({ Module: module }) => module)];
  const titled = modules
    .map(([module, of]) => ({ title: moduleTitle(call, module), of: new Map(of.map((grant) => [grant.Role, grant])) }))
    .toSorted((a, b) => a.title.localeCompare(b.title));
  return table({
    label: 'Permissions by role',
    className: 'grants',
    heads: ['Records', ...names.map((text) => ({ text, isNumber: true }))],
    rows: titled.map(
      ({ title, of }) => html`<tr><th scope="row">${title}</th>${names.map((name) => grantCell(of.get(name)))}</tr>\n`,
    ),
  });
}

function grantCell(grant: Grant | undefined): Markup {
  if (!grant || grant.Reads + grant.Changes === 0)
    return html`<td class="muted">–<span class="hidden">nothing</span></td>`;
  const { Reads: reads, ReadsAll: readsAll, Changes: changes, ChangesAll: changesAll } = grant;
  const exact = `${reads} of ${readsAll} operations that read, ${changes} of ${changesAll} that change`;
  if (reads === readsAll && changes === changesAll) return html`<td title="${exact}" class="strong">All</td>`;
  return html`<td title="${exact}">${changes === 0 ? 'Reads' : 'Some'}</td>`;
}

import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineGuard, defineReaction } from '../../../kernel/declare/reaction.ts';
import { assertConfirmed } from '../../../kernel/security/confirmation.ts';
import { hashPassword } from '../../../kernel/security/password.ts';
import { isAdministrator, requireRemainingAdministrator } from '../lib/administrators.ts';
import { assertHolds, rightsOfPerson } from '../lib/grant-limit.ts';
import { contextWordsOf } from '../lib/context-words.ts';
import { assertGoodPassword } from '../lib/password-policy.ts';
import { person } from './person.record.ts';

export const checks = [
  defineCheck({
    on: person,
    doc: 'Requires a sign-in name without a colon, which HTTP Basic cannot carry.',
    run(_ctx, { values, id }) {
      const name = values.Person;
      if (name === undefined && id !== undefined) return;
      if (typeof name !== 'string' || !/^[^\s:][^:]*$/.test(name))
        throw bad('Person', 'a sign-in name without a colon');
    },
  }),
  defineCheck({
    on: person,
    doc: 'Refuses passwords that are easy to guess, and stores a password only as its hash.',
    async run(ctx, { values, id }) {
      const password = values.Password;
      if (typeof password !== 'string') return;
      const stored = id === undefined ? [] : await contextWordsOf(ctx, id);
      const { Person, FirstName, LastName, Email } = values;
      assertGoodPassword(password, 'Password', [...stored, Person, FirstName, LastName, Email]);
      values.Password = await hashPassword(password);
      values.InitialPasswordDate = id === ctx.user.personId ? null : ctx.clock.now();
    },
  }),
  defineCheck({
    on: person,
    doc: 'Requires the names of existing roles.',
    async run(ctx, { values }) {
      const roles = values.Roles;
      if (typeof roles !== 'string') return;
      if (!ctx.user.universal)
        throw new PlatformError('NO_PERMISSION', {
          field: 'Roles',
          message: 'Roles: only users with universal access can assign roles.',
        });
      const roleNames = splitCommaList(roles);
      const rows = await ctx.db.query<{ role: string }>('select role from role where role is not null');
      const known = new Map(rows.map((r) => [r.role.toLowerCase(), r.role]));
      const unknown = roleNames.find((r) => !known.has(r.toLowerCase()));
      if (unknown !== undefined)
        throw bad(
          'Roles',
          `names of roles (${[...known.values()].join(', ')}); "${unknown.slice(0, 60)}" is not a role`,
        );
      values.Roles = roleNames.map((r) => known.get(r.toLowerCase())).join(', ');
    },
  }),
];

/** The columns that decide who can sign in as a user, and what they may do then. */
const accessColumns = ['Person', 'Status', 'Password', 'Email', 'OrganizationID', 'Roles'] as const;

/** The columns by which an administrator can stop being one. */
const administratorColumns = ['Status', 'Password', 'Roles'] as const;

export const guards = [
  defineGuard({
    on: person,
    decidesBy: 'rights',
    doc:
      'Nobody changes the access of a user who may do more than they may themselves, or gives a user more. The last ' +
      'administrator stays.',
    async before(ctx, { id, change, columns }) {
      const isDelete = change === 'delete';
      const accessColumn = accessColumns.find((name) => columns.has(name));
      if (!isDelete && accessColumn === undefined && ctx.user.universal) return;
      if (isDelete || accessColumn !== undefined) assertConfirmed(ctx);
      const rights = await rightsOfPerson(ctx, id);
      assertHolds(ctx, rights, { field: accessColumn ?? 'ID', holder: 'This user' });
      if (isAdministrator(rights) && (isDelete || administratorColumns.some((name) => columns.has(name))))
        requireRemainingAdministrator(ctx);
    },
    async after(ctx, { id, change, columns }) {
      if (change === 'update' && !columns.has('Roles')) return;
      assertConfirmed(ctx);
      assertHolds(ctx, await rightsOfPerson(ctx, id), { field: 'Roles', holder: 'A user with these roles' });
    },
  }),
];

const auditedColumns = [
  { column: 'Password', event: 'PasswordChanged' },
  { column: 'Roles', event: 'RolesChanged' },
  { column: 'OrganizationID', event: 'OrganizationChanged' },
  { column: 'Status', event: 'StatusChanged' },
] as const;

export const reactions = [
  defineReaction({
    on: person,
    after: ['insert', 'update', 'delete'],
    doc: "Writes changes of a user's rights to the security log.",
    async run(ctx, row, change, changed) {
      const events =
        change === 'update'
          ? auditedColumns.filter(({ column }) => changed.has(column)).map(({ event }) => event)
          : [change === 'insert' ? 'PersonMade' : 'PersonDeleted'];
      for (const event of events)
        await ctx.security({
          event,
          object: 'Person',
          objectId: row.PersonID,
          detail: event === 'RolesChanged' && typeof row.Roles === 'string' ? row.Roles.slice(0, 400) : '',
        });
    },
  }),
];

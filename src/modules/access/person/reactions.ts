import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { hashPassword, PASSWORD_LENGTH_MIN } from '../../../kernel/security/password.ts';

export const checks = defineChecks([
  {
    on: 'Person',
    doc: 'Requires a sign-in name without a colon, which HTTP Basic cannot carry.',
    run(_ctx, _record, values, id) {
      const name = values.get('person');
      if (name === undefined && id !== undefined) return;
      if (typeof name !== 'string' || !/^[^\s:][^:]*$/.test(name))
        throw bad('Person', 'a sign-in name without a colon');
    },
  },
  {
    on: 'Person',
    doc:
      "Only users with universal access may change a user who has it; otherwise a firm's user could take " +
      'over such an account.',
    async run(ctx, _record, _values, id) {
      if (ctx.user.universal || id === undefined) return;
      const [row] = await ctx.transaction().elevated((db) =>
        db.query<{ universal: boolean }>(
          `select exists (
               select from person p
               join role r on r.universalaccess
                 and r.role = any(
                   select trim(name) collate casewright_text
                   from unnest(string_to_array(p.roles collate "C", ',')) as name)
               where p.personid = $1::bigint) as universal`,
          [id],
        ),
      );
      if (row?.universal)
        throw new PlatformError('NO_PERMISSION', {
          field: 'ID',
          message: 'ID: only users with universal access can change a user with universal access.',
        });
    },
  },
  {
    on: 'Person',
    doc: 'Stores a password only as its hash.',
    async run(_ctx, _record, values) {
      const password = values.get('password');
      if (typeof password !== 'string') return;
      if (Array.from(password).length < PASSWORD_LENGTH_MIN)
        throw bad('Password', `at least ${PASSWORD_LENGTH_MIN} characters`);
      values.set('password', await hashPassword(password));
    },
  },
  {
    on: 'Person',
    doc: 'Requires the names of existing roles.',
    async run(ctx, _record, values) {
      const roles = values.get('roles');
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
      values.set('roles', roleNames.map((r) => known.get(r.toLowerCase())).join(', '));
    },
  },
]);

const auditedColumns: Readonly<Record<string, string>> = {
  password: 'PasswordChanged',
  roles: 'RolesChanged',
  organizationid: 'OrganizationChanged',
  status: 'StatusChanged',
};

export const reactions = defineReactions([
  {
    on: 'Person',
    after: ['insert', 'update', 'delete'],
    doc: "Writes changes of a user's rights to the security log.",
    async run(ctx, row, change, changed) {
      const events =
        change === 'update'
          ? Object.entries(auditedColumns)
              .filter(([name]) => changed.has(name))
              .map(([, event]) => event)
          : [change === 'insert' ? 'PersonMade' : 'PersonDeleted'];
      for (const event of events)
        await ctx.security({
          event,
          object: 'Person',
          objectId: Number(row['PersonID']),
          detail: event === 'RolesChanged' && typeof row['Roles'] === 'string' ? row['Roles'].slice(0, 400) : '',
        });
    },
  },
]);

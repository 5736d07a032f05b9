import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { splitCommaList } from '../../../kernel/parameters/split-list.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { assertMayGrantRoles } from '../../access/public/grants.ts';
import { readRoles } from '../../access/public/roles.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineGuard, defineReaction } from '../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { parseProcesses } from './lib/registration-processes.ts';
import { stopSchedules } from './lib/organization-schedules.ts';
import { registrationProcesses, registrationRoles } from './settings.ts';
import { settingName } from '../../system/public/setting-name.ts';
import { setting } from '../../system/setting/setting.record.ts';
import { person } from '../../access/person/person.record.ts';
import { organization } from './organization.record.ts';

export const checks = [
  defineCheck({
    on: setting,
    doc:
      'The roles of registering users exist and have no universal access; the processes that a registration ' +
      'may start exist.',
    async run(ctx, { values, id }) {
      const value = values.Value;
      if (typeof value !== 'string') return;
      let name = values.Setting;
      if (name === undefined && id !== undefined) name = await settingName(ctx.db, id);
      const isNamed = (setting: { readonly name: string }): boolean =>
        typeof name === 'string' && name.toLowerCase() === setting.name.toLowerCase();
      if (isNamed(registrationRoles)) await assertRoles(ctx, value);
      if (isNamed(registrationProcesses))
        for (const { signature } of parseProcesses(value).values())
          await checkSignature(ctx, signature, { field: 'Value' });
    },
  }),
];

export const guards = [
  defineGuard({
    on: setting,
    decidesBy: 'rights',
    doc: 'Nobody lets registrations grant more than they hold themselves.',
    async after(ctx, { id }) {
      const row = await readRecord(ctx.db, ctx.registry.recordType('Setting'), id);
      if (row.Setting?.toLowerCase() !== registrationRoles.name.toLowerCase()) return;
      await assertMayGrantRoles(ctx, splitCommaList(row.Value ?? ''), 'Value');
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: setting,
    doc: 'The processes of registrations are calls of the built-in user System.',
    calls: (_ctx, { Setting: name, Value: value }) =>
      name === registrationProcesses.name
        ? [...parseProcesses(value ?? '').values()].map(({ signature }) => ({ field: 'Value', signature }))
        : [],
  }),
];

async function assertRoles(ctx: Context, value: string): Promise<void> {
  const roles = await readRoles(ctx.db);
  for (const typeName of splitCommaList(value)) {
    const role = roles.find((each) => each.name.toLowerCase() === typeName.toLowerCase());
    if (!role)
      throw bad(
        'Value',
        `names of roles (${roles
          .filter((each) => !each.universal)
          .map((each) => each.name)
          .join(', ')}); "${typeName.slice(0, 60)}" is not one`,
      );
    if (role.universal)
      throw bad('Value', `roles without universal access; ${role.name} has it, and anyone can register`);
  }
}

export const reactions = [
  defineReaction({
    on: person,
    after: ['update', 'delete'],
    doc:
      'A recurring call of an organization stops when the user that it runs as is no longer active or leaves ' +
      'the organization.',
    async run(ctx, row, change, changed) {
      if (change === 'delete')
        return stopSchedules(ctx, 'personid is null', [], 'the person that it ran as was deleted');
      if (!changed.has('Status') && !changed.has('OrganizationID')) return;
      const status = row.Status ?? 'Active';
      const isActive = status.toLowerCase() === 'active';
      const [condition, reason] = isActive
        ? ['organizationid is distinct from $2::bigint', 'the person that it runs as left the organization']
        : ['$2::bigint is null or true', 'the person that it runs as is no longer active'];
      await stopSchedules(
        ctx,
        `personid = $1::bigint and (${condition})`,
        [row.PersonID, row.OrganizationID ?? null],
        reason,
      );
    },
  }),
  defineReaction({
    on: organization,
    after: ['delete'],
    doc: 'The recurring calls of a deleted organization stop.',
    run: (ctx) => stopSchedules(ctx, 'organizationid is null', [], 'the organization was deleted'),
  }),
];

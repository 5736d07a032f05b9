import type { Context } from '../../../kernel/door/context.ts';
import { fileNamePatterns } from '../../../kernel/documents/file-names.ts';
import { networkList } from '../../../kernel/security/networks.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineGuard, defineReaction } from '../../../kernel/declare/reaction.ts';
import { assertMayActAs } from '../../access/public/grants.ts';
import { fingerprintsText, keysText, parseKeys } from './lib/keys.ts';
import { environment } from './settings.ts';
import { sftpAccount } from './sftpaccount.record.ts';
import type { Values } from '../../../kernel/declare/values.ts';

export const checks = [
  defineCheck({
    on: sftpAccount,
    doc: 'An account has a valid sign-in name, allowed networks, and patterns of file names.',
    run(ctx, { values, id }) {
      const isNew = id === undefined;
      if (isNew) setDefaults(ctx, values);
      if (isNew || values.SftpAccount !== undefined) assertName(values.SftpAccount);
      if (isNew || values.AllowedNetworks !== undefined) assertNetworks(values.AllowedNetworks);
      assertFileNames(values.FileNames);
      assertTemplate(values.Template);
      if (values.Status !== undefined) assertStatus(values.Status);
    },
  }),
  defineCheck({
    on: sftpAccount,
    doc: 'Public keys have secure types and lengths; they are stored as parsed, with their fingerprints.',
    run(_ctx, { values }) {
      const text = values.PublicKeys;
      if (text === undefined) return;
      const keys = parseKeys(typeof text === 'string' ? text : '');
      values.PublicKeys = keys.length === 0 ? null : keysText(keys);
      values.KeyFingerprints = keys.length === 0 ? null : fingerprintsText(keys);
    },
  }),
];

function setDefaults(ctx: Context, values: Values<typeof sftpAccount>): void {
  const setDefault = (name: 'Template' | 'Status' | 'Environment', value: string): void => {
    if ((values[name] ?? null) === null) values[name] = value;
  };
  setDefault('Template', sftpAccount.fields.Template.default);
  setDefault('Status', 'Active');
  setDefault('Environment', ctx.settings.get(environment));
}

function assertName(name: unknown): void {
  if (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw bad(
      'SftpAccount',
      'a name of letters, digits, dots, hyphens and underscores that starts with a letter or digit',
    );
}

function assertNetworks(networks: unknown): void {
  if (typeof networks !== 'string' || networks.trim() === '' || !networkList(networks))
    throw bad(
      'AllowedNetworks',
      'the networks that the account is used from, in CIDR notation such as 192.0.2.0/24, comma-separated',
    );
}

function assertFileNames(fileNames: unknown): void {
  if (typeof fileNames === 'string' && fileNamePatterns(fileNames).length === 0)
    throw bad('FileNames', 'patterns of file names such as *Events*.csv, comma-separated, or nothing');
}

function assertTemplate(template: unknown): void {
  if (template === null || (typeof template === 'string' && (template.trim() === '' || template.includes('/'))))
    throw bad('Template', 'the name of an import type');
}

function assertStatus(status: unknown): void {
  if (typeof status !== 'string' || !/^(in)?active$/i.test(status)) throw bad('Status', 'Active or Inactive');
}

/** The columns that decide who signs in, and as whom their files are imported. */
const accessColumns = ['SftpAccount', 'PersonID', 'Status', 'PublicKeys', 'AllowedNetworks', 'Password'] as const;

export const guards = [
  defineGuard({
    on: sftpAccount,
    decidesBy: 'rights',
    doc: 'Nobody makes or opens an account that imports as a user who may do more than they may themselves.',
    async before(ctx, { id, change, columns }) {
      if (change === 'delete' || !accessColumns.some((name) => columns.has(name))) return;
      await assertMayActAs(ctx, await userOfAccount(ctx, id), 'ID');
    },
    async after(ctx, { id, change, columns }) {
      if (change === 'update' && !columns.has('PersonID')) return;
      await assertMayActAs(ctx, await userOfAccount(ctx, id), 'PersonID');
    },
  }),
];

async function userOfAccount(ctx: Context, accountId: number): Promise<number> {
  const [row] = await ctx
    .transaction()
    .elevated((db) =>
      db.query<{ personid: number }>('select personid from sftpaccount where sftpaccountid = $1::bigint', [accountId]),
    );
  return row?.personid ?? 0;
}

/** Security log events by change. */
const CHANGE_EVENTS: Readonly<Record<string, string>> = {
  insert: 'SftpAccountMade',
  update: 'SftpAccountChanged',
};

export const reactions = [
  defineReaction({
    on: sftpAccount,
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of sFTP accounts are written to the security log.',
    async run(ctx, row, change, changed) {
      const event = CHANGE_EVENTS[change] ?? 'SftpAccountDeleted';
      await ctx.security({
        event,
        object: 'SftpAccount',
        objectId: row.SftpAccountID,
        detail: [...changed].sort().join(', ').slice(0, 400),
      });
    },
  }),
];

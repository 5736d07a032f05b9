import { fileNamePatterns } from '../../../kernel/documents/file-names.ts';
import { networkList } from '../../../kernel/security/networks.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { fingerprintsText, keysText, parseKeys } from './lib/keys.ts';
import { environment } from './settings.ts';
import { sftpAccount } from './sftpaccount.record.ts';

export const checks = defineChecks([
  {
    on: 'SftpAccount',
    doc: 'An account has a valid sign-in name, allowed networks, and patterns of file names.',
    run(ctx, _record, values, id) {
      const isNew = id === undefined;
      if (isNew && (values.get('template') ?? null) === null)
        values.set('template', sftpAccount.fields.Template.default);
      const name = values.get('sftpaccount');
      if ((isNew || name !== undefined) && (typeof name !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)))
        throw bad(
          'SftpAccount',
          'a name of letters, digits, dots, hyphens and underscores that starts with a letter or digit',
        );
      const networks = values.get('allowednetworks');
      if (isNew || networks !== undefined) {
        if (typeof networks !== 'string' || networks.trim() === '' || !networkList(networks))
          throw bad(
            'AllowedNetworks',
            'the networks that the account is used from, in CIDR notation such as 192.0.2.0/24, comma-separated',
          );
      }
      const fileNames = values.get('filenames');
      if (typeof fileNames === 'string' && fileNamePatterns(fileNames).length === 0)
        throw bad('FileNames', 'patterns of file names such as *Events*.csv, comma-separated, or nothing');
      const template = values.get('template');
      if (template === null || (typeof template === 'string' && (template.trim() === '' || template.includes('/'))))
        throw bad('Template', 'the name of an import type');
      const status = values.get('status');
      if (isNew && (status ?? null) === null) values.set('status', 'Active');
      else if (status !== undefined && (typeof status !== 'string' || !/^(in)?active$/i.test(status)))
        throw bad('Status', 'Active or Inactive');
      if (isNew && (values.get('environment') ?? null) === null)
        values.set('environment', ctx.settings.get(environment));
    },
  },
  {
    on: 'SftpAccount',
    doc: 'Public keys have secure types and lengths; they are stored as parsed, with their fingerprints.',
    run(_ctx, _record, values) {
      const text = values.get('publickeys');
      if (text === undefined) return;
      const keys = parseKeys(typeof text === 'string' ? text : '');
      values.set('publickeys', keys.length === 0 ? null : keysText(keys));
      values.set('keyfingerprints', keys.length === 0 ? null : fingerprintsText(keys));
    },
  },
]);

export const reactions = defineReactions([
  {
    on: 'SftpAccount',
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of sFTP accounts are written to the security log.',
    async run(ctx, row, change, changed) {
      const event =
        change === 'insert' ? 'SftpAccountMade' : change === 'update' ? 'SftpAccountChanged' : 'SftpAccountDeleted';
      await ctx.security({
        event,
        object: 'SftpAccount',
        objectId: Number(row['SftpAccountID']),
        detail: [...changed].sort().join(', ').slice(0, 400),
      });
    },
  },
]);

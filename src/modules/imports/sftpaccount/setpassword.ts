import { randomBytes } from 'node:crypto';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { item } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { hashPassword } from '../../../kernel/security/password.ts';
import { updateRow } from '../../../kernel/records/save/update-row.ts';

/** Random bytes of a generated password, which has 32 characters. */
const PASSWORD_BYTES = 24;

export const operation = defineOperation({
  module: 'sftpaccount',
  name: 'SetPassword',
  method: 'POST',
  summary:
    'Creates a new password for an sFTP account and returns it; it is never shown again. The old password ' +
    'and its sessions end within a second.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The account.' })),
    Remove: f.boolean({
      doc: 'Whether the password is removed without a new one: only keys can sign in then.',
      default: false,
    }),
  },
  secretAnswer: true,
  returns: {
    SftpAccountID: required(f.id({ doc: 'The account.' })),
    SftpAccount: required(f.text({ doc: 'Name to sign in with.' })),
    Password: f.text({ doc: 'The password, if one was created.' }),
  },
  errors: ['NOT_FOUND'],
  source: 'checklist EVT-07',
});

export const run = handle(operation, async (ctx, { ID, Remove }) => {
  const account = namedRow(ctx, ctx.record);
  const password = Remove ? null : randomBytes(PASSWORD_BYTES).toString('base64url');
  await updateRow(ctx, ctx.record, ID, {
    Password: password === null ? null : await hashPassword(password),
    PasswordDate: password === null ? null : ctx.clock.now(),
  });
  await ctx.security({
    event: Remove ? 'SftpPasswordRemoved' : 'SftpPasswordMade',
    object: 'SftpAccount',
    objectId: ID,
  });
  return item('SftpAccount', operation.returns, {
    SftpAccountID: ID,
    SftpAccount: String(account.SftpAccount),
    Password: password,
  });
});

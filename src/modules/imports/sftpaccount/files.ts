import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { selectSftpFiles, visibleFirm } from './lib/sftp-results.ts';

const files = {
  SftpFileID: required(f.id({ doc: 'The file.' })),
  FileName: required(f.text({ doc: 'Its name. Personal numbers are masked.' })),
  State: required(
    f.text({
      doc:
        'Receiving; Waiting, until it has been unchanged for a moment; Reading; or Not imported: it stays where it ' +
        'was sent.',
    }),
  ),
  Size: f.integer({ doc: 'Size in bytes, once it is complete.' }),
  ReceivedDate: required(f.timestamp({ doc: 'When it was first written.' })),
  Reason: f.text({ doc: 'Why it is not imported.' }),
  LeftDate: f.timestamp({ doc: 'When it became known that it will not be imported.' }),
  SftpAccountID: required(f.id({ doc: 'The account.', to: 'SftpAccount' })),
  Account: required(f.text({ doc: 'Name of the account.' })),
  OrganizationID: f.id({ doc: 'The firm.', to: 'Organization' }),
  Organization: f.text({ doc: 'Name of the firm.' }),
};

export const operation = defineOperation({
  module: 'sftpaccount',
  name: 'Files',
  method: 'GET',
  summary:
    'Lists files sent by sFTP that are not imported yet, at most 200: those that stay in the home first, with the ' +
    "reason. A firm's users see their firm's; others need the permission SftpAccountSearch.",
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns: 'list',
  answerName: 'SftpFile',
  rows: files,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-07, EVT-07',
});

export const run = handle(operation, async (ctx) =>
  list('SftpFile', files, await selectSftpFiles(ctx, visibleFirm(ctx))),
);

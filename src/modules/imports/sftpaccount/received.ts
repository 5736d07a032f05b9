import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { selectSftpDays, visibleFirm } from './lib/sftp-results.ts';

const days = {
  OrganizationID: f.id({ doc: 'The firm; empty for staff.', to: 'Organization' }),
  Organization: f.text({ doc: 'Name of the firm.' }),
  Day: required(f.date({ doc: "The day, in the installation's time zone." })),
  Files: required(f.integer({ doc: 'Number of files that were imported or are being imported.' })),
  Failed: required(f.integer({ doc: 'How many of them failed or have failed rows.' })),
  Open: required(f.integer({ doc: 'How many have not ended.' })),
};

/** Most days. */
const DAYS_MAX = 92;

export const operation = defineOperation({
  module: 'sftpaccount',
  name: 'Received',
  method: 'GET',
  summary:
    "Counts the files that came by sFTP, by firm and day. A firm's users see their firm's; others need the " +
    'permission SftpAccountSearch.',
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: { Days: f.integer({ doc: `Days back, at most ${DAYS_MAX}.`, default: 7 }) },
  returns: 'list',
  answerName: 'SftpDay',
  rows: days,
  errors: ['NO_PERMISSION'],
  source: 'checklist WEB-07, EVT-07',
});

export const run = handle(operation, async (ctx, { Days }) =>
  list('SftpDay', days, await selectSftpDays(ctx, visibleFirm(ctx), Math.min(Math.max(Days, 1), DAYS_MAX))),
);

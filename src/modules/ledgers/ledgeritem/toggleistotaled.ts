import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { totaledAlert } from '../lib/approved-entries.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { changeLines } from './lib/change-lines.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'ToggleIsTotaled',
  method: 'POST',
  summary:
    'Includes unlocked lines in the adjusted balance of their ledgers, or excludes those that are included. The ' +
    'ledgers above follow. Paid lines, and approved and rejected time entries, stay as they are.',
  effect: 'write',
  idempotent: false,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The lines.', max: CHANGED_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, (ctx, { ID }) =>
  changeLines(ctx, ID, (line, template) => {
    const isTotaled = !(line.IsTotaled ?? template?.isTotaled ?? false);
    return totaledAlert(line, isTotaled) ?? { IsTotaled: isTotaled };
  }),
);

import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { totaledAlert } from '../lib/approved-entries.ts';
import { CHANGED_MAX } from '../lib/change-records.ts';
import { changeLines, lineRefusal } from './lib/change-lines.ts';

export const operation = defineOperation({
  module: 'ledgeritem',
  name: 'ExcludeFromTotal',
  method: 'POST',
  summary:
    'Excludes unlocked lines from the adjusted balance of their ledgers, if their template line has CanExclude. ' +
    'Lines without a template line may always be excluded, paid lines and approved time entries never.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.idList({ doc: 'The lines.', max: CHANGED_MAX })) },
  returns: 'list',
  errors: ['NOT_FOUND', 'LOCKED', 'STATE_REFUSES', 'RULE_EXCEPTION'],
  source: '2-workflow-ledgers-worklists-ai §4, Ledgers',
});

export const run = handle(operation, (ctx, { ID }) =>
  changeLines(ctx, ID, (line, template) =>
    template && template.canExclude !== true
      ? lineRefusal(line, 'cannot be excluded from the total')
      : (totaledAlert(line, false) ?? { IsTotaled: false }),
  ),
);

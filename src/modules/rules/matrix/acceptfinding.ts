import { namedRow } from '../../../kernel/door/named-records.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { acceptFinding } from './lib/acceptances.ts';
import { checkDraft } from './lib/check-draft.ts';
import { readEdited } from './lib/drafts.ts';

export const operation = defineOperation({
  module: 'matrix',
  name: 'AcceptFinding',
  method: 'POST',
  summary:
    'Accepts a warning about a matrix in the name of the user, with a reason. It stays accepted until one of its ' +
    'rows changes or the acceptance is withdrawn. Errors cannot be accepted.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  permission: 'MatrixImportTable',
  on: 'configuration',
  names: 'ID',
  reach: 'locked row',
  params: {
    ID: required(f.id({ doc: 'The matrix.' })),
    Key: required(f.text({ doc: 'The key of the finding.', max: 32 })),
    Reason: required(f.text({ doc: 'Why the table is right.', max: 1000 })),
  },
  returns: 'nothing',
  errors: ['BAD_PARAMETER', 'MISSING_PARAMETER', 'NOT_FOUND', 'STATE_REFUSES'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID, Key, Reason }) => {
  if (Reason.trim() === '') throw bad('Reason', 'why the table is right');
  const edited = await readEdited(ctx, ID, namedRow(ctx, ctx.record).Matrix ?? '');
  const { findings } = await checkDraft(ctx, edited);
  const found = findings.find((finding) => finding.Key === Key);
  if (!found)
    throw new PlatformError('NOT_FOUND', {
      field: 'Key',
      message: 'Key: the checks no longer find this. Read the findings again.',
    });
  if (found.Severity === 'Error')
    throw new PlatformError('STATE_REFUSES', { field: 'Key', message: `${found.Title}: an error cannot be accepted.` });
  await acceptFinding(ctx, ID, {
    key: Key,
    finding: `${found.Title}. ${found.Description}`,
    reason: Reason.trim(),
  });
  return { kind: 'nothing' };
});

import { f, required } from '../../kernel/field.ts';
import { defineOperation, handle } from '../../kernel/operation.ts';
import { importResults, resultsExample } from './lib/results.ts';
import { importSubmission, rejectUnrecognized } from './lib/submission.ts';
import { findReferralOperation } from './lib/schemas.ts';

export const operation = defineOperation({
  module: 'import',
  name: 'Template',
  path: '{Template}',
  method: 'POST',
  summary: 'Imports a referral document: the template is the name of one of the referral operations. Answers ImportResults.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Template: required(f.text({ doc: 'The operation: Foreclosure, ForeclosureUpdate and so on; case and spaces do not matter.', max: 100 })),
    PreTransform_FileName: f.text({ doc: 'The name of the submission.', max: 255 }),
  },
  body: 'raw',
  transactions: 'own',
  form: 'xml',
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['TOO_LARGE'],
  source: '3-referrals §4 A',
});

export const run = handle(operation, async (ctx, { Template, PreTransform_FileName }) => {
  const referral = findReferralOperation(Template);
  const importFileId = referral ? await importSubmission(ctx, referral, PreTransform_FileName ?? undefined) : await rejectUnrecognized(ctx, Template);
  return importResults(ctx, importFileId);
});

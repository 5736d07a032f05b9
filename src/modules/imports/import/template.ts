import type { Answer } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { resultsExample } from '../lib/results-example.ts';
import { importStreamedReferral, rejectUnknownImportType } from './lib/streamed-referral.ts';
import { findReferralOperation } from './lib/referral-schemas.ts';
import { findImportType } from './lib/find-import-type.ts';

/**
 * The nine referral imports and every other import type, by name: `POST /api/import/foreclosure`, `…/pocupdate` and so
 * on. The nine are data, see `referralOperations` in lib/referral-schemas.ts.
 *
 * A referral type without its own settings is imported while its document streams in (lib/streamed-referral.ts). Any
 * other document is stored first and imported by its type's engine (importfile/importbyobject); for referrals that is
 * lib/referral-engine.ts.
 */
export const operation = defineOperation({
  module: 'import',
  name: 'Template',
  path: '{Template}',
  method: 'POST',
  summary:
    'Imports a document by the import type of this name, such as one of the nine referral operations ' +
    '(Foreclosure, POC, MFR and so on). Returns ImportResults, or the import file if the import type is ' +
    'Async.',
  effect: 'write',
  idempotent: true,
  access: 'permission',
  params: {
    Template: required(
      f.text({
        doc: 'The import type: Foreclosure, ForeclosureUpdate and so on. Case and spaces are ignored.',
        max: 100,
      }),
    ),
    PreTransform_FileName: f.text({ doc: 'Name of the submission.', max: 255 }),
  },
  body: 'raw',
  transactions: 'own',
  form: 'xml',
  returns: 'tree',
  answerName: 'ImportResults',
  example: resultsExample,
  errors: ['MISSING_PARAMETER', 'TOO_LARGE'],
  source: '3-referrals §4 A',
});

export const run = handle(operation, async (ctx, { Template, PreTransform_FileName }): Promise<Answer> => {
  const template = await findImportType(ctx, Template);
  const referral = template && findReferralOperation(template.name);
  // A GET has no body: the sender opened the address; this is not an empty submission.
  if (!ctx.body)
    throw new PlatformError('MISSING_PARAMETER', {
      message:
        'Send the document as the body of a POST to this address.' +
        (referral ? ` Its schema is at /api/import/schema/${referral}.` : ''),
    });
  if (!template) return ctx.call('importfile/importresults', { ID: await rejectUnknownImportType(ctx, Template) });
  if (referral && template.isStreamedReferral) {
    const type = { templateId: template.id, referral };
    const { id, refusal } = await importStreamedReferral(ctx, type, PreTransform_FileName ?? undefined);
    const answer = await ctx.call('importfile/importresults', { ID: id });
    return refusal === undefined ? answer : { ...answer, failed: refusal };
  }
  const fileName = PreTransform_FileName ?? (referral ? `${referral}.xml` : undefined);
  return ctx.call('importfile/importbyobject', {
    TemplateID: template.id,
    ...(fileName === undefined ? {} : { PreTransform_FileName: fileName }),
  });
});

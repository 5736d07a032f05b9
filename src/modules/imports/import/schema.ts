import { namesHint, PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { configuredNames } from './lib/configured-names.ts';
import { findReferralOperation, referralOperations, servedSchema } from './lib/referral-schemas.ts';
import { investorName } from './settings.ts';

export const operation = defineOperation({
  module: 'import',
  name: 'Schema',
  path: 'schema/{Operation}',
  method: 'GET',
  summary:
    'Returns the XML schema of a referral operation as one document, with the names that this installation has ' +
    'configured: templates, questions and ledger lines.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { Operation: required(f.text({ doc: 'The referral operation, or the file name of its schema.', max: 100 })) },
  returns: 'content',
  errors: ['NOT_FOUND'],
  source: 'decisions, Referral import',
});

export const run = handle(operation, async (ctx, { Operation }) => {
  // Also by the name of its file: Foreclosure.xsd, Foreclosure.Update.xsd.
  const referral = findReferralOperation(Operation.replace(/\.xsd$/i, '').replaceAll('.', ''));
  if (!referral) {
    throw new PlatformError('NOT_FOUND', {
      field: 'Operation',
      message:
        'Operation: no referral operation has this name.' + namesHint(Operation, Object.keys(referralOperations)),
    });
  }
  return {
    kind: 'content',
    mime: 'text/xml; charset=utf-8',
    bytes: servedSchema(
      referral,
      { investorName: ctx.settings.get(investorName) },
      await configuredNames(ctx, referral),
    ),
  };
});

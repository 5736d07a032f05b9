import { nearest, PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { findReferralOperation, referralOperations, servedSchema } from './lib/referral-schemas.ts';
import { investorName } from './settings.ts';

export const operation = defineOperation({
  module: 'import',
  name: 'Schema',
  path: 'schema/{Operation}',
  method: 'GET',
  summary: 'Returns the XML schema of a referral operation as one document.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  params: { Operation: required(f.text({ doc: 'The referral operation.', max: 100 })) },
  returns: 'content',
  errors: ['NOT_FOUND'],
  source: 'decisions, Referral import',
});

export const run = handle(operation, async (ctx, { Operation }) => {
  const referral = findReferralOperation(Operation);
  if (!referral) {
    const names = Object.keys(referralOperations);
    throw new PlatformError('NOT_FOUND', {
      field: 'Operation',
      message:
        'Operation: no referral operation has this name. ' +
        `Nearest: ${nearest(Operation, names).join(', ') || names.join(', ')}.`,
    });
  }
  return {
    kind: 'content',
    mime: 'text/xml; charset=utf-8',
    bytes: servedSchema(referral, { investorName: ctx.settings.get(investorName) }),
  };
});

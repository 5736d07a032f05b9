import { item } from '../../../kernel/door/answer.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { confirmRegistration } from './lib/confirm-registration.ts';
import { countFailedConfirmation, assertFewFailedConfirmations } from './lib/registration-limits.ts';

export const operation = defineOperation({
  module: 'organization',
  name: 'Confirm',
  method: 'POST',
  summary: 'Confirms a registration, once, with the token from its mail. The user can then sign in.',
  effect: 'write',
  idempotent: false,
  access: 'anonymous',
  params: { Token: required(f.secret({ doc: 'The part of the mailed link after the last slash.', max: 100 })) },
  transactions: 'own',
  returns: { Person: required(f.text({ doc: 'The name to sign in with.' })) },
  answerName: 'Confirmation',
  errors: ['NOT_FOUND', 'TOO_MANY'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { Token }) => {
  await assertFewFailedConfirmations(ctx);
  const person = await ctx.inTransaction((own) => own.transaction().elevated(() => confirmRegistration(own, Token)));
  if (person !== undefined) return item('Confirmation', operation.returns, { Person: person });
  await countFailedConfirmation(ctx);
  throw new PlatformError('NOT_FOUND', {
    field: 'Token',
    message: 'This link is no longer valid: it was already used, or it has expired.',
  });
});

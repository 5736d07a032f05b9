import { item } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { assertPreference, readOwnPreference, writeOwnPreference } from './lib/own-preference.ts';
import { preferenceFields } from './lib/preference-fields.ts';

export const operation = defineOperation({
  module: 'preference',
  name: 'Choose',
  method: 'POST',
  summary: "Changes some of the caller's own preferences. A field that is sent empty gets the default again.",
  effect: 'write',
  idempotent: true,
  access: 'signed-in',
  params: preferenceFields,
  returns: preferenceFields,
  answerName: 'OwnPreference',
  errors: ['BAD_PARAMETER'],
  source: 'checklist WEB-03',
});

export const run = handle(operation, async (ctx, sent) => {
  assertPreference(sent);
  const chosen = { ...(await readOwnPreference(ctx)), ...sent };
  await writeOwnPreference(ctx, chosen);
  ctx.accessChanged();
  return item('OwnPreference', preferenceFields, chosen);
});

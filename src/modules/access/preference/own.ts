import { item } from '../../../kernel/door/answer.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { readOwnPreference } from './lib/own-preference.ts';
import { preferenceFields } from './lib/preference-fields.ts';

export const operation = defineOperation({
  module: 'preference',
  name: 'Own',
  method: 'GET',
  summary: "Returns the caller's own preferences. Empty fields have the default.",
  effect: 'read',
  idempotent: true,
  access: 'signed-in',
  params: {},
  returns: preferenceFields,
  answerName: 'OwnPreference',
  errors: [],
  source: 'checklist WEB-03',
});

export const run = handle(operation, (ctx) =>
  ctx.inTransaction(async (own) => item('OwnPreference', preferenceFields, await readOwnPreference(own))),
);

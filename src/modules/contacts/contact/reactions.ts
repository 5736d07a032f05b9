import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { checkAlias } from './lib/record/check-alias.ts';
import { checkTemplateLists } from './lib/record/check-template-lists.ts';
import { contact } from './contact.record.ts';

export const checks = [
  defineCheck({
    on: contact,
    doc: "A contact's status and type are among those that its template lists.",
    run: (ctx, { values, id }) => checkTemplateLists(ctx, values, id),
  }),
  defineCheck({
    on: contact,
    doc: 'An alias refers to a contact that is not an alias itself.',
    run: (ctx, { values, id }) => checkAlias(ctx, values, id),
  }),
];

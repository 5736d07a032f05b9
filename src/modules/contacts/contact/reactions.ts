import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { checkAlias } from './lib/record/check-alias.ts';
import { checkTemplateLists } from './lib/record/check-template-lists.ts';

export const checks = defineChecks([
  {
    on: 'Contact',
    doc: "A contact's status and type are among those that its template lists.",
    run: (ctx, _record, values, id) => checkTemplateLists(ctx, values, id),
  },
  {
    on: 'Contact',
    doc: 'An alias refers to a contact that is not an alias itself.',
    run: (ctx, _record, values, id) => checkAlias(ctx, values, id),
  },
]);

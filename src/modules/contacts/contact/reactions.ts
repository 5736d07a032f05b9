import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { checkAlias } from './lib/record/check-alias.ts';
import { checkTemplateLists } from './lib/record/check-template-lists.ts';

export const checks = defineChecks([
  {
    on: 'Contact',
    doc: 'Status and type of a contact are among those that its template lists.',
    run: (ctx, _record, values, id) => checkTemplateLists(ctx, values, id),
  },
  {
    on: 'Contact',
    doc: "An alias is one of a contact that is nobody's alias itself.",
    run: (ctx, _record, values, id) => checkAlias(ctx, values, id),
  },
]);

import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';

export const checks = defineChecks([
  {
    on: 'ProfessionalLicense',
    doc: 'A licence does not expire before it is effective.',
    async run(ctx, record, values, id) {
      if (!values.has('effective') && !values.has('expires')) return;
      const stored = id === undefined ? {} : await readRecord(ctx.db, record, id);
      const effective = values.has('effective') ? values.get('effective') : stored['Effective'];
      const expires = values.has('expires') ? values.get('expires') : stored['Expires'];
      if (typeof effective === 'string' && typeof expires === 'string' && expires < effective)
        throw bad('Expires', 'a day that is not before Effective');
    },
  },
]);

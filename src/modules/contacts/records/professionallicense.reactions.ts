import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { professionalLicense } from './professionallicense.record.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';

export const checks = [
  defineCheck({
    on: professionalLicense,
    doc: 'A licence does not expire before it is effective.',
    async run(ctx, { values, id }) {
      if (values.Effective === undefined && values.Expires === undefined) return;
      const stored = id === undefined ? undefined : await readRecord(ctx.db, professionalLicense, id);
      const effective = valueAfter(values, stored, 'Effective');
      const expires = valueAfter(values, stored, 'Expires');
      if (typeof effective === 'string' && typeof expires === 'string' && expires < effective)
        throw bad('Expires', 'a day that is not before Effective');
    },
  }),
];

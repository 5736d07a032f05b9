import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { professionalLicense } from './professionallicense.record.ts';

export const checks = [
  defineCheck({
    on: professionalLicense,
    doc: 'A licence does not expire before it is effective.',
    async run(ctx, { record, values, id }) {
      if (values.Effective === undefined && values.Expires === undefined) return;
      const stored = id === undefined ? {} : await readRecord(ctx.db, record, id);
      const effective = values.Effective !== undefined ? values.Effective : stored['Effective'];
      const expires = values.Expires !== undefined ? values.Expires : stored['Expires'];
      if (typeof effective === 'string' && typeof expires === 'string' && expires < effective)
        throw bad('Expires', 'a day that is not before Effective');
    },
  }),
];

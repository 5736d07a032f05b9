import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { isCurrency } from '../ledger/settings.ts';
import { projectMethodUse } from '../lib/project-ledger.ts';
import { calculateMethodUse } from '../lib/total-ledger.ts';
import { ledgerTemplate } from './ledgertemplate.record.ts';

export const checks = [
  defineCheck({
    on: ledgerTemplate,
    doc: 'CalculateMethod and ProjectMethod name operations that only read, and Currency is a code such as USD.',
    async run(ctx, { values: { CalculateMethod, ProjectMethod, Currency } }) {
      if (typeof CalculateMethod === 'string' && CalculateMethod.trim() !== '')
        await checkSignature(ctx, CalculateMethod, calculateMethodUse);
      if (typeof ProjectMethod === 'string' && ProjectMethod.trim() !== '')
        await checkSignature(ctx, ProjectMethod, projectMethodUse);
      if (typeof Currency === 'string' && Currency !== '' && !isCurrency(Currency))
        throw bad('Currency', 'three capital letters, such as USD');
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: ledgerTemplate,
    doc: 'The CalculateMethod of a ledger template totals its ledgers, and its ProjectMethod projects their lines.',
    calls: (_ctx, { CalculateMethod, ProjectMethod }) => [
      ...(CalculateMethod === null ? [] : [{ field: 'CalculateMethod', signature: CalculateMethod }]),
      ...(ProjectMethod === null ? [] : [{ field: 'ProjectMethod', signature: ProjectMethod }]),
    ],
  }),
];

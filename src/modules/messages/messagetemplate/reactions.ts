import { defineCallSource, type ConfiguredCall } from '../../../kernel/declare/call-source.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { valueNames } from '../../../kernel/declare/values.ts';
import { findRecord } from '../../../kernel/records/search/read.ts';
import { recipientKinds } from '../lib/recipients/recipient.ts';
import type { TemplateRow } from '../lib/sending/choose-template.ts';
import { checkTemplate, withModule } from './lib/check-template.ts';
import { messageTemplate } from './messagetemplate.record.ts';

export const checks = [
  defineCheck({
    on: messageTemplate,
    doc: 'The expressions, addresses, methods, documents and stylesheet of a message template are valid.',
    run: async (ctx, { values, id }) => {
      const record = ctx.registry.recordType('MessageTemplate');
      const stored = id === undefined ? undefined : await findRecord(ctx.db, record, id);
      await checkTemplate(ctx, {
        row: { ...stored, ...values } as Partial<TemplateRow>,
        changed: new Set(valueNames(values)),
      });
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: messageTemplate,
    doc:
      'The Method of a template is called for the values of its merge fields, and those of its recipients for their ' +
      'addresses, by workflow steps as Workflow.',
    calls: (_ctx, row) =>
      (['Method', ...recipientKinds.map((kind) => `${kind}Method` as const)] as const).flatMap((field) =>
        configuredCall(field, row[field]),
      ),
  }),
];

function configuredCall(field: string, method: string | null): ConfiguredCall[] {
  const signature = withModule(method);
  return signature === '' ? [] : [{ field, signature }];
}

import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkCustomField, warnStoredValues } from './lib/check-custom-field.ts';
import { countStoredValues } from './lib/stored-values.ts';
import { customField } from './customfield.record.ts';

export const checks = [
  defineCheck({
    on: customField,
    doc:
      'The name of a custom field is unique on its record type and on the types derived from it, and stored ' +
      'values fit its kind.',
    run: (ctx, { values, id }) => checkCustomField(ctx, values, id),
  }),
];

export const reactions = [
  defineReaction({
    on: customField,
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of custom fields are written to the security log: they change what every user of a record type sees.',
    async run(ctx, row) {
      await ctx.security({
        event: 'CustomFieldChanged',
        object: 'CustomField',
        objectId: row.CustomFieldID,
        detail: `${row.AppliesTo}.${String(row.CustomField)}`,
      });
    },
  }),
  defineReaction({
    on: customField,
    after: ['delete'],
    doc: 'Warns a user who deletes a custom field how many records have values of it.',
    async run(ctx, row) {
      const record = ctx.registry.record(row.AppliesTo);
      if (!record) return;
      const held = await countStoredValues(ctx.db, ctx.registry, record, String(row.StoredName));
      warnStoredValues(
        ctx,
        record,
        { CustomFieldID: row.CustomFieldID, CustomField: String(row.CustomField) },
        held ?? '0',
      );
    },
  }),
];

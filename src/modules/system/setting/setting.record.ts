import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const setting = defineRecord({
  name: 'Setting',
  doc: 'A setting whose value differs from its default.',
  reach: 'none',
  transferKey: ['Setting'],
  withheld: (row, settings) =>
    settings.some(
      (of) => of.field.classification === 'secret' && of.name.toLowerCase() === String(row['Setting']).toLowerCase(),
    ),
  labelDoc: 'The name of the setting, as listed in the reference.',
  labelMax: 100,
  triggers: { setting_configuration: 'Notifies every process that settings changed.' },
  fields: { Value: f.text({ doc: 'The value, as text.', max: 10000 }) },
});

import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const holiday = defineRecord({
  name: 'Holiday',
  doc: 'A day on which nobody works although its weekday has business hours.',
  reach: 'configuration',
  // One holiday falls on another day each year, so that the day is what tells them apart.
  transferKey: ['Date'],
  labelDoc: 'What the holiday is called.',
  labelMax: 100,
  triggers: { holiday_configuration: 'Tells every process that the business calendar changed.' },
  fields: {
    Date: required(f.date({ doc: 'The day; no other holiday has it.' })),
    Yearly: f.boolean({
      doc: 'Whether the day is one again in each later year; a 29 February then in leap years alone.',
      default: false,
    }),
  },
});

import { f, required } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const holiday = defineRecord({
  name: 'Holiday',
  kind: { group: 'work', position: 5, icon: 'calendar', text: 'Days that are no business days' },
  doc: 'A day without business hours.',
  reach: 'configuration',
  // A holiday falls on different dates each year, so the date identifies it.
  transferKey: ['Date'],
  labelDoc: "The holiday's name.",
  labelMax: 100,
  triggers: { holiday_configuration: 'Notifies all processes that the business calendar changed.' },
  fields: {
    Date: required(f.date({ doc: 'The date; unique.' })),
    Yearly: f.boolean({
      label: 'Every year',
      doc: 'Whether the date repeats every later year; February 29 only in leap years.',
      default: false,
    }),
  },
});

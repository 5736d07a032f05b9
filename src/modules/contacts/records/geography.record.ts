import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';

export const geography = defineRecord({
  name: 'Geography',
  kind: { group: 'data', position: 5, icon: 'globe', text: 'States and counties' },
  doc: 'A state, county or other place in which a record, such as a license, is valid.',
  reach: 'configuration',
  labelDoc: "The place's name.",
  labelMax: 100,
  findBy: ['Code'],
  triggers: { geography_configuration: 'Notifies every process that the places changed.' },
  fields: {
    Code: f.text({ doc: 'Its usual code, such as TX for a state or 48201 for a county.', max: 20 }),
    ParentGeographyID: f.id({
      label: 'Part of',
      doc: 'The place that contains it: the state of a county.',
      to: 'Geography',
    }),
  },
});

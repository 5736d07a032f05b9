import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { STYLESHEET_CHARACTERS_MAX } from '../../../kernel/xml/stylesheet.ts';

export const transform = defineRecord({
  name: 'Transform',
  doc: 'A stylesheet by which an answer becomes a page: named in Transform, with Output=Html or XHtml.',
  reach: 'configuration',
  labelDoc: 'The name by which it is asked for; no number, since a number is an id.',
  labelMax: 100,
  triggers: { transform_configuration: 'Tells every process that stylesheets changed.' },
  fields: {
    Stylesheet: f.text({
      doc: 'XSLT 1.0, one self-contained document. It is given the answer as Output=Xml writes it.',
      max: STYLESHEET_CHARACTERS_MAX,
      exact: true,
    }),
    Description: f.text({ doc: 'What the page shows.', max: 1000 }),
  },
});

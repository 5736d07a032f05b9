import { f } from '../../../kernel/declare/field.ts';
import { defineRecord } from '../../../kernel/declare/record.ts';
import { STYLESHEET_CHARACTERS_MAX } from '../../../kernel/xml/stylesheet.ts';

export const transform = defineRecord({
  name: 'Transform',
  kind: { group: 'words', position: 3, icon: 'template', text: 'Stylesheets for documents and pages' },
  title: 'Stylesheet',
  doc: 'A stylesheet that renders a result as a page. A call names it in Transform, with Output=Html or XHtml.',
  reach: 'configuration',
  labelDoc: 'The name used in Transform. It must not be a number, since a number is an id.',
  labelMax: 100,
  triggers: { transform_configuration: 'Notifies every process that stylesheets changed.' },
  fields: {
    Stylesheet: f.text({
      label: 'Text',
      doc: 'XSLT 1.0, one self-contained document. Its input is the result as Output=Xml writes it.',
      max: STYLESHEET_CHARACTERS_MAX,
      exact: true,
    }),
    Description: f.text({ doc: 'What the page shows.', max: 1000 }),
  },
});

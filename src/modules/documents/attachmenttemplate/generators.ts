import { GENERATOR } from '../../../contracts/generator.ts';
import type { ParameterFields } from '../../../kernel/declare/field-types.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { list } from '../../../kernel/door/answer.ts';

const rows = {
  Generator: required(f.text({ doc: 'The name, as AttachmentService has it.', max: 100 })),
  Description: required(f.text({ doc: 'What it makes.' })),
  Templates: required(
    f.text({ doc: 'The media types of its templates, separated by blanks; empty if it takes none.' }),
  ),
  NeedsTemplate: required(f.boolean({ doc: 'Whether it cannot work without a template.' })),
  Options: required(f.text({ doc: 'Its options, one per line: name, a colon, and what it means.' })),
  OptionTypes: required(
    f.text({
      doc: 'Their types, one per line: name, a colon, and `boolean`, `integer`, `text`, `choice of CRLF, LF` …',
    }),
  ),
  OptionDefaults: required(f.text({ doc: 'The values that are used where none is set, as a query string.' })),
};

export const operation = defineOperation({
  module: 'attachmenttemplate',
  name: 'Generators',
  method: 'GET',
  summary: 'Returns the generators that document types can name in AttachmentService, with their options.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'AttachmentTemplateSearch',
  params: {},
  returns: 'list',
  rows,
  answerName: 'Generator',
  errors: [],
  source: '1-core §2',
});

export const run = handle(operation, async (ctx) =>
  list(
    'Generator',
    rows,
    ctx.providers.names(GENERATOR).map((name) => {
      const { doc, templates, needsTemplate, options } = ctx.providers.get(GENERATOR, name);
      return {
        Generator: name,
        Description: doc,
        Templates: templates.join(' '),
        NeedsTemplate: needsTemplate,
        Options: Object.entries(options)
          .map(([option, field]) => `${option}: ${field.doc}`)
          .join('\n'),
        OptionTypes: Object.entries(options)
          .map(([option, { kind, values }]) => `${option}: ${values ? `choice of ${values.join(', ')}` : kind}`)
          .join('\n'),
        OptionDefaults: defaultsOf(options),
      };
    }),
  ),
);

function defaultsOf(options: ParameterFields): string {
  const defaults = Object.entries(options).flatMap(([name, { default: value }]): [string, string][] =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, String(value)]] : [],
  );
  return new URLSearchParams(defaults).toString();
}

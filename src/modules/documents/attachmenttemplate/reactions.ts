import { GENERATOR } from '../../../contracts/generator.ts';
import { FILE_OBJECT } from '../../../contracts/file-object.ts';
import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { checkSignature } from '../../../kernel/door/signature.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import { methodUse } from '../lib/generation/document-data.ts';
import { assertGeneratorOptions } from '../lib/generation/document-type.ts';
import { attachmentTemplate } from './attachmenttemplate.record.ts';

export const checks = [
  defineCheck({
    on: attachmentTemplate,
    doc: 'Requires a generator and a storage location that exist, and the options of the generator and no others.',
    async run(ctx, { values, id }) {
      const { AttachmentService: generator, FileObjectAssembly: location, Options: options } = values;
      if (typeof location === 'string' && location !== '') ctx.providers.get(FILE_OBJECT, location);
      if (generator === undefined && options === undefined) return;
      const [stored] =
        id === undefined
          ? []
          : await ctx.db.query<{ generator: string | null; options: string | null }>(
              `select attachmentservice as generator, options
               from attachmenttemplate where attachmenttemplateid = $1::bigint`,
              [id],
            );
      const name = (generator === undefined ? stored?.generator : generator) ?? '';
      if (name === '') return;
      assertGeneratorOptions(
        name,
        ctx.providers.get(GENERATOR, name),
        (options === undefined ? stored?.options : options) ?? '',
      );
    },
  }),
  defineCheck({
    on: attachmentTemplate,
    doc: 'Requires a Method that names an operation that only reads, and parameters that it has.',
    async run(ctx, { values: { Method: method } }) {
      if (typeof method === 'string' && method.trim() !== '') await checkSignature(ctx, method, methodUse);
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: attachmentTemplate,
    doc: 'The Method of a document type is called for its data, by workflow steps as Workflow.',
    calls: (_ctx, { Method: method }) => {
      const text = (method ?? '').trim();
      return text === '' ? [] : [{ field: 'Method', signature: text }];
    },
  }),
];

import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { checkStylesheet } from '../../../kernel/xml/stylesheet.ts';

export const checks = defineChecks([
  {
    on: 'Transform',
    doc: 'The name of a stylesheet is not a number, since a number in Transform is an id.',
    run(_ctx, _record, values, id) {
      const name = values.get('transform');
      if (name === undefined && id !== undefined) return;
      if (typeof name !== 'string' || name.trim() === '' || /^\d+$/.test(name))
        throw bad('Transform', 'a name that is not a number');
    },
  },
  {
    on: 'Transform',
    doc: 'A stylesheet is one self-contained XSLT 1.0 document and compiles where it will run.',
    async run(ctx, _record, values, id) {
      const text = values.get('stylesheet');
      if (text === undefined && id !== undefined) return;
      if (typeof text !== 'string')
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'Stylesheet',
          message: 'Stylesheet is required: an XSLT 1.0 document.',
        });
      checkStylesheet(text);
      await ctx.sandbox.compile(text, 'configuration');
    },
  },
]);

export const reactions = defineReactions([
  {
    on: 'Transform',
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of stylesheets are written to the security log.',
    async run(ctx, row) {
      await ctx.security({
        event: 'TransformChanged',
        object: 'Transform',
        objectId: Number(row['TransformID']),
        detail: String(row['Transform']),
      });
    },
  },
]);

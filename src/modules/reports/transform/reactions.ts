import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { checkStylesheet } from '../../../kernel/xml/stylesheet.ts';
import { transform } from './transform.record.ts';

export const checks = [
  defineCheck({
    on: transform,
    doc: 'The name of a stylesheet is not a number, since a number in Transform is an id.',
    run(_ctx, { values, id }) {
      const name = values.Transform;
      if (name === undefined && id !== undefined) return;
      if (typeof name !== 'string' || name.trim() === '' || /^\d+$/.test(name))
        throw bad('Transform', 'a name that is not a number');
    },
  }),
  defineCheck({
    on: transform,
    doc: 'A stylesheet is one self-contained XSLT 1.0 document and compiles where it will run.',
    async run(ctx, { values, id }) {
      const text = values.Stylesheet;
      if (text === undefined && id !== undefined) return;
      if (typeof text !== 'string')
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'Stylesheet',
          message: 'Stylesheet is required: an XSLT 1.0 document.',
        });
      checkStylesheet(text);
      await ctx.sandbox.compile(text, 'configuration');
    },
  }),
];

export const reactions = [
  defineReaction({
    on: transform,
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of stylesheets are written to the security log.',
    async run(ctx, row) {
      await ctx.security({
        event: 'TransformChanged',
        object: 'Transform',
        objectId: row.TransformID,
        detail: String(row.Transform),
      });
    },
  }),
];

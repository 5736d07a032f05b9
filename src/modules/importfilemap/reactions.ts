import { PlatformError } from '../../kernel/errors.ts';
import { bad } from '../../kernel/parse-value.ts';
import { defineChecks } from '../../kernel/reaction.ts';

/** What ImportFileMapType says a map does. */
const types = ['Column', 'Key', 'Constant', 'Ignore'];

export const checks = defineChecks([
  {
    on: 'ImportFileMap',
    doc: 'A map is of type Column (a column of the source is brought in), Key (and finds the record to change), Constant (every row gets the value of Translation) or Ignore; it names a destination, and its Translation has a pair on each line.',
    async run(ctx, _record, values, id) {
      const [before] = id === undefined ? [] : await ctx.db.query<Record<string, unknown>>('select importfilemap, importfilemaptype, destination, translation from importfilemap where importfilemapid = $1::bigint', [id]);
      const of = (name: string): string => String((values.has(name) ? values.get(name) : before?.[name]) ?? '').trim();
      const type = of('importfilemaptype') || 'Column';
      const known = types.find((t) => t.toLowerCase() === type.toLowerCase());
      if (known === undefined) throw bad('ImportFileMapType', `one of ${types.join(', ')}`);
      if (values.has('importfilemaptype') || id === undefined) values.set('importfilemaptype', known);
      if (known !== 'Constant' && of('importfilemap') === '') throw missing('ImportFileMap', 'the column of the source');
      if (known !== 'Ignore' && of('destination') === '') throw missing('Destination', 'the parameter that the value becomes');
      const wrong = known === 'Constant' ? undefined : of('translation').split(/\r?\n/).find((line) => line.trim() !== '' && !line.includes('='));
      if (wrong !== undefined) throw bad('Translation', `Old=New on each line; "${wrong.slice(0, 60)}" has no sign of equality`);
    },
  },
]);

function missing(field: string, what: string): PlatformError {
  return new PlatformError('MISSING_PARAMETER', { field, message: `${field} is required: ${what}.` });
}

import type { Context } from '../../../kernel/door/context.ts';
import { timeZone } from '../../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks } from '../../../kernel/declare/reaction.ts';
import type { Column } from '../../../kernel/declare/record.ts';
import { planSave } from '../../../kernel/records/save/plan.ts';

/** What ImportFileMapType says a map does. */
const MAP_TYPES = ['Column', 'Key', 'Constant', 'Ignore'];

export const checks = defineChecks([
  {
    on: 'ImportFileMap',
    doc: 'A map is of type Column (a column of the source is brought in), Key (and finds the record to change), Constant (every row gets the value of Translation) or Ignore; it names a destination, and its Translation has a pair on each line.',
    async run(ctx, _record, values, id) {
      const [before] =
        id === undefined
          ? []
          : await ctx.db.query(
              'select importfilemap, importfilemaptype, destination, translation from importfilemap where importfilemapid = $1::bigint',
              [id],
            );
      const of = (name: string): string => String((values.has(name) ? values.get(name) : before?.[name]) ?? '').trim();
      const type = of('importfilemaptype') || 'Column';
      const known = MAP_TYPES.find((t) => t.toLowerCase() === type.toLowerCase());
      if (known === undefined) throw bad('ImportFileMapType', `one of ${MAP_TYPES.join(', ')}`);
      if (values.has('importfilemaptype') || id === undefined) values.set('importfilemaptype', known);
      if (known !== 'Constant' && of('importfilemap') === '')
        throw missing('ImportFileMap', 'the column of the source');
      if (known !== 'Ignore' && of('destination') === '')
        throw missing('Destination', 'the parameter that the value becomes');
      const wrong =
        known === 'Constant'
          ? undefined
          : of('translation')
              .split(/\r?\n/)
              .find((line) => line.trim() !== '' && !line.includes('='));
      if (wrong !== undefined)
        throw bad('Translation', `Old=New on each line; "${wrong.slice(0, 60)}" has no sign of equality`);
      if (known !== 'Ignore')
        await warnAboutDestination(ctx, {
          destination: of('destination'),
          isKey: known === 'Key',
          templateId: values.get('importfiletemplateid'),
          id,
        });
    },
  },
]);

/** Engines whose rows are saved as records; the others have columns of their own. */
const RECORD_ENGINES = new Set(['', 'delimitedengine', 'fixedwidthengine', 'xmlengine', 'jsonengine', 'batchreader']);

interface MapDestination {
  readonly destination: string;
  readonly isKey: boolean;
  readonly templateId: unknown;
  readonly id: number | undefined;
}

/**
 * Tells where no field is called like the destination, so that every row would fail, and where a key is looked for without an
 * index. The map is kept: the field may come later, as it does where configuration is moved.
 */
async function warnAboutDestination(
  ctx: Context,
  { destination, isKey, templateId, id }: MapDestination,
): Promise<void> {
  const [template] = await ctx.db.query<{
    appliesto: string | null;
    importengine: string | null;
    parameterstring: string | null;
  }>(
    'select appliesto, importengine, parameterstring from importfiletemplate where importfiletemplateid = coalesce($1::bigint, (select importfiletemplateid from importfilemap where importfilemapid = $2::bigint))',
    [typeof templateId === 'number' ? templateId : null, id ?? null],
  );
  if (!template || !RECORD_ENGINES.has((template.importengine ?? '').toLowerCase())) return;
  const options = new Map(
    [...new URLSearchParams(template.parameterstring ?? '')].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const record = ctx.registry.record(options.get('classname') ?? template.appliesto ?? '');
  if (!record || !/^(?:save|insert|update)$/i.test(options.get('operation') ?? 'Save')) return;
  try {
    planSave(ctx.registry, record, { [destination]: null }, { timeZone: ctx.settings.get(timeZone) });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'UNKNOWN_PARAMETER') throw error;
    ctx.alert({ code: 'UNKNOWN_FIELD', text: `Destination: ${error.message} Rows with a value for it will fail.` });
  }
  const column = record.columns.get(destination.toLowerCase());
  if (isKey && column && !(await isIndexed(ctx, column)))
    ctx.alert({
      code: 'NO_INDEX',
      text: `Destination: ${record.name} has no index on ${column.name}; each row of a file reads all ${record.name} records. A SubscriberID is found at once.`,
    });
}

async function isIndexed(ctx: Context, { table, column }: Column): Promise<boolean> {
  const found = await ctx.configuration.db.query(
    'select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] where i.indrelid = $1::text::regclass and a.attname = $2::text and i.indpred is null',
    [table, column],
  );
  return found.length > 0;
}

function missing(field: string, what: string): PlatformError {
  return new PlatformError('MISSING_PARAMETER', { field, message: `${field} is required: ${what}.` });
}

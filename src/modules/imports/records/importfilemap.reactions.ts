import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { importMapCalls } from '../lib/import-calls.ts';
import { savedRecordType, warnIfUnknown, type RowTarget } from '../lib/map-destination.ts';
import { toText } from '../lib/to-text.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import type { Column } from '../../../kernel/declare/record.ts';
import { importFileMap } from './importfilemap.record.ts';
import { readColumns } from '../../../kernel/records/search/read.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';

/** Values of ImportFileMapType. */
const MAP_TYPES = ['Column', 'Key', 'Constant', 'Ignore'];

const checkedColumns = ['ImportFileMap', 'ImportFileMapType', 'Destination', 'Translation'] as const;

export const checks = [
  defineCheck({
    on: importFileMap,
    doc:
      'A map is of type Column (imports a source column), Key (also finds the record to update), Constant ' +
      '(gives every row the value of Translation) or Ignore. It names a destination, and its Translation has ' +
      'one pair on each line.',
    async run(ctx, { values, id }) {
      const before = id === undefined ? undefined : await readColumns(ctx.db, importFileMap, id, checkedColumns);
      const of = (name: (typeof checkedColumns)[number]): string => toText(valueAfter(values, before, name)).trim();
      const type = of('ImportFileMapType') || 'Column';
      const known = MAP_TYPES.find((t) => t.toLowerCase() === type.toLowerCase());
      if (known === undefined) throw bad('ImportFileMapType', `one of ${MAP_TYPES.join(', ')}`);
      if (values.ImportFileMapType !== undefined || id === undefined) values.ImportFileMapType = known;
      if (known !== 'Constant' && of('ImportFileMap') === '')
        throw missing('ImportFileMap', 'the column of the source');
      if (known !== 'Ignore' && of('Destination') === '')
        throw missing('Destination', 'the parameter that receives the value');
      const wrong =
        known === 'Constant'
          ? undefined
          : of('Translation')
              .split(/\r?\n/)
              .find((line) => line.trim() !== '' && !line.includes('='));
      if (wrong !== undefined)
        throw bad('Translation', `Old=New on each line; "${wrong.slice(0, 60)}" has no equals sign`);
      if (known !== 'Ignore')
        await warnAboutDestination(ctx, {
          destination: of('Destination'),
          isKey: known === 'Key',
          templateId: values.ImportFileTemplateID,
          id,
        });
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: importFileMap,
    doc: 'A map fills in a parameter of the call for each row, which may save other records along the way.',
    calls: importMapCalls,
  }),
];

interface MapDestination {
  readonly destination: string;
  readonly isKey: boolean;
  readonly templateId: unknown;
  readonly id: number | undefined;
}

/**
 * Warns if the destination is not a field, so that every row would fail, and if a key has no index. The map is saved
 * anyway: the field may be created later, as when configuration is transferred.
 */
async function warnAboutDestination(
  ctx: Context,
  { destination, isKey, templateId, id }: MapDestination,
): Promise<void> {
  const [template] = await ctx.db.query<RowTemplate>(
    `select appliesto, importengine, parameterstring from importfiletemplate
      where importfiletemplateid = coalesce($1::bigint, (select importfiletemplateid from importfilemap
      where importfilemapid = $2::bigint))`,
    [typeof templateId === 'number' ? templateId : null, id ?? null],
  );
  const record = template && savedRecordType(ctx, rowTarget(template));
  if (!record) return;
  warnIfUnknown(ctx, record, destination);
  const column = record.columns.get(destination.toLowerCase());
  if (isKey && column && !(await isIndexed(ctx, column)))
    ctx.alert({
      code: 'NO_INDEX',
      text:
        `Destination: ${record.name} has no index on ${column.name}, so finding the record of each row reads all ` +
        `${record.name} records. Use an indexed field, such as SubscriberID.`,
    });
}

interface RowTemplate {
  readonly appliesto: string | null;
  readonly importengine: string | null;
  readonly parameterstring: string | null;
}

function rowTarget({ appliesto, importengine, parameterstring }: RowTemplate): RowTarget {
  const options = new Map(
    [...new URLSearchParams(parameterstring ?? '')].map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { appliesTo: appliesto, engine: importengine, options };
}

async function isIndexed(ctx: Context, { table, column }: Column): Promise<boolean> {
  const found = await ctx.configuration.db.query(
    `select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = $1::text::regclass and a.attname = $2::text and i.indpred is null`,
    [table, column],
  );
  return found.length > 0;
}

function missing(field: string, what: string): PlatformError {
  return new PlatformError('MISSING_PARAMETER', { field, message: `${field} is required: ${what}.` });
}

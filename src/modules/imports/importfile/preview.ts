import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { maskNumbers } from '../../../kernel/security/mask.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import type { Context } from '../../../kernel/door/context.ts';
import type { ImportTemplate } from '../../../contracts/import-engine.ts';
import { savedRecordType, warnIfUnknown } from '../lib/map-destination.ts';
import { openImportFile } from './lib/open-import-file.ts';
import { previewValues } from './lib/shown-numbers.ts';
import { mappedNodes, problemNode, type PreviewItem, type SourceValue } from './lib/preview-nodes.ts';

/** Most rows shown. */
const ROWS_MAX = 100;

export const operation = defineOperation({
  module: 'importfile',
  name: 'Preview',
  method: 'GET',
  summary:
    'Shows the columns and first rows of an import file, as read and as mapped by the import type. ' +
    'Nine-digit numbers are masked, except those by which a record is found; nothing is imported. ' +
    'Maps to unknown fields are Alerts.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  reach: 'row',
  params: {
    ID: required(f.id({ doc: 'The import file.' })),
    DisplaySize: f.integer({ doc: `Number of rows, at most ${ROWS_MAX}.`, default: 10 }),
  },
  returns: 'tree',
  answerName: 'ImportPreview',
  example: {
    name: 'ImportPreview',
    attributes: { ID: 1, Engine: 'DelimitedEngine', Template: 'Loans' },
    children: [
      {
        name: 'PreviewItem',
        attributes: { SourceLine: 2 },
        children: [
          { name: 'Value', attributes: { Source: 'Loan Number' }, value: '000123' },
          { name: 'Parameter', attributes: { Destination: 'Loan' }, value: '000123' },
        ],
      },
    ],
    list: true,
  },
  errors: ['NOT_FOUND', 'BAD_PARAMETER', 'BAD_XML'],
  source: '1-core §4',
});

export const run = handle(operation, async (ctx, { ID, DisplaySize }) => {
  const file = await openImportFile(ctx, namedRow(ctx, ctx.record));
  const { engine, source, template } = file;
  const preview = await engine.preview(source, template, Math.min(Math.max(DisplaySize, 1), ROWS_MAX));
  const show = await previewValues(
    ctx,
    template,
    preview.rows.map(({ values }) => values),
  );
  warnAboutMaps(ctx, template);
  const children = preview.rows.map((row): PreviewItem => ({
    name: 'PreviewItem',
    attributes: { SourceLine: row.line, Sheet: row.sheet },
    children: [
      ...Object.entries(row.values).map(([name, value]): SourceValue => ({
        name: 'Value',
        attributes: { Source: maskNumbers(name) },
        value: show(name, value),
      })),
      ...mappedNodes(template, row.values, show),
      ...(row.problem === undefined ? [] : [problemNode(row.problem)]),
    ],
  }));
  return {
    kind: 'tree',
    root: {
      name: 'ImportPreview',
      attributes: {
        ID,
        Engine: template.engine,
        Template: template.name,
        Columns: preview.columns.length,
        Rows: preview.total,
      },
      children,
      list: true,
    },
  };
});

/** Warns about each map to an unknown field: rows with a value for it will fail. */
function warnAboutMaps(ctx: Context, template: ImportTemplate): void {
  const record = savedRecordType(ctx, template);
  if (!record) return;
  const mapped = template.maps.filter(({ type }) => type !== 'Ignore').map(({ destination }) => destination);
  for (const destination of new Set(mapped)) warnIfUnknown(ctx, record, destination);
}

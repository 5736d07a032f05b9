import { list } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { parseContent } from '../../../lib/page-layouts/content.ts';
import { layoutDifferences } from '../../../lib/page-layouts/differences.ts';
import { readVersions } from './lib/layout-versions.ts';

const rows = {
  Number: required(f.integer({ doc: 'Its number, counted from 1.' })),
  CreatedDate: required(f.timestamp({ doc: 'When it was published.' })),
  CreatedPersonID: f.id({ doc: 'Who published it.', to: 'Person' }),
  Differences: required(f.json({ doc: 'What it changed in the version before it, as pagelayout/draft has it.' })),
};

export const operation = defineOperation({
  module: 'pagelayout',
  name: 'Versions',
  method: 'GET',
  summary: 'Lists the published versions of a layout in its history, the latest first, with the changes of each.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'PageLayoutSelect',
  on: 'configuration',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The layout.' })) },
  returns: 'list',
  answerName: 'PageLayoutVersion',
  rows,
  errors: ['NOT_FOUND'],
  source: 'WEB-05',
});

export const run = handle(operation, async (ctx) => {
  const versions = await readVersions(ctx, namedRow(ctx, ctx.record));
  const contents = versions.map(({ layout }) => parseContent(layout));
  return list(
    'PageLayoutVersion',
    rows,
    versions.map(({ number, publishedDate, personId }, at) => {
      const [before, after] = [contents[at + 1], contents[at]];
      const Differences = before && after ? layoutDifferences(before, after) : [];
      return { Number: number, CreatedDate: publishedDate, CreatedPersonID: personId, Differences };
    }),
  );
});

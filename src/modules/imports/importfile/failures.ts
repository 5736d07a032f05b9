import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { selectFailureCauses } from './lib/correct/failed-lines.ts';

const causes = {
  Message: required(f.text({ doc: 'Why the rows failed.' })),
  SourceColumn: f.text({ doc: 'The column that is wrong, if it is a single one.' }),
  Count: required(f.integer({ doc: 'Number of rows that failed for this reason.' })),
  FirstLine: f.integer({ doc: 'The first of them; 0 for the run as a whole.' }),
};

/** Most causes returned. The summary names it. */
const CAUSES_MAX = 100;

export const operation = defineOperation({
  module: 'importfile',
  name: 'Failures',
  method: 'GET',
  summary:
    'Returns why rows of an import failed, each reason with the number of its rows, the most frequent first; at ' +
    'most 100.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The import file.' })) },
  returns: 'list',
  answerName: 'ImportFailure',
  rows: causes,
  errors: ['NOT_FOUND'],
  source: 'checklist WEB-03',
});

export const run = handle(operation, async (ctx, { ID }) =>
  list('ImportFailure', causes, await selectFailureCauses(ctx, ID, CAUSES_MAX)),
);

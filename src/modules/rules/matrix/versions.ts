import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

/** Most versions that are listed. */
const VERSIONS_MAX = 200;

const fields = {
  MatrixVersionID: required(f.id({ doc: 'The version.', to: 'MatrixVersion' })),
  Number: required(f.integer({ doc: 'Its number, counted from 1.' })),
  CreatedDate: required(f.timestamp({ doc: 'When it was published.' })),
  CreatedPersonID: f.id({ doc: 'Who published it.', to: 'Person' }),
  RowCount: f.integer({ doc: 'How many rows it has.' }),
};

export const operation = defineOperation({
  module: 'matrix',
  name: 'Versions',
  method: 'GET',
  summary: 'Lists the published versions of a matrix, the last first, at most 200.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MatrixExportTable',
  names: 'ID',
  params: { ID: required(f.id({ doc: 'The matrix.' })) },
  returns: 'list',
  answerName: 'MatrixVersion',
  rows: fields,
  errors: ['NOT_FOUND'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID }) => {
  const rows = await ctx.db.query<{
    MatrixVersionID: number;
    Number: number;
    CreatedDate: string;
    CreatedPersonID: number | null;
    RowCount: number | null;
  }>(
    `select matrixversionid as "MatrixVersionID", createddate as "CreatedDate", createdpersonid as "CreatedPersonID",
       rowcount as "RowCount", (row_number() over (order by matrixversionid))::integer as "Number"
     from matrixversion
     where matrixid = $1::bigint
     order by matrixversionid desc
     limit ${VERSIONS_MAX}`,
    [ID],
  );
  return list('MatrixVersion', fields, rows);
});

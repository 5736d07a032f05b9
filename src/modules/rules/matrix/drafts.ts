import { list } from '../../../kernel/door/answer.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';

/** Most drafts that are listed. */
const DRAFTS_MAX = 200;

const fields = {
  MatrixID: required(f.id({ doc: 'The matrix.', to: 'Matrix' })),
  Matrix: f.text({ doc: 'Its name.' }),
  UpdatedDate: required(f.timestamp({ doc: 'When the draft was last saved.' })),
  UpdatedPersonID: f.id({ doc: 'Who saved it last.', to: 'Person' }),
};

export const operation = defineOperation({
  module: 'matrix',
  name: 'Drafts',
  method: 'GET',
  summary: 'Lists the matrices that have a draft, the last saved first, at most 200.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MatrixExportTable',
  params: {},
  returns: 'list',
  answerName: 'MatrixDraft',
  rows: fields,
  errors: [],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx) => {
  const rows = await ctx.db.query<{
    MatrixID: number;
    Matrix: string | null;
    UpdatedDate: string;
    UpdatedPersonID: number | null;
  }>(
    `select m.matrixid as "MatrixID", m.matrix as "Matrix", d.updateddate as "UpdatedDate",
       d.updatedpersonid as "UpdatedPersonID"
     from matrixdraft d
     join matrix m using (matrixid)
     where d.closeddate is null
     order by d.updateddate desc
     limit ${DRAFTS_MAX}`,
  );
  return list('MatrixDraft', fields, rows);
});

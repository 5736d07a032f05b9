import { list } from '../../../kernel/door/answer.ts';
import { namedRow } from '../../../kernel/door/named-records.ts';
import { f, required } from '../../../kernel/declare/field.ts';
import { defineOperation, handle } from '../../../kernel/declare/operation.ts';
import { findUses } from './lib/uses-of-matrix.ts';

const fields = {
  Object: required(f.text({ doc: 'The type of the record that uses the matrix.' })),
  ObjectID: required(f.id({ doc: 'The record.' })),
  Name: f.text({ doc: 'Its name.' }),
  ParentObject: f.text({ doc: 'For a part of a template, such as a step: the type of the template.' }),
  ParentID: f.id({ doc: 'The template.' }),
  Field: required(f.text({ doc: 'The field that names the matrix.' })),
  ByName: required(
    f.boolean({ doc: 'Whether it refers to the matrix by name, so that renaming the matrix breaks it.' }),
  ),
};

export const operation = defineOperation({
  module: 'matrix',
  name: 'UsedIn',
  method: 'GET',
  summary:
    'Lists the configuration that uses a matrix: fields that refer to it, calls that name it, and cells of other ' +
    'matrices. Calls whose parameters are computed are not found.',
  effect: 'read',
  idempotent: true,
  access: 'permission',
  permission: 'MatrixAnalyze',
  names: 'ID',
  reach: 'row',
  params: { ID: required(f.id({ doc: 'The matrix.' })) },
  returns: 'list',
  answerName: 'MatrixUse',
  rows: fields,
  errors: ['NOT_FOUND'],
  source: '1-core §2, Rules',
});

export const run = handle(operation, async (ctx, { ID }) =>
  list('MatrixUse', fields, await findUses(ctx, { id: ID, name: namedRow(ctx, ctx.record).Matrix ?? '' })),
);

import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { restoreParts } from './lib/restore-parts.ts';
import { checkInput, checkOutput } from './lib/check-column.ts';
import { checkApplication } from './lib/check-application.ts';
import { checkFact } from './lib/check-fact.ts';
import { warnOfReferences } from './lib/missing-matrices.ts';
import { lastVersionName, scheduleVersion } from './lib/versions.ts';
import { matrix } from './matrix.record.ts';
import { matrixDimension } from '../records/matrixdimension.record.ts';
import { matrixMeasure } from '../records/matrixmeasure.record.ts';
import { matrixFact } from '../records/matrixfact.record.ts';

export const checks = [
  defineCheck({
    on: matrix,
    doc: 'The name of a matrix is not a number, since a number is an id.',
    run(_ctx, { values, id }) {
      if (values.Matrix === undefined && id !== undefined) return;
      const name = values.Matrix;
      if (typeof name !== 'string' || name.trim() === '' || /^\s*\d+\s*$/.test(name))
        throw bad('Matrix', 'a name that is not a number');
      values.Matrix = name.trim();
    },
  }),
  defineCheck({
    on: matrix,
    doc: 'A matrix applies itself to an existing type of records that rule sets may change, by criteria on its fields.',
    run: (ctx, { values, id }) => checkApplication(ctx, values, id),
  }),
  defineCheck({
    on: matrixDimension,
    doc:
      'An input has a name that is valid as a parameter and unique in its matrix, a weight of 0 or more and a ' +
      'valid XPath. Its cells have its type.',
    run: (ctx, { values, id }) => checkInput(ctx, values, id),
  }),
  defineCheck({
    on: matrixMeasure,
    doc:
      'An output has a name that is valid as a result column and unique in its matrix. Its cells have its ' +
      'type. An Object output names a record type.',
    run: (ctx, { values, id }) => checkOutput(ctx, values, id),
  }),
  defineCheck({
    on: matrixFact,
    doc:
      'A cell names a column of its matrix, by id or name, and its text can be parsed. An error names the row, ' +
      'the column and what was expected.',
    run: (ctx, { values, id }) => checkFact(ctx, values, id),
  }),
];

const partDoc = 'The matrix as a whole is compared when the call ends, with all of its parts.';

/** What a matrix that applies itself saves is checked once for each changed matrix: see `versions.ts`. */
export const callSources = [
  defineCallSource({ on: matrix, doc: partDoc }),
  defineCallSource({ on: matrixDimension, doc: partDoc }),
  defineCallSource({ on: matrixMeasure, doc: partDoc }),
  defineCallSource({ on: matrixFact, doc: partDoc }),
];

export const reactions = [
  defineReaction({
    on: matrix,
    after: ['insert', 'update'],
    doc: 'A changed matrix gets a new version, used from then on. An undeleted matrix gets its columns and cells back.',
    async run(ctx, row, change) {
      if (change === 'insert') await restoreParts(ctx, matrix, row.MatrixID);
      scheduleVersion(ctx, row.MatrixID);
    },
  }),
  defineReaction({
    on: matrix,
    after: ['update', 'delete'],
    doc: 'A matrix that is renamed or deleted while other matrices name it raises a warning that lists them.',
    async run(ctx, row, change, changed) {
      if (change === 'delete') await warnOfReferences(ctx, row.MatrixID, row.Matrix);
      else if (changed.has('Matrix'))
        await warnOfReferences(ctx, row.MatrixID, await lastVersionName(ctx, row.MatrixID));
    },
  }),
  defineReaction({
    on: matrixDimension,
    after: ['insert', 'update', 'delete'],
    doc: 'A change to an input changes its matrix. Its cells take its new name, and are restored with it.',
    async run(ctx, row, change, changed) {
      scheduleVersion(ctx, row.MatrixID);
      if (change === 'insert') await restoreParts(ctx, matrixDimension, row.MatrixDimensionID);
      if (change === 'update' && changed.has('MatrixDimension'))
        await ctx.db.query('update matrixfact set matrixfact = $2::text where matrixdimensionid = $1::bigint', [
          row.MatrixDimensionID,
          row.MatrixDimension,
        ]);
    },
  }),
  defineReaction({
    on: matrixMeasure,
    after: ['insert', 'update', 'delete'],
    doc: 'A change to an output changes its matrix. Its cells take its new name, and are restored with it.',
    async run(ctx, row, change, changed) {
      scheduleVersion(ctx, row.MatrixID);
      if (change === 'insert') await restoreParts(ctx, matrixMeasure, row.MatrixMeasureID);
      if (change === 'update' && changed.has('MatrixMeasure'))
        await ctx.db.query('update matrixfact set matrixfact = $2::text where matrixmeasureid = $1::bigint', [
          row.MatrixMeasureID,
          row.MatrixMeasure,
        ]);
    },
  }),
  defineReaction({
    on: matrixFact,
    after: ['insert', 'update', 'delete'],
    doc: 'A change to a cell changes its matrix.',
    async run(ctx, row) {
      scheduleVersion(ctx, row.MatrixID);
    },
  }),
];

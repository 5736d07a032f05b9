import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { restoreParts } from './lib/restore-parts.ts';
import { checkInput, checkOutput } from './lib/check-column.ts';
import { checkFact } from './lib/check-fact.ts';
import { scheduleVersion } from './lib/versions.ts';

export const checks = defineChecks([
  {
    on: 'Matrix',
    doc: 'The name of a matrix is not a number, since a number is an id.',
    run(_ctx, _record, values, id) {
      if (!values.has('matrix') && id !== undefined) return;
      const name = values.get('matrix');
      if (typeof name !== 'string' || name.trim() === '' || /^\s*\d+\s*$/.test(name))
        throw bad('Matrix', 'a name that is not a number');
      values.set('matrix', name.trim());
    },
  },
  {
    on: 'MatrixDimension',
    doc:
      'An input has a name that is valid as a parameter and unique in its matrix, a weight of 0 or more and a ' +
      'valid XPath. Its cells have its type.',
    run: (ctx, _record, values, id) => checkInput(ctx, values, id),
  },
  {
    on: 'MatrixMeasure',
    doc:
      'An output has a name that is valid as a result column and unique in its matrix. Its cells have its ' +
      'type. An Object output names a record type.',
    run: (ctx, _record, values, id) => checkOutput(ctx, values, id),
  },
  {
    on: 'MatrixFact',
    doc:
      'A cell names a column of its matrix, by id or name, and its text can be parsed. An error names the row, ' +
      'the column and what was expected.',
    run: (ctx, _record, values, id) => checkFact(ctx, values, id),
  },
]);

export const reactions = defineReactions([
  {
    on: 'Matrix',
    after: ['insert', 'update'],
    doc: 'A changed matrix gets a new version, used from then on. An undeleted matrix gets its columns and cells back.',
    async run(ctx, row, change) {
      if (change === 'insert') await restoreParts(ctx, 'matrix', row['MatrixID']);
      scheduleVersion(ctx, Number(row['MatrixID']));
    },
  },
  {
    on: 'MatrixDimension',
    after: ['insert', 'update', 'delete'],
    doc: 'A change to an input changes its matrix. Its cells take its new name, and are restored with it.',
    async run(ctx, row, change, changed) {
      scheduleVersion(ctx, Number(row['MatrixID']));
      if (change === 'insert') await restoreParts(ctx, 'matrixdimension', row['MatrixDimensionID']);
      if (change === 'update' && changed.has('matrixdimension'))
        await ctx.db.query('update matrixfact set matrixfact = $2::text where matrixdimensionid = $1::bigint', [
          row['MatrixDimensionID'],
          row['MatrixDimension'],
        ]);
    },
  },
  {
    on: 'MatrixMeasure',
    after: ['insert', 'update', 'delete'],
    doc: 'A change to an output changes its matrix. Its cells take its new name, and are restored with it.',
    async run(ctx, row, change, changed) {
      scheduleVersion(ctx, Number(row['MatrixID']));
      if (change === 'insert') await restoreParts(ctx, 'matrixmeasure', row['MatrixMeasureID']);
      if (change === 'update' && changed.has('matrixmeasure'))
        await ctx.db.query('update matrixfact set matrixfact = $2::text where matrixmeasureid = $1::bigint', [
          row['MatrixMeasureID'],
          row['MatrixMeasure'],
        ]);
    },
  },
  {
    on: 'MatrixFact',
    after: ['insert', 'update', 'delete'],
    doc: 'A change to a cell changes its matrix.',
    async run(ctx, row) {
      scheduleVersion(ctx, Number(row['MatrixID']));
    },
  },
]);

import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineChecks, defineReactions } from '../../../kernel/declare/reaction.ts';
import { restoreParts } from './lib/restore-parts.ts';
import { checkInput, checkOutput } from './lib/check-column.ts';
import { checkFact } from './lib/check-fact.ts';
import { scheduleVersion } from './lib/versions.ts';

export const checks = defineChecks([
  {
    on: 'Matrix',
    doc: 'A matrix has a name that is no number, since a number is an id.',
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
    doc: 'An input has a name that can be a parameter and that no other input of the matrix has, a weight of 0 or more and a sound XPath; its cells are of its type.',
    run: (ctx, _record, values, id) => checkInput(ctx, values, id),
  },
  {
    on: 'MatrixMeasure',
    doc: 'An output has a name that can be a column of the answer and meets no other; its cells are of its type. Object outputs name a record type.',
    run: (ctx, _record, values, id) => checkOutput(ctx, values, id),
  },
  {
    on: 'MatrixFact',
    doc: 'A cell names a column of its matrix, by id or name, and its text can be understood; the refusal names row, column and what was expected.',
    run: (ctx, _record, values, id) => checkFact(ctx, values, id),
  },
]);

export const reactions = defineReactions([
  {
    on: 'Matrix',
    after: ['insert', 'update'],
    doc: 'A matrix that changes gets a version, which says what it is from then on. One that is brought back has its columns and cells again.',
    async run(ctx, row, change) {
      if (change === 'insert') await restoreParts(ctx, 'matrix', row['MatrixID']);
      scheduleVersion(ctx, Number(row['MatrixID']));
    },
  },
  {
    on: 'MatrixDimension',
    after: ['insert', 'update', 'delete'],
    doc: 'A change of an input is one of its matrix. Its cells are told by its name, and come back with it.',
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
    doc: 'A change of an output is one of its matrix. Its cells are told by its name, and come back with it.',
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
    doc: 'A change of a cell is one of its matrix.',
    async run(ctx, row) {
      scheduleVersion(ctx, Number(row['MatrixID']));
    },
  },
]);

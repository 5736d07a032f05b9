import { f } from '../../../../kernel/declare/field.ts';
import { DISPLAY_SIZE_MAX } from '../../../../kernel/records/search/search.ts';

/** The parameters that name a matrix. */
export const matrixParams = {
  Matrix: f.text({ doc: 'The name of the matrix.', max: 100 }),
  ID: f.id({ doc: 'The id of the matrix.', to: 'Matrix' }),
};

/** The parameter that selects a version. */
export const asOfParam = {
  AsOf: f.text({ doc: 'A day (its end) or an instant: the lookup uses the version of that time.', max: 40 }),
};

/** The parameters that select a page of a ranking. */
export const pageParams = {
  RecordStart: f.integer({ doc: 'How many rows to skip.', default: 0 }),
  DisplaySize: f.integer({ doc: `How many rows to return, at most ${DISPLAY_SIZE_MAX}.`, default: 25 }),
};

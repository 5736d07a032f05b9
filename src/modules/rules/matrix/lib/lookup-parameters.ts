import { f } from '../../../../kernel/declare/field.ts';
import { DISPLAY_SIZE_MAX } from '../../../../kernel/records/search/search.ts';

/** The parameters that name a matrix. */
export const matrixParams = {
  Matrix: f.text({ doc: 'The matrix, by its name.', max: 100 }),
  ID: f.id({ doc: 'The matrix, by its id.', to: 'Matrix' }),
};

/** Which version of it is meant. */
export const asOfParam = {
  AsOf: f.text({ doc: 'A day (its end) or an instant: the matrix is read as it stood then.', max: 40 }),
};

/** The parameters that choose a page of a ranking. */
export const pageParams = {
  RecordStart: f.integer({ doc: 'How many rows are passed over.', default: 0 }),
  DisplaySize: f.integer({ doc: `How many rows are answered, at most ${DISPLAY_SIZE_MAX}.`, default: 25 }),
};

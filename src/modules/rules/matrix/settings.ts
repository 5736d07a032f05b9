import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const matrixRecursion = defineSetting(
  'MatrixRecursion',
  f.integer({ doc: 'How deep matrices can be nested through outputs whose name contains Matrix.' }),
  16,
  { range: [0, 1000] },
);

export const settings = [matrixRecursion] as const;

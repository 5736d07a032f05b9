import { dateFunctions } from './functions-date.ts';
import { financeFunctions } from './functions-finance.ts';
import { logicFunctions } from './functions-logic.ts';
import { lookupFunctions } from './functions-lookup.ts';
import { numberFunctions } from './functions-number.ts';
import { textFunctions } from './functions-text.ts';
import type { FormulaFunction } from './formula-function.ts';

/** Functions of formulas, by name. Names introduced later are aliases of their older equivalents. */
export const functions: ReadonlyMap<string, FormulaFunction> = new Map(
  Object.entries({
    ...logicFunctions,
    ...numberFunctions,
    ...lookupFunctions,
    ...textFunctions,
    ...dateFunctions,
    ...financeFunctions,
  }),
);

import {
  inputValues,
  safeName,
  type EngineItem,
  type EngineScore,
  type ItemResult,
  type ScoreEngine,
  type ValueType,
} from '../../../contracts/score-engine.ts';
import type { RawValue } from '../../../kernel/parameters/parse-value.ts';

const CONFIDENCE = 'confidence';

const columns: Readonly<Record<ValueType, string>> = {
  Money: 'scoremoney',
  Int: 'scoreint',
  Float: 'scorefloat',
  Boolean: 'scoreboolean',
  String: 'scorechar',
  Date: 'scoredate',
  Enumerated: 'scorechar',
};

/**
 * The engine for operations and services that return the values themselves. Reads, from the first row or the document,
 * every column named like an item or like its confidence (`Income`, `IncomeConfidence`). The score's value comes from
 * the column `Value`, from one named like the template, or from the score's column of its type (`ScoreMoney`). An empty
 * input leaves all values unchanged. Accepts any EngineParameters.
 */
export const apiEngine: ScoreEngine = {
  doc: "Saves every column of the input's first row, or of a document, that is named like the score or an item.",

  check() {
    // Any parameters are accepted; none are used.
  },

  async calculate(data, score) {
    const values = inputValues(data);
    const items = new Map<string, ItemResult>();
    for (const item of score.items) {
      const result = itemResult(values, item);
      if (result) items.set(item.safeName, result);
    }
    const value = ownValue(values, score);
    return { kind: 'values', ...(value === undefined ? {} : { value }), items };
  },

  async getItems() {
    return [];
  },

  async createTemplate() {
    return { valueType: undefined, items: [] };
  },
};

function itemResult(values: ReadonlyMap<string, RawValue>, item: EngineItem): ItemResult | undefined {
  const name = item.safeName.toLowerCase();
  const [value, confidence] = [values.get(name), values.get(name + CONFIDENCE)];
  if (value === undefined && confidence === undefined) return undefined;
  return { ...(value === undefined ? {} : { value }), ...(confidence === undefined ? {} : { confidence }) };
}

function ownValue(values: ReadonlyMap<string, RawValue>, { template, valueType }: EngineScore): RawValue | undefined {
  const names = [safeName(template).toLowerCase(), 'value', ...(valueType ? [columns[valueType]] : [])];
  return names.map((name) => values.get(name)).find((value) => value !== undefined);
}

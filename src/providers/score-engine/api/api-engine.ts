import {
  AbstractEngine,
  inputValues,
  safeName,
  type EngineScore,
  type ItemResult,
  type ScoreData,
  type ScoreValues,
  type ValueType,
} from '../../../contracts/score-engine.ts';

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
 * Takes values as they come: of the first row, or of the document, every column that is named like an item, or like its confidence
 * (`Income`, `IncomeConfidence`), and the score's own value from the column `Value`, one that is named like the template, or the
 * score's own column of its kind (`ScoreMoney`).
 */
class ApiEngine extends AbstractEngine {
  readonly doc =
    "Saves every column of the input's first row, or of a document, that is named like the score or an item.";

  protected override async fromRows(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    const values = inputValues(data);
    const items = new Map<string, ItemResult>();
    for (const item of score.items) {
      const [value, confidence] = [
        values.get(item.safeName.toLowerCase()),
        values.get(item.safeName.toLowerCase() + CONFIDENCE),
      ];
      if (value === undefined && confidence === undefined) continue;
      items.set(item.safeName, {
        ...(value === undefined ? {} : { value }),
        ...(confidence === undefined ? {} : { confidence }),
      });
    }
    const own = [
      safeName(score.template).toLowerCase(),
      'value',
      ...(score.valueType ? [columns[score.valueType]] : []),
    ]
      .map((name) => values.get(name))
      .find((value) => value !== undefined);
    return { kind: 'values', ...(own === undefined ? {} : { value: own }), items };
  }

  protected override fromXml(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    return this.fromRows(data, score);
  }

  protected override fromSet(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    return this.fromRows(data, score);
  }

  protected override fromRecord(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    return this.fromRows(data, score);
  }

  /** An answer without anything leaves every value as it is. */
  protected override async fromNone(): Promise<ScoreValues> {
    return { kind: 'values', items: new Map() };
  }
}

/** The engine for operations and services that answer the values themselves. */
export const apiEngine = new ApiEngine();

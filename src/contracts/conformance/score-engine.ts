import assert from 'node:assert/strict';
import {
  safeName,
  valueTypes,
  type EngineItem,
  type EngineScore,
  type ScoreData,
  type ScoreEngine,
  type ValueType,
} from '../score-engine.ts';
import type { Context } from '../../kernel/door/context.ts';

/** What a provider's test brings along: parameters by which it can calculate, and items that they speak of. */
export interface ScoreEngineSubject {
  readonly engine: ScoreEngine;
  readonly parameters: string;
  /** Parameters that it refuses; absent if it accepts any. */
  readonly badParameters?: string;
  readonly items: readonly { readonly name: string; readonly valueType: ValueType; readonly value?: string }[];
  readonly ctx: Context;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface ScoreEngineDemand {
  readonly title: string;
  readonly check: (subject: ScoreEngineSubject) => Promise<void>;
}

function scoreOf({ parameters, items, ctx }: ScoreEngineSubject): EngineScore {
  return {
    template: 'Conformance',
    valueType: 'Float',
    parameters,
    items: items.map(({ name, valueType, value }): EngineItem => ({
      name,
      safeName: safeName(name),
      valueType,
      value: value ?? null,
      confidence: null,
      prompt: null,
      enumeration: [],
    })),
    ctx,
  };
}

const row = { Income: '1200.50', Debt: '300', __proto__x: 'y' };

const inputs: readonly ScoreData[] = [
  {
    kind: 'rows',
    columns: Object.keys(row),
    rows: [row],
    xml: () => '<R><I><Income>1200.50</Income><Debt>300</Debt></I></R>',
  },
  { kind: 'xml', xml: () => '<R><Income>1200.50</Income><Debt>300</Debt></R>' },
  {
    kind: 'set',
    tables: new Map([['Rows', [row]]]),
    xml: () => '<R><Rows><I><Income>1200.50</Income><Debt>300</Debt></I></Rows></R>',
  },
  { kind: 'none', xml: () => undefined },
];

/** Returns a copy that shows whether its original was changed. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Map || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) if (typeof part !== 'function') frozen(part);
  return Object.freeze(value);
}

/** Requirements of every provider of the contract. */
export const scoreEngineConformance: readonly ScoreEngineDemand[] = [
  {
    title: 'describes itself in one line',
    check: async ({ engine }) => assert.match(engine.doc, /^[A-Z].{10,200}\.$/),
  },
  {
    title: 'accepts valid parameters, and refuses others naming EngineParameters',
    async check({ engine, parameters, badParameters }) {
      engine.check(parameters);
      if (badParameters === undefined) return;
      assert.throws(
        () => engine.check(badParameters),
        (error) =>
          error instanceof Error &&
          'code' in error &&
          error.code === 'BAD_PARAMETER' &&
          'field' in error &&
          error.field === 'EngineParameters',
      );
    },
  },
  {
    title: 'calculates from each type of input or refuses it, returns only known items, and does not change its input',
    async check(subject) {
      const names = new Set(subject.items.map(({ name }) => safeName(name).toLowerCase()));
      for (const input of inputs) {
        const score = scoreOf(subject);
        for (const item of score.items) frozen(item);
        const found = await subject.engine.calculate(frozen(input), score).catch((error: unknown) => {
          assert.ok(error instanceof Error && 'code' in error, `${input.kind}: a refusal tells its code`);
          return undefined;
        });
        if (found?.kind !== 'values') continue;
        for (const name of found.items.keys())
          assert.ok(names.has(name.toLowerCase()), `${input.kind}: ${name} is an item`);
      }
    },
  },
  {
    title: 'returns the same result for the same input',
    async check(subject) {
      const [input] = inputs;
      if (!input) return;
      assert.deepEqual(
        await subject.engine.calculate(input, scoreOf(subject)),
        await subject.engine.calculate(input, scoreOf(subject)),
      );
    },
  },
  {
    title: 'lists the items of its parameters, each once and under a usable name, and creates a template from them',
    async check({ engine, parameters, ctx }) {
      const items = await engine.getItems(parameters, ctx);
      const names = items.map(({ name }) => safeName(name).toLowerCase());
      assert.deepEqual(
        names,
        [...new Set(names)].filter((name) => name !== ''),
      );
      for (const { valueType } of items) assert.ok(valueTypes.includes(valueType));
      assert.deepEqual((await engine.createTemplate(parameters, ctx)).items, items);
    },
  },
];

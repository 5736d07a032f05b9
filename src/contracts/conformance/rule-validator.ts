import assert from 'node:assert/strict';
import type { RuleValidator } from '../rule-validator.ts';

/** Rules in the language of a provider that do what their names say, for the suite to ask. */
export interface ConformanceRules {
  /** Returns nothing. */
  readonly passes: string;
  /** Two exceptions, `First.` and `Second & <last>.`, in this order. */
  readonly refuses: string;
  /** One warning, `Look.` */
  readonly warns: string;
  /** One exception with the text of `/LoanBusinessRuleItem/LoanItem/Status`. */
  readonly repeatsStatus: string;
  /** One exception with the number 123-45-6789 in it. */
  readonly revealsNumber: string;
  /** Is valid, and fails when it runs. */
  readonly fails: string;
  /** Never ends. */
  readonly loops: string;
  /** Is not a valid rule. */
  readonly broken: string;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface Demand {
  readonly title: string;
  readonly check: (validator: RuleValidator, rules: ConformanceRules) => Promise<void>;
}

const document = (status: string): string =>
  `<LoanBusinessRuleItem Operation="Update"><LoanItem><Status>${status}</Status></LoanItem><Before ` +
  'Status="Old"/></LoanBusinessRuleItem>';
const plain = { xml: document('Open'), scope: 'conformance' };

/** Requirements of every provider of the contract. A provider's test runs all of them. */
export const ruleValidatorConformance: readonly Demand[] = [
  {
    title: "returns each rule's verdict and output, in the order of the rules",
    async check(validator, { passes, refuses, warns }) {
      const verdicts = await validator.validate({ ...plain, rules: [warns, passes, refuses, passes] });
      assert.deepEqual(
        verdicts.map(({ exceptions, warnings, failure }) => [exceptions, warnings, failure]),
        [
          [[], ['Look.'], undefined],
          [[], [], undefined],
          [['First.', 'Second & <last>.'], [], undefined],
          [[], [], undefined],
        ],
      );
      for (const { output } of verdicts) assert.equal(typeof output, 'string');
      assert.deepEqual(await validator.validate({ ...plain, rules: [] }), []);
    },
  },
  {
    title: 'gives a rule its own document and nothing of another',
    async check(validator, { repeatsStatus }) {
      const statuses = Array.from({ length: 12 }, (_, i) => `Status ${i} é😀`);
      const exceptions = await Promise.all(
        statuses.map(
          async (status, i) =>
            (await validator.validate({ rules: [repeatsStatus], xml: document(status), scope: `firm ${i % 3}` }))[0]
              ?.exceptions,
        ),
      );
      assert.deepEqual(
        exceptions,
        statuses.map((status) => [status]),
      );
    },
  },
  {
    title: 'reports a rule that fails, and evaluates the others',
    async check(validator, { fails, refuses, warns }) {
      const verdicts = await validator.validate({ ...plain, rules: [refuses, fails, warns] });
      assert.equal(typeof verdicts[1]?.failure, 'string');
      assert.deepEqual(
        [verdicts[0]?.exceptions.length, verdicts[0]?.failure, verdicts[2]?.warnings],
        [2, undefined, ['Look.']],
      );
    },
  },
  {
    title: 'stops an endless rule, names it, and evaluates the next request as before',
    async check(validator, { loops, passes, refuses }) {
      const verdicts = await validator.validate({ ...plain, rules: [passes, loops, passes] });
      assert.deepEqual(
        verdicts.map(({ failure }) => failure !== undefined),
        [false, true, false],
      );
      assert.equal((await validator.validate({ ...plain, rules: [refuses] }))[0]?.exceptions.length, 2);
    },
  },
  {
    title: 'reveals no SSN',
    async check(validator, { revealsNumber }) {
      const [verdict] = await validator.validate({ ...plain, rules: [revealsNumber] });
      assert.equal(verdict?.exceptions.length, 1);
      assert.doesNotMatch(verdict.exceptions.join(' '), /123-?45-?6789/);
    },
  },
  {
    title: 'accepts rules when they are saved, and refuses anything else, naming the field',
    async check(validator, { broken, ...rules }) {
      for (const text of Object.values(rules)) await validator.check(text);
      for (const text of [broken, ''])
        await assert.rejects(
          validator.check(text),
          (error: unknown) => error instanceof Error && (error as Error & { field?: unknown }).field === 'Stylesheet',
        );
      const [verdict] = await validator.validate({ ...plain, rules: [broken] });
      assert.equal(typeof verdict?.failure, 'string', 'an invalid rule saved in another way fails instead of passing');
    },
  },
];

// Prettier decides the layout, the compiler the types, tools/architecture the structure. The rules here find mistakes
// (typescript-eslint's strict type-checked set) and bound how much a reader must hold in mind at once.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Calls with a better replacement; each message names it. */
const clock = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Use ctx.clock.milliseconds(): time is injected, so that tests can set it.',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Use ctx.clock.now(): time is injected, so that tests can set it.',
  },
  {
    selector: "CallExpression[callee.name='Date']",
    message: 'Use ctx.clock.now(): time is injected, so that tests can set it.',
  },
];
const random = [
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Use randomInt, randomBytes or randomUUID of node:crypto.',
  },
];
const environment = [
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Take it as an argument: src/app alone reads the environment.',
  },
];
const printing = [
  {
    selector: "MemberExpression[object.name='console']",
    message: 'Use ctx.log: what is printed must be structured and free of personal data.',
  },
];
const wait =
  'Wait on a signal (an event, a notification, a finished job); where there is none, eventually() of test/support; a time limit is AbortSignal.timeout().';
const sleeping = [
  { selector: "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']", message: wait },
  { selector: "CallExpression[callee.object.name='Atomics'][callee.property.name='wait']", message: wait },
];
const modules = [
  {
    name: 'node:child_process',
    importNames: ['exec', 'execSync'],
    message: 'Use execFile or spawn: no shell reads the arguments.',
  },
  { name: 'assert', message: 'Use node:assert/strict.' },
  { name: 'node:assert', message: 'Use node:assert/strict.' },
];
const timers = [{ name: 'node:timers/promises', message: wait }];

/** Branches of one function: more than a reader follows at once. */
const COMPLEXITY_MAX = 15;
/** Parameters of one function; more of them are an object with names. */
const PARAMETERS_MAX = 4;

const restrict = (...selectors) => ({ 'no-restricted-syntax': ['error', ...selectors.flat()] });

export default defineConfig(
  { ignores: ['**/node_modules/', 'data/', '.cache/', 'docs/', 'samples/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{js,mjs,ts}'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-return-assign': ['error', 'except-parens'],
      'no-self-compare': 'error',
      'no-throw-literal': 'error',
      'no-unsafe-finally': 'error',
      'no-unsafe-optional-chaining': 'error',
      'no-restricted-imports': ['error', { paths: modules }],
    },
  },
  tseslint.configs.strictTypeChecked.map((each) => ({ ...each, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        // node:test collects its tests itself; awaiting them is allowed and changes nothing.
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
      complexity: ['error', COMPLEXITY_MAX],
      'max-params': ['error', PARAMETERS_MAX],
      'no-nested-ternary': 'error',
      // A number and a boolean in a text are what they look like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Part of many contracts is that a method returns a promise, whether this implementation waits or not.
      '@typescript-eslint/require-await': 'off',
      // Leaving a property out by destructuring is how an object without it is made.
      '@typescript-eslint/no-unused-vars': [
        'error',
        {
          ignoreRestSiblings: true,
          argsIgnorePattern: '^_',
          varsIgnorePattern: '^_',
          destructuredArrayIgnorePattern: '^_',
        },
      ],
      '@typescript-eslint/prefer-nullish-coalescing': 'error',
      '@typescript-eslint/prefer-optional-chain': 'error',
      '@typescript-eslint/prefer-includes': 'error',
      '@typescript-eslint/prefer-string-starts-ends-with': 'error',
      '@typescript-eslint/prefer-return-this-type': 'off',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
      '@typescript-eslint/ban-ts-comment': [
        'error',
        {
          'ts-expect-error': 'allow-with-description',
          'ts-ignore': true,
          'ts-nocheck': true,
          minimumDescriptionLength: 10,
        },
      ],
    },
  },
  { files: ['src/**/*.ts'], rules: restrict(clock, random, environment, printing) },
  // The one place that reads the machine's clock.
  { files: ['src/kernel/time/clock.ts'], rules: restrict(random, environment, printing) },
  // Composition reads the environment, and speaks to the console before there is a log.
  { files: ['src/app/**/*.ts'], rules: restrict(random) },
  {
    files: ['test/**/*.ts', '**/*.test.ts'],
    rules: {
      ...restrict(sleeping),
      'no-restricted-imports': ['error', { paths: [...modules, ...timers] }],
      // Answers are read as they come, without a type: a test that trips over an absent or other value fails, as it should.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      // Calls of a platform are plain functions that a test takes out of their object.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  // The one place that polls, for what gives no signal.
  { files: ['test/support/eventually.ts'], rules: { 'no-restricted-imports': ['error', { paths: modules }] } },
);

import {
  inputValues,
  safeName,
  warnOfEmptyInputs,
  type EngineItem,
  type EngineScore,
  type ExplainedStep,
  type ItemResult,
  type ScoreData,
  type ScoreEngine,
  type ScoreExplanation,
  type ScoreValues,
  type TemplateDraft,
  type ValueType,
} from '../../../contracts/score-engine.ts';
import { inlineHint, PlatformError } from '../../../kernel/door/errors.ts';
import type { RawValue } from '../../../kernel/parameters/parse-value.ts';
import { Cache } from '../../../kernel/time/cache.ts';
import { today } from '../../../kernel/time/today.ts';
import { parseDecimal, roundDecimal } from '../../../lib/decimals/decimal.ts';
import {
  boundedText,
  evaluate,
  EvaluationError,
  isNumber,
  textOf,
  type EvaluationContext,
  type Value,
} from './evaluate-expression.ts';
import { functions } from './expression-functions.ts';
import { expressionText } from './expression-text.ts';
import { parseProgram, ProgramSyntaxError, type Expression, type Statement } from './program-syntax.ts';

/** Names of the score's own value in a program. */
const ownNames: ReadonlySet<string> = new Set(['score', 'value']);
/** Most parsed programs cached per process. */
const PROGRAMS_MAX = 200;

/**
 * Calculates by expressions. EngineParameters are statements `Item = expression`, which can use the items, the results
 * of earlier statements and the input values. Decimal arithmetic is exact.
 */
class ExpressionEngine implements ScoreEngine {
  readonly doc = 'Calculates items and the score by expressions over items and input, with exact numbers.';
  private readonly programs = new Cache<string, readonly Statement[]>({ max: PROGRAMS_MAX });

  check(parameters: string): void {
    if (this.program(parameters).length === 0) throw refused('expected statements such as Total = Income - Debt');
  }

  async getItems(parameters: string): Promise<TemplateDraft['items']> {
    const items = new Map<string, TemplateDraft['items'][number]>();
    for (const { target, part, expression } of this.program(parameters)) {
      const key = safeName(target).toLowerCase();
      if (part === 'value' && !ownNames.has(key) && !items.has(key))
        items.set(key, { name: target, valueType: kindOf(expression) });
    }
    return [...items.values()];
  }

  async createTemplate(parameters: string): Promise<TemplateDraft> {
    const own = this.program(parameters).find(({ target }) => ownNames.has(target.toLowerCase()));
    return { valueType: own && kindOf(own.expression), items: await this.getItems(parameters) };
  }

  async calculate(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    const { values, empty } = this.run(score, this.knownValues(data, score), isOpenInput(data));
    warnOfEmptyInputs(score, empty);
    return values;
  }

  async explain(data: ScoreData, score: EngineScore): Promise<ScoreExplanation> {
    const { inputs, steps } = this.run(score, this.knownValues(data, score), isOpenInput(data));
    return { inputs, steps };
  }

  private knownValues(data: ScoreData, score: EngineScore): Map<string, Value> {
    const input = inputValues(data);
    const known = new Map([
      ...(data.kind === 'rows'
        ? data.columns.map((name): [string, Value] => [safeName(name).toLowerCase(), null])
        : []),
      ...[...input].map(([name, value]): [string, Value] => [name, inputOf(value)]),
    ]);
    for (const item of score.items)
      if (item.value !== null || !known.has(item.safeName.toLowerCase()))
        known.set(item.safeName.toLowerCase(), itemValue(item));
    return known;
  }

  /** Runs the program. A document omits empty values, so an unknown name is null there; otherwise it is an error. */
  private run(score: EngineScore, known: Map<string, Value>, isOpen: boolean): ProgramRun {
    const program = this.program(score.parameters);
    const expected = namesExpectedEmpty(program);
    const empty = new Map<string, string>();
    const trace = new ProgramTrace(score);
    const around: EvaluationContext = {
      today: today(score.ctx),
      find: (name) => {
        const key = safeName(name).toLowerCase();
        const value = known.get(key);
        trace.read(name, value ?? null);
        if ((value ?? null) === null && !expected.has(key)) empty.set(key, name);
        // A call's value may be as long as its body, and each function would process it again.
        if (typeof value === 'string') return boundedText(value);
        if (value !== undefined || isOpen) return value ?? null;
        const hint =
          inlineHint(safeName(name), known.keys()) ||
          '; items are defined in the template, and its Method supplies the inputs';
        throw new EvaluationError(`there is no item or input ${name.slice(0, 100)}${hint}`);
      },
    };
    const types = new Map(score.items.map((item) => [item.safeName.toLowerCase(), item.valueType]));
    const items = new Map<string, ItemResult>();
    let own: { value?: RawValue } = {};
    for (const statement of program) {
      const value = valueOf(statement, around);
      trace.evaluated(statement, value);
      const key = safeName(statement.target);
      if (statement.part === 'confidence') items.set(key, { ...items.get(key), confidence: rawOf(value, 'Float') });
      else {
        known.set(key.toLowerCase(), value);
        if (ownNames.has(key.toLowerCase())) own = { value: rawOf(value, score.valueType) };
        else items.set(key, { ...items.get(key), value: rawOf(value, types.get(key.toLowerCase())) });
      }
    }
    return {
      values: { kind: 'values', ...own, items },
      empty: [...empty.values()],
      inputs: trace.inputs,
      steps: trace.steps,
    };
  }

  /**
   * Returns the parsed program, with the names and argument counts of its functions checked. @throws BAD_PARAMETER with
   * the line
   */
  private program(text: string): readonly Statement[] {
    return this.programs.getOrLoad(text, () => parseChecked(text));
  }
}

/** A run of a program: its results, the names that had no value, and what it read and evaluated. */
interface ProgramRun extends ScoreExplanation {
  readonly values: ScoreValues;
  readonly empty: readonly string[];
}

/** Notes what a program reads and evaluates. Values of masked items are not noted. */
class ProgramTrace {
  readonly steps: ExplainedStep[] = [];
  private readonly values = new Map<string, ScoreExplanation['inputs'][number]>();
  private readonly masked: ReadonlySet<string>;
  private readonly calculated = new Set<string>();
  private seen = new Map<string, string>();

  constructor({ items }: EngineScore) {
    this.masked = new Set(items.filter(({ masked }) => masked).map(({ safeName: name }) => name.toLowerCase()));
  }

  get inputs(): ScoreExplanation['inputs'] {
    return [...this.values.values()];
  }

  read(name: string, value: Value): void {
    const key = safeName(name).toLowerCase();
    const isMasked = this.masked.has(key);
    const text = value === null ? null : textOf(value);
    if (!isMasked && !this.calculated.has(key) && !this.values.has(key)) this.values.set(key, { name, value: text });
    this.seen.set(key, `${name} ${isMasked ? 'is hidden' : (text ?? 'is empty')}`);
  }

  evaluated({ target, part, expression }: Statement, value: Value): void {
    const key = safeName(target).toLowerCase();
    this.calculated.add(key);
    const isMasked = this.masked.has(key) && part === 'value';
    this.steps.push({
      name: part === 'confidence' ? `${target}, confidence` : target,
      rule: expressionText(expression),
      value: value === null || isMasked ? null : textOf(value),
      outcome: 'Calculated',
      reason: isMasked ? 'is hidden' : [...this.seen.values()].join(', '),
    });
    this.seen = new Map();
  }
}

/** Whether names that the input does not have are empty: a document omits empty values. */
const isOpenInput = ({ kind }: ScoreData): boolean => kind === 'xml' || kind === 'none';

/**
 * Returns the names, as keys, of which a program expects that they may be empty: those that it tests with `isnull`,
 * `coalesce` or a comparison with null, and those that it calculates itself.
 */
function namesExpectedEmpty(program: readonly Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { target, part, expression } of program) {
    if (part === 'value') names.add(safeName(target).toLowerCase());
    addTestedNames(expression, names);
  }
  return names;
}

const emptyTests: ReadonlySet<string> = new Set(['isnull', 'coalesce']);

function addTestedNames(expression: Expression, names: Set<string>): void {
  const parts = partsOf(expression);
  const isTest =
    (expression.kind === 'call' && emptyTests.has(expression.name)) ||
    (expression.kind === 'binary' && parts.some((part) => part.kind === 'constant' && part.value === null));
  for (const part of parts) {
    if (isTest && part.kind === 'name') names.add(safeName(part.name).toLowerCase());
    addTestedNames(part, names);
  }
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'unary':
      return [expression.of];
    case 'binary':
      return [expression.left, expression.right];
    case 'call':
      return expression.given;
    default:
      return [];
  }
}

function parseChecked(text: string): readonly Statement[] {
  try {
    const program = parseProgram(text);
    for (const { expression, line } of program) assertCalls(expression, line);
    return program;
  } catch (error) {
    if (error instanceof ProgramSyntaxError) throw refused(`line ${error.line}: ${error.message}`);
    throw error;
  }
}

/** The engine for scores computed by a few lines of arithmetic. */
export const expressionEngine = new ExpressionEngine();

function refused(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'EngineParameters', message: `EngineParameters: ${what}.` });
}

function valueOf({ expression, line, target }: Statement, around: EvaluationContext): Value {
  try {
    return evaluate(expression, around);
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof PlatformError)
      throw new PlatformError('STATE_REFUSES', {
        field: 'EngineParameters',
        message: `EngineParameters: line ${line}, ${target}: ${error.message}.`,
      });
    throw error;
  }
}

function assertCalls(expression: Expression, line: number): void {
  for (const part of partsOf(expression)) assertCalls(part, line);
  if (expression.kind !== 'call') return;
  const { name, given } = expression;
  const made = functions.get(name);
  if (!made) {
    const hint = inlineHint(name, functions.keys()) || `; functions: ${[...functions.keys()].join(', ')}`;
    throw new ProgramSyntaxError(line, `there is no function ${name.slice(0, 60)}${hint}`);
  }
  if (given.length < made.least || given.length > made.most) {
    const expected = made.least === made.most ? made.least : `${made.least} to ${made.most}`;
    throw new ProgramSyntaxError(line, `${name} takes ${expected} values, found ${given.length}`);
  }
}

/** Returns the type of an expression's value, as far as it is known before evaluation. */
function kindOf(expression: Expression): ValueType {
  switch (expression.kind) {
    case 'text':
      return 'String';
    case 'constant':
      return expression.value === null ? 'String' : 'Boolean';
    case 'unary':
      return expression.sign === 'not' ? 'Boolean' : 'Float';
    case 'binary':
      if (expression.sign === '&') return 'String';
      return ['+', '-', '*', '/', '%'].includes(expression.sign) ? 'Float' : 'Boolean';
    case 'call': {
      const makes = functions.get(expression.name)?.makes;
      const [first, second] = expression.given;
      const like = expression.name === 'if' ? second : first;
      if (makes !== 'same') return makes ?? 'Float';
      return like ? kindOf(like) : 'Float';
    }
    default:
      return 'Float';
  }
}

/** Returns an input value: text, which is parsed where a number is needed. */
function inputOf(value: RawValue): Value {
  if (value === null || value === '') return null;
  if (typeof value === 'number') return parseDecimal(String(value)) ?? String(value);
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function itemValue({ value, valueType }: EngineItem): Value {
  if (typeof value !== 'string') return value;
  if (valueType === 'Date') return { day: value };
  return valueType === 'Money' || valueType === 'Int' || valueType === 'Float' ? (parseDecimal(value) ?? value) : value;
}

/** Decimals stored per value type; more are rounded half away from zero. */
const decimals: Readonly<Partial<Record<ValueType, number>>> = { Money: 4, Float: 18 };

function rawOf(value: Value, type: ValueType | undefined): RawValue {
  const places = type && decimals[type];
  const rounded = places !== undefined && isNumber(value) ? roundDecimal(value, places) : value;
  return rounded === null || typeof rounded === 'boolean' ? rounded : textOf(rounded);
}

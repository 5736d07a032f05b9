import {
  inputValues,
  safeName,
  warnOfEmptyInputs,
  type EngineScore,
  type EngineTemplate,
  type ItemResult,
  type ScoreData,
  type ScoreEngine,
  type ScoreExplanation,
  type ScoreValues,
  type TemplateDraft,
  type ValueType,
} from '../../../contracts/score-engine.ts';
import type { Row, TreeNode } from '../../../kernel/door/answer.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../kernel/door/errors.ts';
import type { Parameters } from '../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../kernel/parameters/parse-value.ts';

/** The matrix, and the inputs that take the value of an item with a different name. */
interface MatrixParameters {
  readonly matrix: string;
  /** Inputs by lower-cased name as calls spell it, with the name as written and the item that supplies the value. */
  readonly inputs: ReadonlyMap<string, { readonly input: string; readonly from: string }>;
}

/** Names of an output that is the score's own value. */
const ownNames: ReadonlySet<string> = new Set(['score', 'value']);
/** Most inputs in EngineParameters. */
const INPUTS_MAX = 200;
/** Most inputs of a matrix that an error lists. */
const INPUTS_LISTED_MAX = 20;

/**
 * Looks up a matrix. Its inputs take the values of the items or inputs of the same names, and its outputs become the
 * items of the same names. EngineParameters: the matrix's name on the first line, then `Input = Item` for each input
 * that takes the value of a different name.
 */
class MatrixEngine implements ScoreEngine {
  readonly doc = 'Looks a matrix up by items and input; its outputs become items.';

  check(parameters: string): void {
    parseMatrixParameters(parameters);
  }

  async checkReferences({ parameters }: EngineTemplate, ctx: Context): Promise<undefined> {
    const { matrix, inputs } = parseMatrixParameters(parameters);
    const columns = await columnsOf(ctx, matrix);
    const known = columns.inputs.map(({ name }) => name.replace(/\s/g, ''));
    for (const { input } of inputs.values())
      if (!known.some((name) => name.toLowerCase() === input.toLowerCase())) {
        const listed = known.slice(0, INPUTS_LISTED_MAX).join(', ') || 'none';
        const hint = inlineHint(input, known) || `; its inputs: ${listed}`;
        throw refused(`the matrix ${matrix.slice(0, 100)} has no input ${input.slice(0, 100)}${hint}`);
      }
  }

  async getItems(parameters: string, ctx: Context): Promise<TemplateDraft['items']> {
    const { inputs, outputs } = await columnsOf(ctx, parseMatrixParameters(parameters).matrix);
    const items = new Map<string, TemplateDraft['items'][number]>();
    for (const { name, valueType } of [...inputs, ...outputs]) {
      const key = safeName(name).toLowerCase();
      if (!items.has(key) && !ownNames.has(key))
        items.set(key, { name, valueType: kinds[valueType ?? ''] ?? 'String' });
    }
    return [...items.values()];
  }

  async createTemplate(parameters: string, ctx: Context): Promise<TemplateDraft> {
    const { outputs } = await columnsOf(ctx, parseMatrixParameters(parameters).matrix);
    const own = outputs.find(({ name }) => ownNames.has(safeName(name).toLowerCase()));
    return { valueType: own && (kinds[own.valueType ?? ''] ?? 'String'), items: await this.getItems(parameters, ctx) };
  }

  async calculate(data: ScoreData, score: EngineScore): Promise<ScoreValues> {
    const { columns, sent } = await this.lookupInputs(data, score);
    warnOfEmptyInputs(
      score,
      columns.inputs.map(({ name }) => name).filter((name) => (sent[name.replace(/\s/g, '')] ?? null) === null),
    );
    return toScoreValues(await lookUp(score.ctx, columns.id, sent), score, columns.outputs);
  }

  async explain(data: ScoreData, score: EngineScore): Promise<ScoreExplanation> {
    const { columns, sent, masked } = await this.lookupInputs(data, score);
    const { root } = await score.ctx.call('matrix/explain', { ID: columns.id, DisplaySize: 1 }, sent);
    const row = nodesAt(root, 'Rows')[0];
    return {
      inputs: columns.inputs.flatMap(({ name }) => {
        const value = sent[name.replace(/\s/g, '')] ?? null;
        return masked.has(name) ? [] : [{ name, value: value === null ? null : textOf(value) }];
      }),
      steps: (row ? nodesAt(row, 'Cells') : []).map((cell) => explainedCell(cell, masked)),
    };
  }

  /** Returns what the matrix is looked up with, and the inputs whose values come from masked items. */
  private async lookupInputs(data: ScoreData, score: EngineScore): Promise<LookupInputs> {
    const { ctx } = score;
    const { matrix, inputs } = parseMatrixParameters(score.parameters);
    const columns = await columnsOf(ctx, matrix);
    const known = new Map<string, RawValue>(inputValues(data));
    for (const item of score.items)
      if (item.value !== null || !known.has(item.safeName.toLowerCase()))
        known.set(item.safeName.toLowerCase(), item.value);
    const hidden = new Set(score.items.filter(({ masked }) => masked).map((item) => item.safeName.toLowerCase()));
    const masked = new Set<string>();
    const sent: Record<string, RawValue> = {};
    for (const { name } of columns.inputs) {
      const input = name.replace(/\s/g, '');
      const from = inputs.get(input.toLowerCase())?.from ?? name;
      const value = known.get(safeName(from).toLowerCase());
      if (hidden.has(safeName(from).toLowerCase())) masked.add(name);
      if (value !== undefined && value !== null) sent[input] = value;
    }
    // Mapped inputs are sent even if the matrix does not have them, so that a wrong name is reported.
    for (const [key, { input, from }] of inputs)
      if (!Object.keys(sent).some((name) => name.toLowerCase() === key))
        sent[input] = known.get(safeName(from).toLowerCase()) ?? null;
    return { columns, sent, masked };
  }
}

interface LookupInputs {
  readonly columns: MatrixColumns;
  readonly sent: Readonly<Record<string, RawValue>>;
  readonly masked: ReadonlySet<string>;
}

const textOf = (value: NonNullable<RawValue>): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Returns the children of the child with a name. */
function nodesAt({ children = [] }: TreeNode, name: string): readonly TreeNode[] {
  return children.find((child) => child.name === name)?.children ?? [];
}

function explainedCell({ children = [] }: TreeNode, masked: ReadonlySet<string>): ScoreExplanation['steps'][number] {
  const text = (name: string): string => {
    const value = children.find((child) => child.name === name)?.value;
    return typeof value === 'string' ? value : '';
  };
  const isMasked = masked.has(text('Input'));
  const outcome = text('Outcome') as 'Matched' | 'Missed' | 'Blank';
  return {
    name: text('Input'),
    rule: isMasked ? '' : text('Cell'),
    value: isMasked ? null : text('Value'),
    outcome,
    reason: isMasked ? 'Its value is hidden.' : text('Reason'),
  };
}

/** The engine for scores determined by a decision table. */
export const matrixEngine = new MatrixEngine();

const kinds: Readonly<Record<string, ValueType>> = {
  Number: 'Float',
  Money: 'Money',
  Date: 'Date',
  Boolean: 'Boolean',
  Text: 'String',
  Object: 'String',
};

function refused(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'EngineParameters', message: `EngineParameters: ${what}.` });
}

function parseMatrixParameters(parameters: string): MatrixParameters {
  const [matrix = '', ...lines] = parameters
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (matrix === '') throw refused('expected the name of a matrix on the first line');
  if (lines.length > INPUTS_MAX) throw refused(`at most ${INPUTS_MAX} inputs`);
  const inputs = new Map<string, { input: string; from: string }>();
  for (const line of lines) {
    const at = line.indexOf('=');
    const [input, from] = [line.slice(0, Math.max(at, 0)).replace(/\s/g, ''), line.slice(at + 1).trim()];
    if (at < 1 || safeName(from) === '') throw refused(`expected Input = Item, found ${line.slice(0, 60)}`);
    inputs.set(input.toLowerCase(), { input, from });
  }
  return { matrix, inputs };
}

interface MatrixColumn {
  readonly name: string;
  readonly valueType: string | undefined;
}

/** A matrix's present columns. Matrices that it leads to have inputs too; the items supply them by the same names. */
interface MatrixColumns {
  readonly id: number;
  readonly inputs: readonly MatrixColumn[];
  readonly outputs: readonly MatrixColumn[];
}

async function columnsOf(ctx: Context, matrix: string): Promise<MatrixColumns> {
  const { root } = await ctx.call('matrix/columns', { Matrix: matrix }).catch((error: unknown) => {
    throw error instanceof PlatformError && error.code === 'NOT_FOUND'
      ? refused(`there is no matrix "${matrix.slice(0, 100)}"`)
      : error;
  });
  const named = (kind: string): MatrixColumn[] =>
    root.children
      .filter(({ name }) => name === kind)
      .map(({ attributes }) => ({
        name: String(attributes?.['Name']),
        valueType: attributes?.['ValueType']?.toString(),
      }));
  return { id: root.attributes.MatrixID, inputs: named('Input'), outputs: named('Output') };
}

/** Returns the deciding row: the first, unless it has a mismatch. */
async function lookUp(ctx: Context, id: number, sent: Parameters): Promise<Row | undefined> {
  const { rows } = await ctx.call('matrix/lookup', { ...sent, ID: id, DisplaySize: 1 });
  const first = rows[0];
  return first?.MisMatchCount === 0 ? first : undefined;
}

/** Returns the values of the row. Without a row all are cleared, so that no earlier result remains. */
function toScoreValues(row: Row | undefined, score: EngineScore, outputs: readonly MatrixColumn[]): ScoreValues {
  const byName = new Map(
    Object.entries(row ?? {}).map(([name, value]) => [safeName(name).toLowerCase(), (value ?? null) as RawValue]),
  );
  const names = new Set(outputs.map(({ name }) => safeName(name).toLowerCase()));
  const items = new Map<string, ItemResult>();
  for (const { safeName: name } of score.items)
    if (names.has(name.toLowerCase())) items.set(name, { value: byName.get(name.toLowerCase()) ?? null });
  const own = [safeName(score.template).toLowerCase(), ...ownNames].find((name) => names.has(name));
  return { kind: 'values', ...(own === undefined ? {} : { value: byName.get(own) ?? null }), items };
}

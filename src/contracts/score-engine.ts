import type { Row } from '../kernel/door/answer.ts';
import type { Context } from '../kernel/door/context.ts';
import { PlatformError } from '../kernel/door/errors.ts';
import type { Parameters } from '../kernel/parameters/parameters.ts';
import type { RawValue } from '../kernel/parameters/parse-value.ts';
import type { RecordType } from '../kernel/declare/record.ts';
import { parseXml, type XmlElement } from '../kernel/xml/element.ts';
import { contract } from '../kernel/ports/providers.ts';

/** Types of values, in the order of their codes: Money is 0. */
export const valueTypes = ['Money', 'Int', 'Float', 'Boolean', 'String', 'Date', 'Enumerated'] as const;

/** Type of a score's or item's value. */
export type ValueType = (typeof valueTypes)[number];

/** Returns the name of an item in parameters, expressions and columns: only its letters and digits. */
export function safeName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]/gu, '');
  // Names of elements and variables must not begin with a digit.
  return /^\p{N}/u.test(plain) ? `N${plain}` : plain;
}

/** An engine's input. `xml` returns all of it as a document, for XPath; created on demand. */
export type ScoreData =
  | {
      readonly kind: 'rows';
      readonly columns: readonly string[];
      readonly rows: readonly Row[];
      readonly xml: () => string;
    }
  | { readonly kind: 'xml'; readonly xml: () => string }
  | { readonly kind: 'set'; readonly tables: ReadonlyMap<string, readonly Row[]>; readonly xml: () => string }
  | { readonly kind: 'record'; readonly record: RecordType; readonly row: Row; readonly xml: () => string }
  | { readonly kind: 'none'; readonly xml: () => undefined };

/** An item as an engine sees it, its value in clear text. */
export interface EngineItem {
  readonly name: string;
  readonly safeName: string;
  readonly valueType: ValueType;
  /** Its value so far: stored, or found in the input. Numbers and dates are canonical text. */
  readonly value: string | boolean | null;
  readonly confidence: string | null;
  readonly prompt: string | null;
  readonly enumeration: readonly string[];
  /** Its value may be used but not shown: nothing stored that the engine creates may contain it in clear text. */
  readonly masked?: boolean;
}

/** What an engine knows of a template when it is saved. */
export type EngineTemplate = Pick<EngineScore, 'parameters' | 'renderId'>;

/** The score to calculate. */
export interface EngineScore {
  readonly template: string;
  readonly valueType: ValueType | undefined;
  /** The template's EngineParameters. */
  readonly parameters: string;
  /** The template's RenderID: the document that the engine fills in a copy of. */
  readonly renderId?: number | null;
  readonly items: readonly EngineItem[];
  /** The calling user's context, in the call's transaction: an engine reads and changes only what the user could. */
  readonly ctx: Context;
}

/** Result for one item: a value (which may be null), a confidence from 0 to 1, or both. */
export interface ItemResult {
  readonly value?: RawValue;
  readonly confidence?: RawValue;
}

/**
 * An engine's results. Values are parsed by their ValueType before anything is saved; items are identified by safe
 * name.
 */
export interface ScoreValues {
  readonly kind: 'values';
  /** The score's own value. */
  readonly value?: RawValue;
  readonly items: ReadonlyMap<string, ItemResult>;
  /** The filled-in document, stored with the score as its RenderID. */
  readonly render?: ScoreRender;
}

/** A document created by an engine. */
export interface ScoreRender {
  readonly fileName: string;
  /** Streams its content, created while it is read. Call it once. */
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * The result comes later. Slow work, and work with effects outside, must not run in a transaction: the named call is
 * queued when the transaction commits, as the same user, with the score's id as `ScoreID`. It commits by itself, does
 * its work, and ends with `score/save`, which accepts values and confidences by safe name. Until then the score keeps
 * its values.
 */
export interface DeferredScore {
  readonly kind: 'later';
  /** An operation with its own transactions. */
  readonly route: string;
  readonly parameters: Parameters;
}

/** How an engine came to its results, for people. */
export interface ScoreExplanation {
  /** The values that it read, each once; null is no value. Those of masked items are left out. */
  readonly inputs: readonly { readonly name: string; readonly value: string | null }[];
  /** What it evaluated, in order. */
  readonly steps: readonly ExplainedStep[];
}

/** One rule that an engine evaluated: an expression, or the condition of a cell. */
export interface ExplainedStep {
  /** The item that it calculates, or the input that it compares. */
  readonly name: string;
  readonly rule: string;
  readonly value: string | null;
  readonly outcome: 'Calculated' | 'Matched' | 'Missed' | 'Blank';
  readonly reason: string;
}

/** A score template that an engine derives from its parameters. */
export interface TemplateDraft {
  readonly valueType: ValueType | undefined;
  readonly items: readonly { readonly name: string; readonly valueType: ValueType }[];
}

/**
 * Calculates scores of one kind (the specification's IScore). Registered by name under {@link SCORE_ENGINE}; a
 * template names its engine in ScoreEngine. An engine keeps no state between calls.
 *
 * @example
 * const engine = ctx.providers.get(SCORE_ENGINE, 'ExpressionEngine');
 * const found = await engine.calculate(data, score);
 */
export interface ScoreEngine {
  /** One line for people choosing an engine. */
  readonly doc: string;
  /**
   * Checks parameters when a template is saved.
   * @throws BAD_PARAMETER naming EngineParameters
   */
  check(parameters: string): void;
  /**
   * Checks, when a template is saved, that what its parameters refer to exists, such as a matrix. Returns a sentence
   * that says what is still missing before it can calculate; undefined if nothing is. Engines that refer to nothing
   * omit it.
   * @throws PlatformError naming EngineParameters or RenderID
   */
  checkReferences?(template: EngineTemplate, ctx: Context): Promise<string | undefined>;
  /**
   * Calculates, before anything is locked or saved; writes nothing itself. If it throws, the caller gets the error and
   * the former score stays.
   */
  calculate(data: ScoreData, score: EngineScore): Promise<ScoreValues | DeferredScore>;
  /**
   * Explains what `calculate` returns for the same data and score, without warnings. Engines that have nothing to
   * explain omit it.
   */
  explain?(data: ScoreData, score: EngineScore): Promise<ScoreExplanation>;
  /** Returns the items that its parameters mention, each once, in order; none if it uses whatever items there are. */
  getItems(parameters: string, ctx: Context): Promise<TemplateDraft['items']>;
  /** Returns the template derived from its parameters. */
  createTemplate(parameters: string, ctx: Context): Promise<TemplateDraft>;
}

/**
 * Returns the error of an engine that cannot calculate from this kind of input. Engines that take only some kinds throw
 * it.
 *
 * @example if (data.kind !== 'rows') throw unsupportedInput(data, score);
 */
export function unsupportedInput({ kind }: ScoreData, { template }: EngineScore): PlatformError {
  return new PlatformError('BAD_PARAMETER', {
    field: 'Method',
    message: `Method: the engine of ${template} cannot calculate from ${kindNames[kind]}.`,
  });
}

/**
 * Warns that a score is calculated although these inputs have no value, so that an empty input does not decide
 * silently.
 */
export function warnOfEmptyInputs(
  { template, ctx }: Pick<EngineScore, 'template' | 'ctx'>,
  names: readonly string[],
): void {
  if (names.length === 0) return;
  const listed = names.slice(0, EMPTY_NAMES_MAX).map((name) => name.slice(0, 100));
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : '';
  ctx.alert({
    code: 'INPUT_EMPTY',
    text: `${template} was calculated without a value for ${listed.join(', ')}${more}.`,
  });
}

/** Most names that a warning lists. */
const EMPTY_NAMES_MAX = 20;

const kindNames: Readonly<Record<ScoreData['kind'], string>> = {
  rows: 'rows',
  xml: 'a document',
  set: 'a set of tables',
  record: 'a record',
  none: 'nothing: its Method answers no data, and the score is on no record',
};

/** Largest document, in bytes, whose values an engine looks up by name. */
const INPUT_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Returns the input's values by lower-cased safe name: the first row's columns; of a set, the first row of its first
 * table; of a document, attributes and leaves below its root (below the first element, if all elements have the same
 * name).
 */
export function inputValues(data: ScoreData): ReadonlyMap<string, RawValue> {
  switch (data.kind) {
    case 'rows':
      return valuesOfRow(data.rows[0]);
    case 'set':
      return valuesOfRow([...data.tables.values()][0]?.[0]);
    case 'record':
      return valuesOfRow(data.row);
    case 'xml':
      return valuesOfXml(parseXml(data.xml(), { bytesMax: INPUT_BYTES_MAX }));
    case 'none':
      return new Map();
  }
}

function valuesOfRow(row: Row | undefined): Map<string, RawValue> {
  const values = new Map<string, RawValue>();
  for (const [name, value] of Object.entries(row ?? {}))
    if (!values.has(safeName(name).toLowerCase()))
      values.set(safeName(name).toLowerCase(), (value ?? null) as RawValue);
  return values;
}

function valuesOfXml(root: XmlElement): Map<string, RawValue> {
  const [first] = root.children;
  const isList =
    first !== undefined && first.children.length > 0 && root.children.every((child) => child.name === first.name);
  const holder = isList ? first : root;
  const leaves = holder.children
    .filter((child) => child.children.length === 0)
    .map((child): [string, RawValue] => [child.name, child.text]);
  return valuesOfRow(Object.fromEntries([...leaves.reverse(), ...Object.entries(holder.attributes)]));
}

/** Score engines, by the name that templates use. */
export const SCORE_ENGINE = contract<ScoreEngine>('score-engine');

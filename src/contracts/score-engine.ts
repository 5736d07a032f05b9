import type { Row } from '../kernel/door/answer.ts';
import type { Context } from '../kernel/door/context.ts';
import { PlatformError } from '../kernel/door/errors.ts';
import type { Parameters } from '../kernel/parameters/parameters.ts';
import type { RawValue } from '../kernel/parameters/parse-value.ts';
import type { RecordType } from '../kernel/declare/record.ts';
import { parseXml, type XmlElement } from '../kernel/xml/element.ts';

/** The kinds of value, in the order of their codes: Money is 0. */
export const valueTypes = ['Money', 'Int', 'Float', 'Boolean', 'String', 'Date', 'Enumerated'] as const;

/** What kind of value a score or an item has. */
export type ValueType = (typeof valueTypes)[number];

/** The name by which parameters, expressions and columns mean an item: its own without all but letters and digits. */
export function safeName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]/gu, '');
  // Names of elements and of variables begin with no digit.
  return /^\p{N}/u.test(plain) ? `N${plain}` : plain;
}

/** What an engine calculates from. `xml` is the whole of it as a document, for XPath; it is made when it is asked for. */
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

/** An item as an engine sees it, its value in the clear. */
export interface EngineItem {
  readonly name: string;
  readonly safeName: string;
  readonly valueType: ValueType;
  /** Its value so far: what was stored or found in the input. Numbers and days are text in canonical form. */
  readonly value: string | boolean | null;
  readonly confidence: string | null;
  readonly prompt: string | null;
  readonly enumeration: readonly string[];
  /** Its value may be calculated with and is not to be shown: nothing that the engine makes to be kept holds it in the clear. */
  readonly masked?: boolean;
}

/** The score to calculate. */
export interface EngineScore {
  readonly template: string;
  readonly valueType: ValueType | undefined;
  /** The template's EngineParameters. */
  readonly parameters: string;
  /** The template's RenderID: the document that the engine fills in, and keeps a copy of. */
  readonly renderId?: number | null;
  readonly items: readonly EngineItem[];
  /** The calling user's context, in the call's transaction: an engine reads and changes nothing that the user could not. */
  readonly ctx: Context;
}

/** What an engine found for one item: a value, which may be nothing, how sure it is of it, from 0 to 1, or both. */
export interface ItemResult {
  readonly value?: RawValue;
  readonly confidence?: RawValue;
}

/** What an engine found. Values are read by their ValueType before anything is saved; items are meant by their safe names. */
export interface ScoreValues {
  readonly kind: 'values';
  /** The score's own value. */
  readonly value?: RawValue;
  readonly items: ReadonlyMap<string, ItemResult>;
  /** The document that was filled in; it is kept on the score, whose RenderID names it. */
  readonly render?: ScoreRender;
}

/** A document that an engine has made. */
export interface ScoreRender {
  readonly fileName: string;
  /** Its content, made as it is read, once. */
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * The answer comes later. What takes long or has effects outside does not happen within a transaction: the call named here is put
 * into the queue as the transaction commits, as the same user, with the score's id as `ScoreID`. It commits by itself, asks the
 * outside, and ends with `score/save`, which takes values and confidences by safe names. Until then the score keeps its values.
 */
export interface DeferredScore {
  readonly kind: 'later';
  /** An operation that opens its transactions itself. */
  readonly route: string;
  readonly parameters: Parameters;
}

/** A kind of score that an engine makes by its parameters alone. */
export interface TemplateDraft {
  readonly valueType: ValueType | undefined;
  readonly items: readonly { readonly name: string; readonly valueType: ValueType }[];
}

/**
 * Calculates scores of one kind (the specification's IScore). Registered by name under the contract `score-engine`; a template
 * names its engine in ScoreEngine. An engine keeps nothing between calls.
 *
 * @example
 * const engine = ctx.providers.get<ScoreEngine>('score-engine', 'ExpressionEngine');
 * const found = await engine.calculate(data, score);
 */
export interface ScoreEngine {
  /** One line for people who choose an engine. */
  readonly doc: string;
  /** Refuses parameters that it could not calculate by, when a template is saved. @throws BAD_PARAMETER naming EngineParameters */
  check(parameters: string): void;
  /**
   * Calculates. It runs before anything is locked or saved, and writes nothing itself.
   * @throws what the caller is told; the former score stays as it was
   */
  calculate(data: ScoreData, score: EngineScore): Promise<ScoreValues | DeferredScore>;
  /** The items that its parameters speak of, each once, in their order: none where it takes whatever items there are. */
  getItems(parameters: string, ctx: Context): Promise<TemplateDraft['items']>;
  /** The kind of score that its parameters make. */
  createTemplate(parameters: string, ctx: Context): Promise<TemplateDraft>;
}

/**
 * The base of engines: hands the input on by its kind. What an engine does not take it refuses by not overriding it.
 *
 * @example class RatioEngine extends AbstractEngine { protected override async fromRows(data, score) { … } }
 */
export abstract class AbstractEngine implements ScoreEngine {
  abstract readonly doc: string;

  check(_parameters: string): void {
    // Most engines take any parameters, or none.
  }

  calculate(data: ScoreData, score: EngineScore): Promise<ScoreValues | DeferredScore> {
    switch (data.kind) {
      case 'rows':
        return this.fromRows(data, score);
      case 'xml':
        return this.fromXml(data, score);
      case 'set':
        return this.fromSet(data, score);
      case 'record':
        return this.fromRecord(data, score);
      case 'none':
        return this.fromNone(score);
    }
  }

  async getItems(_parameters: string, _ctx: Context): Promise<TemplateDraft['items']> {
    return [];
  }

  async createTemplate(parameters: string, ctx: Context): Promise<TemplateDraft> {
    return { valueType: undefined, items: await this.getItems(parameters, ctx) };
  }

  protected async fromRows(
    data: Extract<ScoreData, { kind: 'rows' }>,
    score: EngineScore,
  ): Promise<ScoreValues | DeferredScore> {
    return this.refuse(data, score);
  }

  protected async fromXml(
    data: Extract<ScoreData, { kind: 'xml' }>,
    score: EngineScore,
  ): Promise<ScoreValues | DeferredScore> {
    return this.refuse(data, score);
  }

  protected async fromSet(
    data: Extract<ScoreData, { kind: 'set' }>,
    score: EngineScore,
  ): Promise<ScoreValues | DeferredScore> {
    return this.refuse(data, score);
  }

  protected async fromRecord(
    data: Extract<ScoreData, { kind: 'record' }>,
    score: EngineScore,
  ): Promise<ScoreValues | DeferredScore> {
    return this.refuse(data, score);
  }

  protected async fromNone(score: EngineScore): Promise<ScoreValues | DeferredScore> {
    return this.refuse({ kind: 'none', xml: () => undefined }, score);
  }

  private refuse(data: ScoreData, score: EngineScore): never {
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Method',
      message: `Method: the engine of ${score.template} cannot calculate from ${kindNames[data.kind]}.`,
    });
  }
}

const kindNames: Readonly<Record<ScoreData['kind'], string>> = {
  rows: 'rows',
  xml: 'a document',
  set: 'a set of tables',
  record: 'a record',
  none: 'nothing: its Method answers no data, and the score is on no record',
};

/** Bytes of a document whose values an engine looks up by name. */
const INPUT_BYTES_MAX = 4 * 1024 * 1024;

/**
 * The values of an input by lower-cased safe name: of rows the first one's columns, of a set the first row of its first table, of a
 * document the attributes and leaves below its root (below the first element where the root holds elements of one name alone).
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

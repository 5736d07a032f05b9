import { safeName, type ScoreData } from '../../../../contracts/score-engine.ts';
import { parentOf, type Answer, type Row, type TreeNode } from '../../../../kernel/door/answer.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../kernel/declare/record.ts';
import { assertCanSearch, concreteClass, readRecord } from '../../../../kernel/records/search/read.ts';
import { summarize } from '../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../kernel/render/xml.ts';
import { callSignature } from '../../../../kernel/door/signature.ts';
import { xmlElement, writeXml, type XmlElement } from '../../../../kernel/xml/element.ts';
import type { ScoreDefinition } from './score-definition.ts';

/** The lower-case value of Method that makes the parameters of the request the input. */
export const METHOD_PARAMETERS = 'parameters';

/** A Method supplies input: a calculation, which is a GET, changes no records but its score. */
export const methodUse = { field: 'Method', onlyReads: true } as const;

/** The parameters sent for a calculation and its nested ones, and which of them were used. */
export interface ScoreRequest {
  readonly parameters: Parameters;
  /** The parameters that were read, by lower-cased name. */
  readonly used: Set<string>;
  /** The parameter names that Methods reference. */
  readonly requested: Set<string>;
}

/** Returns the parameters of a request, none of them used so far. */
export function newScoreRequest(parameters: Parameters): ScoreRequest {
  return { parameters, used: new Set(), requested: new Set() };
}

/** Most unused parameters that a warning names. */
const UNUSED_NAMED_MAX = 20;

/**
 * Warns of parameters that nothing has used: most are misspelled, or meant for a Method that does not reference them.
 */
export function warnUnusedParameters(
  ctx: Pick<Context, 'alert'>,
  { parameters, used, requested: requested }: ScoreRequest,
): void {
  const unused = Object.keys(parameters).filter((name) => !used.has(name.toLowerCase()));
  if (unused.length === 0) return;
  const known = [...requested];
  const named = unused.slice(0, UNUSED_NAMED_MAX).map((name) => {
    return `${name.slice(0, 100)}${reasonUnused(name, known)}`;
  });
  const more = unused.length > named.length ? ` and ${unused.length - named.length} more` : '';
  const takes = known.length > 0 ? `the Method references ${known.join(', ')}` : 'the Method references no parameter';
  ctx.alert({ code: 'PARAMETER_UNUSED', text: `Not used: ${named.join(', ')}${more}; ${takes}.` });
}

function reasonUnused(name: string, known: readonly string[]): string {
  if (known.some((one) => one.toLowerCase() === name.toLowerCase()))
    return ' (the score or its record has a value of this name)';
  return inlineHint(name, known);
}

/** The sources of a calculation's input. */
export interface InputSources {
  readonly definition: ScoreDefinition;
  /** The score's columns, as far as they are known before it is saved. */
  readonly score: Row;
  /** The score's items by lower-cased safe name, masked ones as shown. */
  readonly items: ReadonlyMap<string, RawValue>;
  readonly request: ScoreRequest;
}

/**
 * Returns the input of a calculation, by the template's Method: the result of a signature, the request's parameters, or
 * the scored record.
 */
export async function readInput(ctx: Context, sources: InputSources): Promise<ScoreData> {
  const { method } = sources.definition;
  if (method.toLowerCase() === METHOD_PARAMETERS) return parametersData(sources.request);
  const parent = await scoredRecord(ctx, sources.score);
  // Its values would come back as those of the score.
  if (parent) assertCanSearch(ctx, parent.record);
  if (method === '') return parent ? recordData(ctx, parent.record, parent.id) : { kind: 'none', xml: () => undefined };
  const find = valueFinder(ctx, sources, parent);
  return toScoreData(await callSignature(ctx, method, methodUse, find));
}

interface Parent {
  readonly record: RecordType;
  readonly id: number;
}

async function scoredRecord(ctx: Context, score: Row): Promise<Parent | undefined> {
  const scored = parentOf(score);
  if (!scored) return undefined;
  const { className, id } = scored;
  return { record: await concreteClass(ctx, ctx.db, ctx.registry.requireRecord(className, 'Object'), id), id };
}

/** Returns a record with its summary as a document. */
async function recordData(ctx: Context, record: RecordType, id: number): Promise<ScoreData> {
  const row = await readRecord(ctx.db, record, id);
  const root = await summarize(ctx, record, id);
  return { kind: 'record', record, row, xml: () => toXml({ kind: 'tree', root }, []) };
}

/**
 * Resolves `{X}` in a Method: a column or item of the score, a column of the record, a parameter of the request,
 * otherwise an XPath on the record.
 */
function valueFinder(
  ctx: Context,
  { score, items, request }: InputSources,
  parent: Parent | undefined,
): (expression: string) => Promise<RawValue | undefined> {
  let row: Promise<Row> | undefined;
  let xml: Promise<string> | undefined;
  return async (expression) => {
    const isName = /^\w+$/.test(expression);
    if (isName) request.requested.add(expression);
    const own = valueNamed(score, expression) ?? items.get(expression.toLowerCase());
    if (own !== undefined) return own;
    const column =
      parent && isName
        ? valueNamed(await (row ??= readRecord(ctx.db, parent.record, parent.id)), expression)
        : undefined;
    if (column !== undefined) return column;
    const sent = parameter(request.parameters, expression);
    if (sent !== undefined) request.used.add(expression.toLowerCase());
    if (sent !== undefined || isName || !parent) return sent;
    xml ??= summarize(ctx, parent.record, parent.id).then((root) => toXml({ kind: 'tree', root }, []));
    const [found] = await ctx.sandbox.evaluate({
      xml: await xml,
      expressions: [expression],
      scope: sandboxScope(ctx.user),
    });
    return found;
  };
}

function valueNamed(row: Row, name: string): RawValue | undefined {
  const lower = name.toLowerCase();
  const found = Object.keys(row).find((key) => key.toLowerCase() === lower);
  return found === undefined ? undefined : ((row[found] ?? undefined) as RawValue | undefined);
}

/** Returns the whole request as the input; the engine decides what it uses. */
function parametersData({ parameters, used }: ScoreRequest): ScoreData {
  for (const name of Object.keys(parameters)) used.add(name.toLowerCase());
  const xml = (): string => writeXml(xmlElement('Parameters', parameterElements(parameters)));
  return { kind: 'xml', xml };
}

/**
 * Returns an element for a parameter. Characters that an element name cannot have are dropped (none left: Parameter); a
 * list becomes one element per value.
 */
function parameterElements(parameters: Parameters): XmlElement[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly RawValue[]) : [value]).map((one) => {
      const text = textOf(one);
      const plain = text.replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
        ? xmlElement(name, plain)
        : xmlElement(safeName(name) === '' ? 'Parameter' : safeName(name), plain);
    }),
  );
}

function textOf(value: RawValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Converts an operation's result to an engine's input. */
function toScoreData(answer: Answer): ScoreData {
  switch (answer.kind) {
    case 'item':
      return {
        kind: 'rows',
        columns: answer.shape.map(({ name }) => name),
        rows: [answer.row as Row],
        xml: () => toXml(answer, []),
      };
    case 'list':
      return {
        kind: 'rows',
        columns: answer.shape.map(({ name }) => name),
        rows: answer.rows as readonly Row[],
        xml: () => toXml(answer, []),
      };
    case 'tree':
      return isTableSet(answer.root)
        ? { kind: 'set', tables: tablesOf(answer.root), xml: () => toXml(answer, []) }
        : { kind: 'xml', xml: () => toXml(answer, []) };
    case 'nothing':
      return { kind: 'none', xml: () => undefined };
    case 'content':
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Method',
        message: 'Method: the operation returns a file; expected one that returns records, rows or a tree.',
      });
  }
}

/** Returns a tree of lists as a set of tables. */
function isTableSet(root: TreeNode): boolean {
  return (root.children?.length ?? 0) > 0 && (root.children ?? []).every((child) => child.list === true);
}

function tablesOf(root: TreeNode): Map<string, readonly Row[]> {
  const rowOf = (node: TreeNode): Row =>
    Object.fromEntries(
      (node.children ?? []).filter((child) => !child.children).map((child) => [child.name, child.value]),
    );
  return new Map((root.children ?? []).map((table) => [table.name, (table.children ?? []).map(rowOf)]));
}

import type { Answer, Row, TreeNode } from '../../kernel/door/answer.ts';
import type { Context } from '../../kernel/door/context.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { answerTree } from '../../kernel/door/answer-tree.ts';
import { callSignature } from '../../kernel/door/signature.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { parameter, type Parameters } from '../../kernel/parameters/parameters.ts';
import type { RawValue } from '../../kernel/parameters/parse-value.ts';
import { valueText } from '../../kernel/parameters/value-text.ts';
import { assertCanSearch, readRecord } from '../../kernel/records/search/read.ts';
import { summarize } from '../../kernel/records/search/summary.ts';
import { toXml } from '../../kernel/render/xml.ts';
import { sandboxScope } from '../../kernel/security/identity.ts';
import { isName } from './merge-fields.ts';

/** How the Method of a template is called: for values, so it only reads. */
export const methodUse = { field: 'Method', module: 'message', onlyReads: true } as const;

/** Most nodes that an expression finds. */
const NODES_MAX = 500;

/** The record that a message is about. */
export interface MergeParent {
  readonly record: RecordType;
  readonly id: number;
}

/** What merge fields refer to. */
export interface MergeSource {
  /** Values that are found first, whatever the case of their names: the parameters of the call. */
  readonly values: Parameters;
  readonly parent: MergeParent | undefined;
  /** The signature whose answer is found before the record; empty for none. */
  readonly method: string | null;
  /** The summary of the parent as XML, if the caller has it. */
  readonly summary?: (() => Promise<string>) | undefined;
}

/** An operation's answer as merge fields find it: the columns of its first row, and all of it as a document. */
export interface AnswerValues {
  readonly row?: Row;
  readonly xml?: string;
}

/** Returns an operation's answer as merge fields find it. Throws BAD_PARAMETER for a file. */
export function answerValues(answer: Answer): AnswerValues {
  switch (answer.kind) {
    case 'item':
      return { row: answer.row as Row, xml: toXml(answer, []) };
    case 'list':
      return { ...(answer.rows[0] === undefined ? {} : { row: answer.rows[0] as Row }), xml: toXml(answer, []) };
    case 'tree':
      return { xml: toXml(answer, []) };
    case 'nothing':
      return {};
    case 'content':
      throw new PlatformError('BAD_PARAMETER', {
        field: 'Method',
        message: 'Method: it returns a file; expected an operation that returns records, rows or a document.',
      });
  }
}

/**
 * Values of the merge fields of one message. A field is looked up in the values of the call, a column of the first row
 * of Method, the document that Method returned, a column of the record, and the summary of the record, where `{X}` is
 * the first element X without elements of its own: `{Loan}` of a case is the number of its loan, not all that the loan
 * contains. Each source is read once, when it is first needed.
 */
export class MergeData {
  private readonly ctx: Context;
  private readonly source: MergeSource;
  private readonly known = new Map<string, string | undefined>();
  private readonly used = new Set<string>();
  private answer: Promise<Answer | undefined> | undefined;
  private row: Promise<Row> | undefined;
  private xml: Promise<string> | undefined;
  private summaryTree: Promise<TreeNode> | undefined;

  constructor(ctx: Context, source: MergeSource) {
    this.ctx = ctx;
    this.source = source;
  }

  get parent(): MergeParent | undefined {
    return this.source.parent;
  }

  /**
   * Returns the value of each expression as text; undefined for one that finds nothing. Expressions over one document
   * are evaluated together.
   * @throws BAD_XPATH with `details.expression`
   */
  async find(expressions: Iterable<string>): Promise<ReadonlyMap<string, string | undefined>> {
    const all = [...new Set(expressions)];
    let open = all.filter((expression) => !this.known.has(expression));
    open = this.settle(open, (expression) => textOf(this.sent(expression)));
    if (open.length > 0 && (this.source.method ?? '').trim() !== '') {
      const { row, xml } = await this.methodValues();
      open = this.settle(open, (expression) => columnText(row, expression));
      if (xml !== undefined) open = await this.settleByXPath(open, xml);
    }
    if (open.some(isName) && this.source.parent) {
      const row = await this.parentRow(this.source.parent);
      open = this.settle(open, (expression) => columnText(row, expression));
    }
    if (open.length > 0 && this.source.parent) open = await this.settleByXPath(open, await this.summary());
    for (const expression of open) this.known.set(expression, undefined);
    return new Map(all.map((expression) => [expression, this.known.get(expression)]));
  }

  /** Returns the value of one expression, for the parameters of a method. */
  async value(expression: string): Promise<RawValue | undefined> {
    return this.sent(expression) ?? (await this.find([expression])).get(expression);
  }

  /**
   * Returns every text that an XPath finds: in the document that Method returned or, if it finds none there, in the
   * summary of the record.
   * @throws BAD_XPATH with `details.expression`
   */
  async findAll(expression: string): Promise<readonly string[]> {
    const { xml } = await this.methodValues();
    const documents = [...(xml === undefined ? [] : [xml]), ...(this.source.parent ? [await this.summary()] : [])];
    for (const document of documents) {
      const texts = await this.textsIn(expression, document);
      if (texts.length > 0) return texts;
    }
    return [];
  }

  private async textsIn(expression: string, xml: string): Promise<readonly string[]> {
    const [first] = await this.evaluate([expression], xml);
    if (first === undefined) return [];
    // An expression that computes a text or a number finds no nodes to count.
    const [count] = await this.evaluate([`count(${expression})`], xml).catch((error: unknown) => {
      if (error instanceof PlatformError && error.code === 'BAD_XPATH') return ['1'];
      throw error;
    });
    const more = Math.min(Number(count), NODES_MAX) - 1;
    if (!(more > 0)) return [first];
    const rest = Array.from({ length: more }, (_, at) => `(${expression})[${at + 2}]`);
    return [first, ...(await this.evaluate(rest, xml)).filter((text) => text !== undefined)];
  }

  /** Returns the document of a stylesheet: the answer of Method or, without one, the summary of the record. */
  async document(): Promise<string> {
    const { xml } = await this.methodValues();
    return xml ?? (this.source.parent ? this.summary() : '<Nothing/>');
  }

  /** Returns the data as trees, those whose fields win last. */
  async trees(): Promise<readonly TreeNode[]> {
    const trees: TreeNode[] = [];
    if (this.source.parent) trees.push(await (this.summaryTree ??= this.readSummary(this.source.parent)));
    const answer = await (this.answer ??= this.callMethod());
    const tree = answer && answerTree(answer);
    if (tree) trees.push(tree);
    return trees;
  }

  /** Returns the values of the call, all of which count as used. */
  takeValues(): Parameters {
    for (const name of Object.keys(this.source.values)) this.used.add(name.toLowerCase());
    return this.source.values;
  }

  /** The names of values of the call that nothing has used. */
  get unused(): readonly string[] {
    return Object.keys(this.source.values).filter((name) => !this.used.has(name.toLowerCase()));
  }

  /** The expressions looked up so far that found nothing. */
  get missing(): readonly string[] {
    return [...this.known].flatMap(([expression, value]) => (value === undefined ? [expression] : []));
  }

  /** Returns the names of all fields that the data have, to suggest for one that is not found. */
  async names(): Promise<readonly string[]> {
    const { row, xml = '' } = await this.methodValues();
    const { parent } = this.source;
    const documents = parent ? [xml, await this.summary()] : [xml];
    const elements = documents.flatMap((text) =>
      [...text.matchAll(/<([A-Za-z_][\w.-]*)[ />]/g)].map(([, name = '']) => name),
    );
    const columns = parent ? parent.record.shown.map(({ name }) => name) : [];
    return [...new Set([...Object.keys(this.source.values), ...Object.keys(row ?? {}), ...columns, ...elements])];
  }

  /** Stores the values that a source has, and returns the expressions that it does not have. */
  private settle(expressions: readonly string[], valueOf: (expression: string) => string | undefined): string[] {
    return expressions.filter((expression) => {
      const value = isName(expression) ? valueOf(expression) : undefined;
      if (value !== undefined) this.known.set(expression, value);
      return value === undefined;
    });
  }

  private async settleByXPath(expressions: readonly string[], xml: string): Promise<string[]> {
    if (expressions.length === 0) return [];
    const values = await this.evaluate(expressions, xml);
    return expressions.filter((expression, at) => {
      const value = values[at];
      if (value !== undefined) this.known.set(expression, value);
      return value === undefined;
    });
  }

  private async evaluate(expressions: readonly string[], xml: string): Promise<readonly (string | undefined)[]> {
    const { ctx } = this;
    try {
      return await ctx.sandbox.evaluate({
        xml,
        expressions: expressions.map((expression) => (isName(expression) ? `//${expression}[not(*)]` : expression)),
        scope: sandboxScope(ctx.user),
      });
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'BAD_XPATH') throw error;
      const expression = expressions[Number(error.details?.['index'] ?? 0)];
      throw new PlatformError('BAD_XPATH', { message: error.message, details: { expression }, cause: error });
    }
  }

  private async methodValues(): Promise<AnswerValues> {
    const answer = await (this.answer ??= this.callMethod());
    return answer ? answerValues(answer) : {};
  }

  private async callMethod(): Promise<Answer | undefined> {
    const { method, parent, values } = this.source;
    if ((method ?? '').trim() === '') return undefined;
    // The expressions of Method see everything but its own answer.
    const before = new MergeData(this.ctx, { values, parent, method: null, summary: this.source.summary });
    return callSignature(this.ctx, method ?? '', methodUse, async (expression) => {
      const value = await before.value(expression);
      for (const name of before.used) this.used.add(name);
      return value;
    });
  }

  private parentRow(parent: MergeParent): Promise<Row> {
    assertCanSearch(this.ctx, parent.record);
    return (this.row ??= readRecord(this.ctx.db, parent.record, parent.id));
  }

  private summary(): Promise<string> {
    const { parent, summary } = this.source;
    if (!parent) return Promise.resolve('<Nothing/>');
    this.xml ??= summary
      ? summary()
      : (this.summaryTree ??= this.readSummary(parent)).then((root) => toXml({ kind: 'tree', root }, []));
    return this.xml;
  }

  private sent(name: string): RawValue | undefined {
    const value = parameter(this.source.values, name);
    if (value !== undefined) this.used.add(name.toLowerCase());
    return value;
  }

  private readSummary({ record, id }: MergeParent): Promise<TreeNode> {
    assertCanSearch(this.ctx, record);
    return summarize(this.ctx, record, id);
  }
}

function columnText(row: Row | undefined, name: string): string | undefined {
  if (!row) return undefined;
  const found = Object.keys(row).find((key) => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : textOf(row[found] as RawValue | undefined);
}

/** Returns a value as text; undefined for none. */
function textOf(value: RawValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : valueText(value);
}

import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import type { RawValue } from '../../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { summarize } from '../../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../../kernel/render/xml.ts';
import type { Resolve } from '../../../../../kernel/door/signature.ts';
import type { OpenDecision } from './stored-steps.ts';

/** After so long no further stylesheet is asked ahead: what nobody may need must not take long. */
const SOFT_DEADLINE_MS = 20;
/** The most that a stylesheet makes that is asked ahead, in bytes: a yes or no. One that makes more is asked by itself. */
const SPECULATIVE_BYTES_MAX = 64 * 1024;
/** So many are remembered of those that broke off the others. */
const SLOW_STYLESHEETS_MAX = 1_000;

/** Stylesheets that went beyond a limit, which nobody asks ahead again. */
const slowStylesheets = new Set<string>();

function noteSlow(stylesheet: string | undefined): void {
  if (slowStylesheets.size >= SLOW_STYLESHEETS_MAX) slowStylesheets.clear();
  if (stylesheet !== undefined) slowStylesheets.add(stylesheet);
}

/** Names that `{…}` finds before anything else, in lower case, with their values. */
export type OwnValues = ReadonlyMap<string, RawValue>;

/** The names of {@link ownValues}. */
export const ownNames: ReadonlySet<string> = new Set([
  'decisionid',
  'decisiontemplateid',
  'decisionstepid',
  'decisionsteptemplateid',
  'object',
  'objectid',
]);

/** What `{…}` knows of a step itself, its workflow and what that is on. */
export function ownValues(
  step: { readonly id: number; readonly templateId: number },
  decision: Pick<OpenDecision, 'id' | 'templateId' | 'object' | 'objectId'>,
): OwnValues {
  return new Map<string, number | string | null>([
    ['decisionid', decision.id],
    ['decisiontemplateid', decision.templateId],
    ['decisionstepid', step.id],
    ['decisionsteptemplateid', step.templateId],
    ['object', decision.object],
    ['objectid', decision.objectId],
  ]);
}

/** What `Method` answered: a row's columns, or a document. */
export interface MethodValues {
  readonly row?: Row;
  readonly xml?: string;
}

/** The record that a workflow is on, read when it is first wanted and again after something may have changed it. */
export class CaseValues {
  readonly record: RecordType | undefined;
  readonly id: number | undefined;
  private readonly ctx: Context;
  private row: Promise<Row> | undefined;
  private xml: Promise<string> | undefined;
  /** What stylesheets made of the summary. */
  private readonly outputs = new Map<string, string>();

  constructor(ctx: Context, object: string | null, objectId: number | null) {
    this.ctx = ctx;
    this.record = object === null ? undefined : ctx.registry.record(object);
    this.id = this.record && objectId !== null ? objectId : undefined;
  }

  /** Forgets what was read. */
  invalidate(): void {
    this.row = undefined;
    this.xml = undefined;
    this.outputs.clear();
  }

  /** Has the summary read now, for who will ask for it soon. */
  async prefetch(): Promise<void> {
    // Whoever asks is told of the failure.
    await this.summary().catch(() => undefined);
  }

  /** What a stylesheet makes of the summary; those that are likely to be asked next, of the same summary, are asked in the same go. */
  async evaluateStylesheet(stylesheet: string, ahead: () => readonly string[] = () => []): Promise<string> {
    const known = this.outputs.get(stylesheet);
    if (known !== undefined) return known;
    const { ctx } = this;
    const [xml, scope] = [await this.summary(), sandboxScope(ctx.user)];
    const next = ahead().filter((sheet) => !slowStylesheets.has(sheet) && !this.outputs.has(sheet));
    const made =
      next.length === 0 || slowStylesheets.has(stylesheet)
        ? undefined
        : await this.evaluateBatch([stylesheet, ...next], xml);
    // What failed is asked by itself: its refusal is told in the words of one that was asked alone.
    return made ?? ctx.sandbox.transform({ stylesheet, xml, scope, wellFormed: false });
  }

  /** Asks several stylesheets in one go and keeps what they made; answers what the first made, where it did. */
  private async evaluateBatch(stylesheets: readonly string[], xml: string): Promise<string | undefined> {
    const { ctx } = this;
    try {
      const outputs = await ctx.sandbox.transformEach({
        stylesheets,
        xml,
        scope: sandboxScope(ctx.user),
        outputBytesMax: SPECULATIVE_BYTES_MAX,
        softDeadlineMs: SOFT_DEADLINE_MS,
      });
      for (const [at, output] of outputs.entries())
        if ('output' in output) this.outputs.set(stylesheets[at] ?? '', output.output);
      return this.outputs.get(stylesheets[0] ?? '');
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'BAD_OUTPUT') throw error;
      noteSlow(stylesheets[Number(error.details?.['index'])]);
      return undefined;
    }
  }

  /** The record's summary as XML; of a workflow on nothing an empty document. */
  async summary(): Promise<string> {
    const { record, id, ctx } = this;
    if (!record || id === undefined) return '<Nothing/>';
    this.xml ??= summarize(ctx, record, id).then((root) => toXml({ kind: 'tree', root }, []));
    return this.xml;
  }

  /**
   * What `{…}` finds: a name of the step's own, a column of Method's row, an XPath in Method's document, a column of the record, else
   * an XPath on its summary, in which a name alone is the first element called so.
   */
  resolver(own: OwnValues, method: MethodValues = {}): Resolve {
    return async (expression) => {
      const known = own.get(expression.toLowerCase()) ?? columnValue(method.row, expression);
      if (known !== undefined) return known;
      if (method.xml !== undefined) {
        const found = await this.find(method.xml, expression);
        if (found !== undefined) return found;
      }
      const { record, id, ctx } = this;
      if (!record || id === undefined) return undefined;
      const column = /^\w+$/.test(expression)
        ? columnValue(await (this.row ??= readRecord(ctx.db, record, id)), expression)
        : undefined;
      return column ?? this.find(await this.summary(), expression);
    };
  }

  private async find(xml: string, expression: string): Promise<string | undefined> {
    const { ctx } = this;
    const [found] = await ctx.sandbox.evaluate({
      xml,
      expressions: [/^\w+$/.test(expression) ? `//${expression}` : expression],
      scope: sandboxScope(ctx.user),
    });
    return found;
  }
}

function columnValue(row: Row | undefined, name: string): RawValue | undefined {
  if (!row) return undefined;
  const lower = name.toLowerCase();
  const found = Object.keys(row).find((key) => key.toLowerCase() === lower);
  return found === undefined ? undefined : ((row[found] ?? undefined) as RawValue | undefined);
}

import type { Row } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import type { RawValue } from '../../../../../kernel/parameters/parse-value.ts';
import type { RecordType } from '../../../../../kernel/declare/record.ts';
import { Cache } from '../../../../../kernel/time/cache.ts';
import { readRecord } from '../../../../../kernel/records/search/read.ts';
import { summarize } from '../../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../../kernel/render/xml.ts';
import type { Resolve } from '../../../../../kernel/door/signature.ts';
import type { AnswerValues } from '../../../../../lib/merge/merge-data.ts';
import type { OpenDecision } from './stored-steps.ts';

/**
 * After this time no further stylesheet is evaluated speculatively, in milliseconds: work that may not be needed must
 * be short.
 */
const SOFT_DEADLINE_MS = 20;
/**
 * Most output of a speculatively evaluated stylesheet, in bytes: enough for a yes or no. One that writes more is
 * evaluated alone.
 */
const SPECULATIVE_BYTES_MAX = 64 * 1024;
/** Most stylesheets remembered as slow. */
const SLOW_STYLESHEETS_MAX = 1_000;

/** Stylesheets that exceeded a limit and are not evaluated speculatively again. */
const slowStylesheets = new Cache<string, true>({ max: SLOW_STYLESHEETS_MAX });

function noteSlow(stylesheet: string | undefined): void {
  if (stylesheet !== undefined) slowStylesheets.set(stylesheet, true);
}

function isSlow(stylesheet: string): boolean {
  return slowStylesheets.get(stylesheet) === true;
}

/** Values that merge fields find first, by lower-cased name. */
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

/** Returns the merge fields of a step, its workflow and its record. */
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

/** The record of a workflow. It is read when first needed, and again after something may have changed it. */
export class CaseValues {
  readonly record: RecordType | undefined;
  readonly id: number | undefined;
  private readonly ctx: Context;
  private row: Promise<Row> | undefined;
  private xml: Promise<string> | undefined;
  /** Outputs of stylesheets on the summary. */
  private readonly outputs = new Map<string, string>();

  /** `summary`: the summary of the record as XML, if it was just read. */
  constructor(ctx: Context, object: string | null, objectId: number | null, summary?: string) {
    this.ctx = ctx;
    if (summary !== undefined) this.xml = Promise.resolve(summary);
    this.record = object === null ? undefined : ctx.registry.record(object);
    this.id = this.record && objectId !== null ? objectId : undefined;
  }

  /** Discards what was read. */
  invalidate(): void {
    this.row = undefined;
    this.xml = undefined;
    this.outputs.clear();
  }

  /** Reads the summary in advance. */
  async prefetch(): Promise<void> {
    // The failure is reported to whoever reads the summary.
    await this.summary().catch(() => undefined);
  }

  /**
   * Returns the output of a stylesheet on the summary. Evaluates speculative stylesheets in the same sandbox message.
   */
  async evaluateStylesheet(stylesheet: string, ahead: () => readonly string[] = () => []): Promise<string> {
    const known = this.outputs.get(stylesheet);
    if (known !== undefined) return known;
    const { ctx } = this;
    const [xml, scope] = [await this.summary(), sandboxScope(ctx.user)];
    const next = ahead().filter((sheet) => !isSlow(sheet) && !this.outputs.has(sheet));
    const made =
      next.length === 0 || isSlow(stylesheet) ? undefined : await this.evaluateBatch([stylesheet, ...next], xml);
    // After a failure the stylesheet is evaluated alone, so that its error is the usual one.
    return made ?? ctx.sandbox.transform({ stylesheet, xml, scope, wellFormed: false });
  }

  /**
   * Evaluates several stylesheets in one message and keeps their outputs. Returns the output of the first, if it
   * succeeded.
   */
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

  /** Returns the record's summary as XML; an empty document for a workflow without a record. */
  async summary(): Promise<string> {
    const { record, id, ctx } = this;
    if (!record || id === undefined) return '<Nothing/>';
    this.xml ??= summarize(ctx, record, id).then((root) => toXml({ kind: 'tree', root }, []));
    return this.xml;
  }

  /**
   * Returns a function that evaluates merge fields. It looks for a value of the step, a column of Method's row, an
   * XPath in Method's document, a column of the record, and an XPath on its summary, where a plain name is the first
   * element of that name.
   */
  resolver(own: OwnValues, method: AnswerValues = {}): Resolve {
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

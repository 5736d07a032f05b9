import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { summarize } from '../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../kernel/render/xml.ts';
import { reachableInputs } from './child-matrices.ts';
import type { FoundMatrix } from './find-matrix.ts';
import type { SubmittedInputs } from './submitted-inputs.ts';
import { wireName } from './table.ts';

/** The record whose summary is read. */
export interface SummarySource {
  readonly object: string;
  readonly objectId: number;
  /** Trusted code reads the summary itself; a user needs the permission to read it. */
  readonly isTrusted?: boolean;
}

/**
 * Returns the inputs of a matrix and its child matrices from a record's summary: the first match of the input's XPath
 * or, without one, the first element named like the input. All expressions are evaluated in one sandbox call.
 */
export async function recordInputs(
  ctx: Context,
  found: FoundMatrix,
  { object, objectId, isTrusted = ctx.authority === 'granted' }: SummarySource,
  asOf: string | undefined,
): Promise<SubmittedInputs> {
  const inputs = [...(await reachableInputs(ctx, found, asOf))];
  const xml = await summaryXml(ctx, object, objectId, isTrusted);
  const expressions = inputs.map(([, { name, xpath }]) => xpath ?? `//${wireName(name)}`);
  const values = await ctx.sandbox
    .evaluate({ xml, expressions, scope: sandboxScope(ctx.user) })
    .catch((error: unknown) => {
      throw error instanceof PlatformError
        ? withInputNames(
            error,
            found.name,
            inputs.map(([, input]) => input),
          )
        : error;
    });
  return new Map(
    inputs.map(([wire, { name }], at) => [wire, { name: wireName(name), text: (values[at] ?? '').trim() }]),
  );
}

/** Most inputs that an error names. */
const INPUTS_NAMED_MAX = 10;

/** Names the matrix in an error of the sandbox, and the input at fault, or those with an XPath if it is one of them. */
function withInputNames(
  error: PlatformError,
  matrix: string,
  inputs: readonly { readonly name: string; readonly xpath?: string | undefined }[],
): PlatformError {
  const index = error.details?.['index'];
  const own = typeof index === 'number' ? inputs[index] : undefined;
  const names = own ? [own.name] : inputs.flatMap(({ name, xpath }) => (xpath === undefined ? [] : [name]));
  if (names.length === 0) return error;
  const listed = names.slice(0, INPUTS_NAMED_MAX).join(', ');
  const more = names.length > INPUTS_NAMED_MAX ? ` and ${names.length - INPUTS_NAMED_MAX} more` : '';
  const which = names.length === 1 ? `XPath of input ${listed}` : `XPath of one of the inputs ${listed}${more}`;
  const { code, field, details } = error;
  return new PlatformError(code, {
    message: `${matrix}, ${which}: ${error.message.replace(/^XPath: (?:expression \d+ of \d+: )?/, '')}`,
    cause: error,
    ...(field === undefined ? {} : { field }),
    ...(details ? { details } : {}),
  });
}

async function summaryXml(ctx: Context, object: string, objectId: number, isTrusted: boolean): Promise<string> {
  const record = ctx.registry.requireRecord(object, 'Object');
  if (isTrusted) return toXml({ kind: 'tree', root: await summarize(ctx, record, objectId) }, []);
  const answer = await ctx.callNamed(`${record.module}/summary`, { ID: objectId });
  if (answer.kind !== 'tree') throw new Error(`${record.name} returned a summary that is not a tree`);
  return toXml(answer, []);
}

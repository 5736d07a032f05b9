import type { Context } from '../../../../kernel/door/context.ts';
import { sandboxScope } from '../../../../kernel/security/identity.ts';
import { summarize } from '../../../../kernel/records/search/summary.ts';
import { toXml } from '../../../../kernel/render/xml.ts';
import { reachableInputs } from './child-matrices.ts';
import type { FoundMatrix } from './find-matrix.ts';
import type { SubmittedInputs } from './submitted-inputs.ts';
import { wireName } from './table.ts';

/**
 * Returns the inputs of a matrix and its child matrices from a record's summary: the first match of the input's XPath
 * or, without one, the first element named like the input. All expressions are evaluated in one sandbox call.
 */
export async function recordInputs(
  ctx: Context,
  found: FoundMatrix,
  { object, objectId }: { readonly object: string; readonly objectId: number },
  asOf: string | undefined,
): Promise<SubmittedInputs> {
  const inputs = [...(await reachableInputs(ctx, found, asOf))];
  const xml = await summaryXml(ctx, object, objectId);
  const expressions = inputs.map(([, { name, xpath }]) => xpath ?? `//${wireName(name)}`);
  const values = await ctx.sandbox.evaluate({ xml, expressions, scope: sandboxScope(ctx.user) });
  return new Map(
    inputs.map(([wire, { name }], at) => [wire, { name: wireName(name), text: (values[at] ?? '').trim() }]),
  );
}

/** Reads the summary. A user needs the permission to read it; trusted code reads it directly. */
async function summaryXml(ctx: Context, object: string, objectId: number): Promise<string> {
  const record = ctx.registry.requireRecord(object, 'Object');
  if (ctx.authority === 'granted') return toXml({ kind: 'tree', root: await summarize(ctx, record, objectId) }, []);
  const answer = await ctx.callNamed(`${record.module}/summary`, { ID: objectId });
  if (answer.kind !== 'tree') throw new Error(`${record.name} returned a summary that is not a tree`);
  return toXml(answer, []);
}

import { timeZone } from '../declare/core-settings.ts';
import type { Operation, Run } from '../declare/operation.ts';
import { contradiction } from '../parameters/identification.ts';
import type { Parameters } from '../parameters/parameters.ts';
import { parseParameters, type ParsedCall } from '../parameters/parse-parameters.ts';
import { enforceCallRules } from '../ports/business-rules.ts';
import { assertBelowParent, parentParameters, existingRecordId } from '../records/save/parent-scope.ts';
import { requireByExternalId } from '../records/save/external-id.ts';
import type { Answer } from './answer.ts';
import type { CallContext } from './call-context.ts';
import { reachNamedRecords } from './named-records.ts';

/** Parses an operation's parameters, reaches the records that it names, enforces the business rules and runs it. */
export async function runOperation(
  ctx: CallContext,
  operation: Operation,
  parameters: Parameters,
  run: Run = operation.run,
): Promise<Answer> {
  ctx.rawParameters = parameters;
  const parsed = parseParameters(
    operation,
    ctx.parent ? await parentParameters(ctx, operation, parameters) : parameters,
    { timeZone: ctx.settings.get(timeZone) },
  );
  if (parsed.externalIds.length > 0) await resolveExternalIds(ctx, parsed);
  if (ctx.parent) await requireBelowParent(ctx, operation, parsed);
  ctx.named = await reachNamedRecords(ctx, operation, parsed.params);
  await enforceCallRules(ctx, operation, parsed.params);
  return await run(ctx, parsed.params, parsed.rest);
}

/** Sets id parameters that were sent as external ids. Throws BAD_PARAMETER for one that was also sent as another id. */
async function resolveExternalIds(ctx: CallContext, { params, externalIds, sentAs }: ParsedCall): Promise<void> {
  const names = new Map(sentAs);
  for (const { param, name, record, subscriberId, list } of externalIds) {
    const id = await requireByExternalId(ctx, ctx.registry.requireRecord(record, param), subscriberId, name);
    const sent = params[param] ?? null;
    const first = names.get(param);
    if (sent !== null && first !== undefined && !isOnly(sent, id)) throw contradiction(first, name);
    params[param] = list ? [id] : id;
    names.set(param, name);
  }
}

function isOnly(sent: unknown, id: number): boolean {
  return Array.isArray(sent) ? sent.length === 1 && sent[0] === id : sent === id;
}

/** Refuses records that are not below the parent that the route names. */
async function requireBelowParent(ctx: CallContext, operation: Operation, { params, rest }: ParsedCall): Promise<void> {
  if (!operation.record || operation.free === 'filters') return;
  const ids =
    params['ID'] ?? (operation.free === 'fields' ? await existingRecordId(ctx, operation.record, rest) : undefined);
  await assertBelowParent(ctx, operation.record, ids);
}

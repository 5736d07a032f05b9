import { randomUUID } from 'node:crypto';
import { CallContext } from '../../../src/kernel/door/call-context.ts';
import { autocommitScope } from '../../../src/kernel/door/unit-of-work.ts';
import type { Context } from '../../../src/kernel/door/context.ts';
import type { TestPlatform } from '../platform.ts';

/**
 * Returns a run context as the first administrator, outside any transaction, for engines called without an import run.
 */
export async function runContext({ platform }: TestPlatform, route: string): Promise<Context> {
  const [administrator] = await platform.store.query<{ id: number }>(
    "select personid as id from person where person = 'administrator'",
  );
  const user = await platform.identity.ofPerson(administrator?.id ?? 0);
  const operation = platform.registry.operation(route);
  if (!operation) throw new Error(`no operation ${route}`);
  const state = {
    platform,
    registry: platform.registry,
    user,
    correlationId: randomUUID(),
    address: 'test',
    alerts: [],
    body: undefined,
  };
  return new CallContext(state, autocommitScope(state), { operation, cause: [] });
}

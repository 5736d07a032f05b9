import { randomUUID } from 'node:crypto';
import { restrictToAgent } from '../shared/agent-rights.ts';
import { authorize } from '../../kernel/door/authorize.ts';
import { agentWrites } from '../../kernel/declare/core-settings.ts';
import type { Describer } from '../shared/description.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { IDEMPOTENCY_KEY_MAX, type RenderedAnswer } from '../../kernel/door/idempotency.ts';
import type { Principal } from '../../kernel/security/identity.ts';
import type { CallOutcome } from '../../kernel/door/call.ts';
import { invoke } from '../../kernel/door/invoke.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { parametersFromJson, type Parameters } from '../../kernel/parameters/parameters.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { parseRoute, unknownOperation, type Route } from '../../kernel/door/route.ts';

/** Longest time of one statement of an agent's call, in milliseconds: users do not wait longer in a conversation. */
const AGENT_STATEMENT_MILLISECONDS = 20_000;

/** The caller of one agent request. */
export interface Agent {
  readonly platform: Platform;
  /** The user, restricted to an agent's permissions. */
  readonly user: Principal;
  readonly address: string;
  readonly describer: Describer;
  /** Whether agents may change data on this installation. */
  readonly mayChange: boolean;
}

/** Returns the agent of a signed-in user. */
export function agentOf(platform: Platform, user: Principal, address: string, describer: Describer): Agent {
  return {
    platform,
    user: restrictToAgent(platform.registry, user),
    address,
    describer,
    mayChange: platform.settings.get(agentWrites),
  };
}

/** Whether the agent's user may call an operation at all. */
export function mayCall(agent: Agent, operation: Operation): boolean {
  try {
    authorize(agent.user, operation);
    return true;
  } catch {
    return false;
  }
}

/** The operation that an agent named. */
export interface Target {
  readonly route: Route;
  readonly operation: Operation;
  /** Whether it changes data, if only by queueing a message. */
  readonly changes: boolean;
}

/** Resolves a route, with or without `/api/`, saved statements included. Throws UNKNOWN_OPERATION. */
export async function resolveTarget({ platform }: Agent, named: string): Promise<Target> {
  const segments = named
    .trim()
    .replace(/^\/?(?:api\/)?/i, '')
    .split('/')
    .filter((segment) => segment !== '');
  const route = parseRoute(platform.registry, segments, 'GET');
  // A route pattern, such as import/{Template}, is named as the catalog lists it.
  const operation =
    platform.registry.operation(segments.join('/')) ??
    route.operation ??
    (await platform.savedOperations.find(route.module, route.path));
  if (!operation) throw unknownOperation(platform.registry, route);
  return { route: { ...route, operation }, operation, changes: route.queued || operation.effect === 'write' };
}

/** Input of a call. */
export interface AgentCall {
  readonly parameters: Parameters;
  readonly correlationId: string;
  readonly idempotencyKey?: string | undefined;
  readonly render: (outcome: CallOutcome) => RenderedAnswer;
}

/** Calls an operation through the door as the agent's user. A change is logged before it is made. */
export async function callAs(
  agent: Agent,
  { route, operation, changes }: Target,
  { parameters, correlationId, idempotencyKey, render }: AgentCall,
): Promise<CallOutcome> {
  const { platform, user, address } = agent;
  if (changes) {
    const event = { personId: user.personId, object: operation.route.slice(0, 60), address };
    if (!agent.mayChange) {
      await platform.journal.security({ ...event, event: 'Refused', detail: 'AgentWrites is off' }, correlationId);
      throw new PlatformError('NO_PERMISSION', {
        message: 'Agents have read-only access on this installation: its setting AgentWrites is off.',
      });
    }
    if (mayCall(agent, operation))
      await platform.journal.security({ ...event, event: 'AgentChange', objectId: route.id ?? null }, correlationId);
  }
  return invoke(platform, {
    route,
    parameters,
    principal: user,
    address,
    correlationId,
    cause: ['Agent'],
    surface: 'agent',
    statementMilliseconds: AGENT_STATEMENT_MILLISECONDS,
    idempotency:
      idempotencyKey === undefined
        ? undefined
        : { key: `agent ${assertKey(idempotencyKey)}`, request: operation.route, render },
  });
}

function assertKey(key: string): string {
  if (key === '' || key.length > IDEMPOTENCY_KEY_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'idempotency_key',
      message: `idempotency_key: expected 1 to ${IDEMPOTENCY_KEY_MAX} characters.`,
    });
  return key;
}

/** Returns parameters from an agent's JSON object; children are nested. */
export function parametersFromAgent(value: unknown): Parameters {
  return value === undefined || value === null ? {} : parametersFromJson(value);
}

/** Returns a new correlation id. */
export const newCorrelationId = (): string => randomUUID();

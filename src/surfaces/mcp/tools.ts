import { AGENT_TOOLS_MAX } from '../../kernel/declare/setting-formats.ts';
import { agentTools } from '../../kernel/declare/core-settings.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { mayCall, newCorrelationId, type Agent } from './agent.ts';
import { operationTool, readRecord, runRead, runWrite, searchRecords } from './call-tools.ts';
import { describeOperation, describeRecord, findOperations } from './catalog-tools.ts';
import { isJsonObject, RpcError } from './protocol.ts';
import { failedResult, type ToolResult } from './result.ts';
import type { Tool } from './tool.ts';

/** Returns the tools that an agent sees: a small fixed set, and the operations that the installation names. */
export function toolsOf(agent: Agent): readonly Tool[] {
  const fixed = [
    findOperations(agent),
    describeOperation(agent),
    describeRecord(agent),
    searchRecords(agent),
    readRecord(agent),
    runRead(agent),
    ...(agent.mayChange ? [runWrite(agent)] : []),
  ];
  const taken = new Set(fixed.map(({ name }) => name));
  return [...fixed, ...ownTools(agent).filter(({ name }) => !taken.has(name))];
}

function ownTools(agent: Agent): readonly Tool[] {
  const { registry, settings, log } = agent.platform;
  const routes = [
    ...new Set(
      settings
        .get(agentTools)
        .split(',')
        .map((route) => route.trim().toLowerCase())
        .filter((route) => route !== ''),
    ),
  ].slice(0, AGENT_TOOLS_MAX);
  const byRoute = new Map(registry.operations().map((operation) => [operation.route.toLowerCase(), operation]));
  return routes.flatMap((route) => {
    const operation = byRoute.get(route);
    if (!operation) log.warn('AgentTools names an operation that does not exist', { operation: route });
    const isShown =
      operation &&
      operation.body !== 'raw' &&
      !route.includes('{') &&
      mayCall(agent, operation) &&
      (operation.effect === 'read' || agent.mayChange);
    return isShown ? [operationTool(agent, operation)] : [];
  });
}

/** Returns a tool as an entry of the list of tools. */
export function toolEntry({ run: _run, ...entry }: Tool): Readonly<Record<string, unknown>> {
  return { ...entry };
}

/** Calls a tool. A failure in it is a result that the agent can read; an unknown tool is a protocol error. */
export async function callTool(agent: Agent, params: Readonly<Record<string, unknown>>): Promise<ToolResult> {
  const { name, arguments: sent = {} } = params;
  if (typeof name !== 'string') throw new RpcError('INVALID_PARAMS', 'name: expected the name of a tool.');
  if (!isJsonObject(sent)) throw new RpcError('INVALID_PARAMS', 'arguments: expected an object.');
  const tools = toolsOf(agent);
  const tool = tools.find((each) => each.name === name);
  if (!tool)
    throw new RpcError(
      'INVALID_PARAMS',
      `Unknown tool: ${name.slice(0, 100)}. There are ${tools.map((each) => each.name).join(', ')}.`,
    );
  const correlationId = newCorrelationId();
  const began = performance.now();
  const { log } = agent.platform;
  try {
    const result = await tool.run(agent, sent, correlationId);
    log.info('agent call', { correlationId, tool: name, milliseconds: Math.round(performance.now() - began) });
    return result;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.info('agent call', {
      correlationId,
      tool: name,
      code: error.code,
      milliseconds: Math.round(performance.now() - began),
    });
    return failedResult(error.masked(), correlationId);
  }
}

import type { JsonSchema } from '../shared/description.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { mayCall, type Agent } from './agent.ts';
import { RpcError } from './protocol.ts';

const OPERATION = 'casewright://operation/';
const RECORD = 'casewright://record/';
const MIME = 'text/markdown';

/** Pages of the reference as resources: record types first, then the operations that the user may call. */
export function resourcesOf(agent: Agent): readonly JsonSchema[] {
  const { registry } = agent.platform;
  const operations = registry
    .operations()
    .filter((operation) => mayCall(agent, operation))
    .sort((a, b) => (a.route < b.route ? -1 : 1));
  const modules = new Set(operations.map(({ module }) => module));
  return [
    ...registry
      .records()
      .filter(({ module }) => modules.has(module))
      .map(({ name, doc }) => ({
        uri: RECORD + name,
        name,
        title: `Record type ${name}`,
        description: doc,
        mimeType: MIME,
      })),
    ...operations.map(({ route, summary }) => ({
      uri: OPERATION + encodeURI(route),
      name: route,
      title: `Operation ${route}`,
      description: summary,
      mimeType: MIME,
    })),
  ];
}

/** URI templates of resources. */
export const resourceTemplates: readonly JsonSchema[] = [
  {
    uriTemplate: `${RECORD}{name}`,
    name: 'record',
    title: 'Record type',
    description: 'The fields and operations of a record type.',
    mimeType: MIME,
  },
  {
    uriTemplate: `${OPERATION}{+route}`,
    name: 'operation',
    title: 'Operation',
    description: 'The parameters and results of an operation, with examples.',
    mimeType: MIME,
  },
];

/** Returns one page of the reference. Throws RpcError if the user can see no such page. */
export function readResource(agent: Agent, uri: unknown): JsonSchema {
  const { describer, platform } = agent;
  const { registry } = platform;
  if (typeof uri !== 'string') throw new RpcError('INVALID_PARAMS', 'uri: expected the URI of a resource.');
  const contents = (text: string): JsonSchema => ({ contents: [{ uri, mimeType: MIME, text }] });
  const record = uri.startsWith(RECORD) ? registry.record(uri.slice(RECORD.length)) : undefined;
  if (
    record &&
    registry.operations().some((operation) => operation.module === record.module && mayCall(agent, operation))
  )
    return contents(describer.recordPage(describer.record(registry, record)));
  const operation = operationAt(agent, uri);
  if (operation && mayCall(agent, operation))
    return contents(describer.operationPage(describer.operation(registry, operation)));
  throw new RpcError('RESOURCE_NOT_FOUND', 'Resource not found.', { uri: uri.slice(0, 200) });
}

function operationAt({ platform }: Agent, uri: string): Operation | undefined {
  if (!uri.startsWith(OPERATION)) return undefined;
  try {
    return platform.registry.operation(decodeURI(uri.slice(OPERATION.length)));
  } catch {
    return undefined;
  }
}

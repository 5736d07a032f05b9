/** Supported versions of the protocol, the newest first. */
export const PROTOCOL_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** Version of a request without the version header, as the protocol defines. */
export const ASSUMED_VERSION = '2025-03-26';

/** Error codes of JSON-RPC, and those that the protocol adds. */
export const rpcCodes = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  RESOURCE_NOT_FOUND: -32002,
  /** A request refused before its message is read: no sign-in, a foreign origin, too many requests. */
  REFUSED: -32001,
} as const;

/** ID of a request; null if it could not be read. */
export type RequestId = string | number | null;

/** A failure of the protocol itself; a tool's failure is a result instead. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: keyof typeof rpcCodes, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = 'RpcError';
    this.code = rpcCodes[code];
    this.data = data;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

/** One message of a client. A request is answered; a notification, or an answer to a request of ours, is not. */
export type ClientMessage =
  | { readonly kind: 'request'; readonly id: string | number; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'unanswered' };

/** Whether a value is an object with named members. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses one message. Throws RpcError if it is invalid. */
export function readMessage(value: unknown): ClientMessage {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0')
    throw new RpcError('INVALID_REQUEST', 'Expected a JSON-RPC 2.0 message: an object whose jsonrpc is "2.0".');
  const { id, method, params } = value;
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'unanswered' };
  if (typeof method !== 'string') throw new RpcError('INVALID_REQUEST', 'method: expected a text.');
  if (params !== undefined && !isJsonObject(params))
    throw new RpcError('INVALID_REQUEST', 'params: expected an object.');
  if (id === undefined) return { kind: 'unanswered' };
  if (!isId(id)) throw new RpcError('INVALID_REQUEST', 'id: expected a text or a number.');
  return { kind: 'request', id, method, params: params ?? {} };
}

/** Returns the ID of a refused message, if it can be read. */
export function idOf(value: unknown): RequestId {
  const id = isJsonObject(value) ? value['id'] : undefined;
  return isId(id) ? id : null;
}

/** A number beyond the representable range could not be returned unchanged. */
function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/** Returns the response to a request. */
export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

/** Returns the response to a failed request. */
export function errorMessage(id: RequestId, error: RpcError): JsonObject {
  return {
    jsonrpc: '2.0',
    id,
    error: { code: error.code, message: error.message, ...(error.data ? { data: error.data } : {}) },
  };
}

/** Returns one page of a list by the protocol's cursor, which is the position of the first entry. */
export function pageOf<T>(
  all: readonly T[],
  cursor: unknown,
  size: number,
): { readonly page: readonly T[]; readonly nextCursor?: string } {
  const sent = cursor ?? '0';
  const start = typeof sent === 'string' && /^\d{1,6}$/.test(sent) ? Number(sent) : -1;
  if (start < 0 || (start > 0 && start >= all.length))
    throw new RpcError('INVALID_PARAMS', 'cursor: expected the nextCursor of an earlier response.');
  const end = start + size;
  return { page: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) };
}

import { errorMessage, idOf, isJsonObject, RpcError } from './protocol.ts';

/** How a local agent reaches a running server. */
export interface StdioParts {
  /** JSON-RPC messages, one per line, as in the protocol's stdio transport. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes a line for the agent. */
  out(line: string): Promise<void>;
  /** Sends a message to the server's `/mcp` with the credentials of the agent's user. */
  send(body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

/** Most requests in progress; further ones wait, and so does their sender. */
const UNDER_WAY_MAX = 8;
/** Longest line, in bytes: the same as the largest body that the server accepts. */
const LINE_BYTES_MAX = 1024 * 1024;
/** Timeout of a request, in milliseconds: longer than the server lets any call run. */
const REQUEST_MILLISECONDS_MAX = 120_000;

/**
 * Serves an agent over its standard input and output by passing each message to a running server's `/mcp`. Ends when
 * the input has ended and the requests in progress are answered. A request that the agent cancels is aborted and not
 * answered.
 */
export async function serveStdio(parts: StdioParts): Promise<void> {
  const underWay = new Map<string, AbortController>();
  const running = new Set<Promise<void>>();
  let version: string | undefined;
  const pass = async (line: string | undefined): Promise<void> => {
    const answer = await answerTo(line, parts, version, underWay);
    const agreed =
      isJsonObject(answer) && isJsonObject(answer['result']) ? answer['result']['protocolVersion'] : undefined;
    if (typeof agreed === 'string') version = agreed;
    if (answer !== undefined) await parts.out(`${JSON.stringify(answer)}\n`);
  };
  for await (const line of linesOf(parts.input)) {
    if (line?.trim() === '') continue;
    const one: Promise<void> = pass(line).finally(() => running.delete(one));
    running.add(one);
    // Messages after initialization need the version that it negotiates.
    if (version === undefined) await one;
    if (running.size >= UNDER_WAY_MAX) await Promise.race(running);
  }
  await Promise.all(running);
}

/** Yields the lines of the input; undefined in place of a line that is too long, which is discarded. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const taken = (): string | undefined => {
    const line = length > LINE_BYTES_MAX ? undefined : Buffer.concat(parts).toString('utf8');
    [parts, length] = [[], 0];
    return line;
  };
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length <= LINE_BYTES_MAX) parts.push(part);
    else parts = [];
  };
  for await (const piece of input) {
    let rest = Buffer.from(piece);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      yield taken();
    }
    keep(rest);
  }
  if (length > 0) yield taken();
}

/** Returns the response to one line, or undefined if there is none. Never throws. */
async function answerTo(
  line: string | undefined,
  parts: StdioParts,
  version: string | undefined,
  underWay: Map<string, AbortController>,
): Promise<unknown> {
  if (line === undefined)
    return errorMessage(null, new RpcError('INVALID_REQUEST', `A message can have at most ${LINE_BYTES_MAX} bytes.`));
  let message: unknown;
  try {
    message = JSON.parse(line) as unknown;
  } catch {
    return errorMessage(null, new RpcError('PARSE_ERROR', 'The line is not valid JSON.'));
  }
  if (cancelRequest(message, underWay)) return undefined;
  const id = idOf(message);
  const controller = new AbortController();
  if (id !== null) underWay.set(JSON.stringify(id), controller);
  const headers = {
    Accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
  };
  try {
    return await readAnswer(
      await parts.send(
        line,
        headers,
        AbortSignal.any([controller.signal, AbortSignal.timeout(REQUEST_MILLISECONDS_MAX)]),
      ),
      id,
    );
  } catch (error) {
    if (controller.signal.aborted || id === null) return undefined;
    return errorMessage(
      id,
      new RpcError(
        'INTERNAL_ERROR',
        `The server did not respond: ${error instanceof Error ? error.message : String(error)}`,
      ),
    );
  } finally {
    if (id !== null) underWay.delete(JSON.stringify(id));
  }
}

/** Aborts the request that an agent's notification cancels. */
function cancelRequest(message: unknown, underWay: Map<string, AbortController>): boolean {
  if (!isJsonObject(message) || message['method'] !== 'notifications/cancelled' || !isJsonObject(message['params']))
    return false;
  underWay.get(JSON.stringify(message['params']['requestId']))?.abort();
  return true;
}

async function readAnswer(response: Response, id: ReturnType<typeof idOf>): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  const answer =
    parseJsonOrUndefined(text) ??
    errorMessage(
      null,
      new RpcError(
        'INTERNAL_ERROR',
        `The server responded with ${response.status} and something that is not a message.`,
      ),
    );
  // A refusal of the whole request does not know which one it was.
  return id !== null && isJsonObject(answer) && answer['id'] === null ? { ...answer, id } : answer;
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

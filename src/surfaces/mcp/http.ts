import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseJson, readAll } from '../../kernel/parameters/body-parameters.ts';
import { agentOrigins } from '../../kernel/declare/core-settings.ts';
import { fromDatabaseError } from '../../kernel/database/database-error.ts';
import { receivedBody } from '../shared/received-body.ts';
import type { Describer } from '../shared/description.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Credential } from '../../kernel/security/identity.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { agentOf, type Agent } from './agent.ts';
import { dispatch, type ServerFacts } from './dispatch.ts';
import {
  ASSUMED_VERSION,
  errorMessage,
  idOf,
  isJsonObject,
  PROTOCOL_VERSIONS,
  RpcError,
  type rpcCodes,
} from './protocol.ts';

/** Largest body of one request. */
export const AGENT_BODY_BYTES_MAX = 1024 * 1024;
/** Most messages of one batch, which only the oldest protocol version has. */
export const AGENT_BATCH_MAX = 20;

/** Dependencies of the endpoint. */
export interface AgentParts extends ServerFacts {
  readonly describer: Describer;
  /** How requests authenticate: the same as everywhere, except browser sessions. */
  readonly credentialOf: (headers: IncomingHttpHeaders) => Credential | undefined;
}

/** A refusal of the request as a whole, with its HTTP status. */
interface Refusal {
  readonly status: number;
  readonly code: keyof typeof rpcCodes;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

class RequestRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

const refuse = (
  status: number,
  code: Refusal['code'],
  message: string,
  headers: Readonly<Record<string, string>> = {},
): RequestRefused => new RequestRefused({ status, code, message, headers });

const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="Casewright", Basic realm="Casewright", charset="UTF-8"' };

/**
 * The endpoint of agents, `/mcp`: the Streamable HTTP transport of the Model Context Protocol without sessions. Every
 * request carries its own credentials, so any node can answer it and a revoked key is refused at the next request. The
 * server sends nothing unsolicited, so there is no stream to GET and no session to DELETE.
 */
export function agentEndpoint(
  parts: AgentParts,
): (platform: Platform, request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (platform, request, reply) => {
    void reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', Vary: 'Origin' });
    try {
      await answer(parts, platform, request, reply);
    } catch (error) {
      const { status, code, message, headers, data } = refusalOf(platform, error);
      void reply
        .code(status)
        .headers(headers ?? {})
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(errorMessage(null, new RpcError(code, message, data))));
    }
  };
}

async function answer(
  parts: AgentParts,
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const stale = platform.settings.fresh();
  if (stale) await stale;
  await admitOrigin(platform, request, reply);
  if (request.method === 'OPTIONS') return void reply.code(204).header('Allow', 'POST').send();
  if (request.method !== 'POST')
    throw refuse(405, 'REFUSED', 'Use POST: the server sends nothing unsolicited and keeps no sessions.', {
      Allow: 'POST',
    });
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw refuse(415, 'INVALID_REQUEST', 'Content-Type: expected application/json.');
  const version = versionOf(request.headers);
  const agent = await signIn(parts, platform, request);
  const body = await bodyOf(agent, request);
  const answers = Array.isArray(body)
    ? await answerBatch(batchOf(body, version), agent, () => signIn(parts, platform, request), parts)
    : await dispatch(agent, parts, body);
  if (answers === undefined) return void reply.code(202).send();
  void reply
    .code(isUnreadable(answers) ? 400 : 200)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answers));
}

/**
 * Refuses a request from a page whose origin no setting names, so that a name made to resolve to this machine (DNS
 * rebinding) achieves nothing. Browsers send the origin; other programs do not.
 */
async function admitOrigin(
  { settings, journal }: Platform,
  { headers, ip }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { origin } = headers;
  if (origin === undefined) return;
  const known = settings
    .get(agentOrigins)
    .split(',')
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '');
  if (!known.includes(origin.toLowerCase())) {
    await journal.security({ event: 'RequestForged', address: ip, detail: '/mcp' }, '');
    throw refuse(
      403,
      'REFUSED',
      'Origin: pages of this origin are not allowed to call; the setting AgentOrigins lists allowed origins.',
    );
  }
  void reply.headers({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-ApiKey, MCP-Protocol-Version',
  });
}

function versionOf(headers: IncomingHttpHeaders): string {
  const sent = headers['mcp-protocol-version'] ?? ASSUMED_VERSION;
  const version = PROTOCOL_VERSIONS.find((each) => each === sent);
  if (!version)
    throw refuse(400, 'INVALID_REQUEST', `MCP-Protocol-Version: expected one of ${PROTOCOL_VERSIONS.join(', ')}.`);
  return version;
}

/**
 * Returns the credentials. A Bearer token is an API key; a browser's cookie is not accepted, so that no page can act
 * through a browser session.
 */
async function signIn(
  { credentialOf, describer }: AgentParts,
  platform: Platform,
  { headers, ip }: FastifyRequest,
): Promise<Agent> {
  const bearer = /^Bearer +(\S{1,500})$/i.exec(headers.authorization ?? '')?.[1];
  const { cookie: _cookie, ...proofs } = headers;
  const credential: Credential | undefined =
    bearer === undefined ? credentialOf(proofs) : { kind: 'apikey', key: bearer };
  if (!credential)
    throw new PlatformError('NOT_SIGNED_IN', {
      message: 'Sign in with an API key (X-ApiKey, or Authorization: Bearer) or with HTTP Basic credentials.',
    });
  return agentOf(platform, await platform.identity.authenticate(credential, ip), ip, describer);
}

async function bodyOf({ platform, user }: Agent, { headers, body, raw, ip }: FastifyRequest): Promise<unknown> {
  const length = Number(headers['content-length'] ?? 0);
  if (length > AGENT_BODY_BYTES_MAX)
    throw new PlatformError('TOO_LARGE', { message: `The body is larger than ${AGENT_BODY_BYTES_MAX} bytes.` });
  const count = (received: number): Promise<void> | undefined =>
    platform.usage.receive({ personId: user.personId, address: ip }, received);
  const bytes = await readAll(receivedBody(body as AsyncIterable<Uint8Array>, raw, count), AGENT_BODY_BYTES_MAX);
  try {
    return parseJson(bytes);
  } catch {
    throw refuse(400, 'PARSE_ERROR', 'The body is not valid JSON.');
  }
}

/** Returns the messages of a batch, if the version has batches. */
function batchOf(body: readonly unknown[], version: string): readonly unknown[] {
  if (version !== ASSUMED_VERSION)
    throw refuse(400, 'INVALID_REQUEST', `Version ${version} of the protocol does not support batches.`);
  if (body.length === 0 || body.length > AGENT_BATCH_MAX)
    throw refuse(400, 'INVALID_REQUEST', `A batch has 1 to ${AGENT_BATCH_MAX} messages.`);
  return body;
}

/**
 * Answers a batch in order. Each message is authenticated like a single one, so that it counts towards its key's limit
 * and a key revoked meanwhile has no further effect.
 */
async function answerBatch(
  body: readonly unknown[],
  first: Agent,
  signInAgain: () => Promise<Agent>,
  facts: ServerFacts,
): Promise<unknown> {
  const answers: unknown[] = [];
  for (const [at, message] of body.entries()) {
    const agent = at === 0 ? first : await signInAgain().catch((error: unknown) => refusalOf(first.platform, error));
    const one = 'platform' in agent ? await dispatch(agent, facts, message) : refusedMessage(message, agent);
    if (one !== undefined) answers.push(one);
  }
  return answers.length > 0 ? answers : undefined;
}

/** Returns the refusal of one message of a batch; a notification gets none. */
function refusedMessage(message: unknown, { code, message: text, data }: Refusal): unknown {
  const id = idOf(message);
  return id === null ? undefined : errorMessage(id, new RpcError(code, text, data));
}

/** Whether a single message was invalid, which the HTTP status reports too. */
function isUnreadable(answers: unknown): boolean {
  const error = isJsonObject(answers) && isJsonObject(answers['error']) ? answers['error'] : undefined;
  return error?.['code'] === new RpcError('INVALID_REQUEST', '').code;
}

function refusalOf(platform: Platform, error: unknown): Refusal {
  if (error instanceof RequestRefused) return error.refusal;
  const correlationId = randomUUID();
  const known = error instanceof PlatformError ? error.masked() : fromDatabaseError(error);
  if (!known)
    platform.log.error('agent request failed', {
      correlationId,
      error: error instanceof Error ? error.name : typeof error,
    });
  const reported = known ?? new PlatformError('INTERNAL');
  const retryAfter = reported.details?.['RetryAfterSeconds'];
  return {
    status: reported.status,
    code: reported.code === 'INTERNAL' ? 'INTERNAL_ERROR' : 'REFUSED',
    message: reported.message,
    headers: {
      'X-Correlation-ID': correlationId,
      ...(reported.code === 'NOT_SIGNED_IN' ? CHALLENGE : {}),
      ...(typeof retryAfter === 'number' ? { 'Retry-After': String(retryAfter) } : {}),
    },
    data: {
      Code: reported.code,
      Status: reported.status,
      ...(reported.field === undefined ? {} : { Field: reported.field }),
      CorrelationID: correlationId,
    },
  };
}

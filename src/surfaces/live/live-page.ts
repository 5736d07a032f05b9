import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPosition } from '../../kernel/changes/read-changes.ts';
import { loggableMessage } from '../../kernel/database/database-error.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import { parameter, parametersFromQuery } from '../../kernel/parameters/parameters.ts';
import { splitCommaList } from '../../kernel/parameters/split-list.ts';
import type { Platform } from '../../kernel/ports/platform.ts';
import { firmOf, type Principal } from '../../kernel/security/identity.ts';
import { closingSignal } from '../shared/closing.ts';
import { isCrossSite } from '../shared/csrf.ts';
import { sessionTokenOf } from '../shared/session-cookie.ts';
import { LiveHub, type Listener } from './live-hub.ts';
import { mayRead, parseTopic, type Topic } from './topic.ts';
import { visibleRecords } from './visible-records.ts';

/** Most topics of a stream: all pages of a browser share one. */
const TOPICS_MAX = 200;
/** Most streams of a user in a process; a further one replaces the oldest. */
const STREAMS_OF_USER_MAX = 8;
/** A client that has not read so many bytes is dropped; it asks again from where it was. */
const UNREAD_BYTES_MAX = 64 * 1024;
/** How old a position may be to continue from. */
const POSITION_MILLISECONDS_MAX = 10 * 60_000;
/** How soon a client that is refused for lack of room may try again. */
const RETRY_SECONDS = 15;

/** Limits of the streams of a process. */
export interface LiveOptions {
  /** How often a stream shows that it is alive, and its session is checked, in milliseconds. */
  readonly heartbeatMilliseconds: number;
  /** Most streams. */
  readonly streamsMax: number;
}

const defaults: LiveOptions = { heartbeatMilliseconds: 15_000, streamsMax: 2_000 };

const hubs = new WeakMap<Platform, LiveHub>();

/**
 * `GET /live?Topics=foreclosure/5,me/notification&Since=…`: server-sent events that say which topics have changed, for
 * the user of a browser session. Events have no data of records: a page reads again what it shows.
 *
 * Events: `ready` (the topics that were accepted), `changed` (names of topics), `all` (anything may have changed),
 * `end` (why the stream ends). Each event's id is a position; `Since` or `Last-Event-ID` continues from it.
 */
export function liveStreams(options: Partial<LiveOptions> = {}) {
  const of = { ...defaults, ...options };
  return async (platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      const opened = await authorizeStream(platform, request, of);
      await new LiveStream(opened, beginResponse(reply)).start();
    } catch (error) {
      refuse(platform, reply, error);
    }
  };
}

function beginResponse(reply: FastifyReply): ServerResponse {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Of nginx, which would otherwise collect events.
    'x-accel-buffering': 'no',
  });
  return reply.raw;
}

function refuse(platform: Platform, reply: FastifyReply, error: unknown): void {
  const known = error instanceof PlatformError ? error : new PlatformError('INTERNAL');
  if (known.code === 'INTERNAL') platform.log.error('live stream failed', { error: loggableMessage(error) });
  const retryAfter = known.details?.['RetryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('Retry-After', String(retryAfter));
  const body = { Error: { Code: known.code, Text: known.message, Field: known.field } };
  void reply.code(known.status).header('Cache-Control', 'no-store').send(body);
}

/** What a stream is opened from. */
interface StreamRequest {
  readonly platform: Platform;
  readonly hub: LiveHub;
  readonly token: string;
  readonly user: Principal;
  readonly topics: readonly Topic[];
  /** Where the client continues; `old` if it cannot. */
  readonly since: string | undefined;
  readonly closing: AbortSignal;
  readonly heartbeatMilliseconds: number;
}

async function authorizeStream(
  platform: Platform,
  request: FastifyRequest,
  { heartbeatMilliseconds, streamsMax }: LiveOptions,
): Promise<StreamRequest> {
  const { headers } = request;
  if (isCrossSite({ origin: headers.origin, fetchSite: headers['sec-fetch-site'], host: request.host }))
    throw new PlatformError('CSRF_REFUSED');
  const stale = platform.settings.fresh();
  if (stale) await stale;
  const token = sessionTokenOf(headers.cookie, request.protocol === 'https');
  const user = token === undefined ? undefined : await platform.identity.ofSession(token);
  if (token === undefined || !user || user.mustChangePassword) throw new PlatformError('NOT_SIGNED_IN');
  await platform.usage.countCall({ personId: user.personId, address: request.ip });
  const query = queryOf(request);
  const topics = await acceptedTopics(platform, user, textOf(parameter(query, 'Topics')));
  const hub = hubOf(platform);
  for (const oldest of hub.of(user.personId).slice(0, 1 - STREAMS_OF_USER_MAX))
    if (oldest instanceof LiveStream) oldest.end('replaced');
  const closing = closingSignal(request.server);
  if (hub.size >= streamsMax || closing.aborted)
    throw new PlatformError('TOO_MANY', {
      message: 'The server has too many live connections. Pages work without; they try again.',
      details: { RetryAfterSeconds: RETRY_SECONDS },
    });
  const since = headers['last-event-id'] ?? parameter(query, 'Since');
  return {
    platform,
    hub,
    token,
    user,
    topics,
    closing,
    heartbeatMilliseconds,
    since: since === undefined ? undefined : textOf(since),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function queryOf({ raw: { url = '' } }: FastifyRequest): ReturnType<typeof parametersFromQuery> {
  const at = url.indexOf('?');
  return at < 0 ? {} : parametersFromQuery(url.slice(at + 1));
}

function hubOf(platform: Platform): LiveHub {
  let hub = hubs.get(platform);
  if (!hub) hubs.set(platform, (hub = new LiveHub(platform)));
  return hub;
}

/**
 * Returns the topics that the user may listen to. Unknown, hidden and forbidden ones are left out alike. @throws
 * BAD_PARAMETER for too many
 */
async function acceptedTopics(platform: Platform, user: Principal, text: string): Promise<Topic[]> {
  const names = [...new Set(splitCommaList(text))];
  if (names.length === 0 || names.length > TOPICS_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Topics',
      message: `Topics: expected 1 to ${TOPICS_MAX} topics, separated by commas.`,
    });
  const { registry } = platform;
  const topics = names
    .flatMap((name) => parseTopic(registry, user, name) ?? [])
    .filter(({ types }) => types.every((type) => mayRead(registry, user, type)));
  const firm = firmOf(user);
  if (firm === null) return topics;
  const keys = topics.flatMap(({ record }) => (record ? [{ table: record.type.root.table, id: record.id }] : []));
  const seen = await visibleRecords(platform, firm, keys);
  return topics.filter(({ record }) => !record || seen.has(`${record.type.root.table}/${record.id}`));
}

/** Why a stream ends; a client whose session has ended does not try again. */
type EndReason = 'session' | 'closing' | 'replaced';

/** One open response. */
class LiveStream implements Listener {
  readonly topics: readonly Topic[];
  user: Principal;
  private readonly of: StreamRequest;
  private readonly response: ServerResponse;
  private readonly heart: NodeJS.Timeout;
  private readonly onClosing = (): void => this.end('closing');

  constructor(of: StreamRequest, response: ServerResponse) {
    this.of = of;
    this.user = of.user;
    this.topics = of.topics;
    this.response = response;
    this.heart = setInterval(() => void this.beat(), of.heartbeatMilliseconds);
    this.heart.unref();
    of.closing.addEventListener('abort', this.onClosing);
    response.on('close', () => this.close());
    // The client has gone; its stream is closed next.
    response.on('error', () => undefined);
  }

  /** Listens, and sends what the client has missed. */
  async start(): Promise<void> {
    const { hub, since } = this.of;
    try {
      await hub.add(this);
      this.write(
        'ready',
        JSON.stringify({ topics: this.topics.map(({ name }) => name) }),
        this.of.platform.changes.position,
      );
      if (since === undefined) return;
      const position = positionOf(since, this.of.platform.clock.milliseconds());
      if (position === undefined) this.allChanged(this.of.platform.changes.position ?? '');
      else await hub.catchUp(this, position);
    } catch (error) {
      this.of.platform.log.warn('live stream could not start', { error: loggableMessage(error) });
      this.response.destroy();
    }
  }

  changed(names: readonly string[], position: string): void {
    this.write('changed', JSON.stringify(names), position);
  }

  allChanged(position: string): void {
    this.write('all', '{}', position);
  }

  /** Sends why, and ends the response. */
  end(reason: EndReason): void {
    this.write('end', JSON.stringify({ reason }), undefined);
    this.response.end();
    this.close();
  }

  /** Ends a stream whose session has ended; notes changed permissions. */
  private async beat(): Promise<void> {
    const { platform, token } = this.of;
    try {
      const user = await platform.identity.ofSession(token);
      if (user) this.user = user;
      if (user) this.write(undefined, undefined, platform.changes.position);
      else this.end('session');
    } catch (error) {
      // Nobody can be recognized now: the client tries again.
      platform.log.warn('live stream could not be checked', { error: loggableMessage(error) });
      this.response.destroy();
    }
  }

  private write(event: string | undefined, data: string | undefined, position: string | undefined): void {
    if (this.response.writableEnded || this.response.destroyed) return;
    const id = position === undefined ? '' : `id: ${this.of.platform.clock.milliseconds()}.${position}\n`;
    const named = event === undefined ? '' : `event: ${event}\ndata: ${data ?? ''}\n`;
    // A comment keeps proxies from ending a silent connection.
    this.response.write(`${id}${named || ':\n'}\n`);
    if (this.response.writableLength > UNREAD_BYTES_MAX) this.response.destroy();
  }

  private close(): void {
    clearInterval(this.heart);
    this.of.closing.removeEventListener('abort', this.onClosing);
    this.of.hub.remove(this);
  }
}

/** Returns the position in an event's id, if it is not too old to continue from. */
function positionOf(id: string, now: number): string | undefined {
  const [, at = '', position = ''] = /^(\d{1,15})\.(.+)$/.exec(id) ?? [];
  const age = now - Number(at);
  return at !== '' && age >= 0 && age < POSITION_MILLISECONDS_MAX && isPosition(position) ? position : undefined;
}

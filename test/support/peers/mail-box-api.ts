import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';
import type { TokenServer } from './token-server.ts';

interface BoxMail {
  readonly id: string;
  readonly received: string;
  readonly raw: Buffer;
  readonly labels: string[];
}

/** A mailbox of the service. */
export interface BoxPeer {
  readonly folders: Map<string, BoxMail[]>;
  numbering: number;
}

/** A service on this machine whose mailboxes are read over HTTP, as docs/guides/operators/mailboxes.md describes. */
export interface MailBoxApi {
  readonly port: number;
  /** Returns a mailbox; it exists from then on, with the folders INBOX and Received. */
  box(user: string): BoxPeer;
  /** Stores a mail as it arrives. */
  deliver(user: string, raw: Buffer, folder?: string): void;
  /** Ends all connections. */
  drop(): void;
  /** The status with which it refuses requests. */
  refusal: number | undefined;
}

/** Starts the service on a free loopback port. It accepts the tokens of a token server. */
export async function startMailBoxApi(cleanUp: CleanUp, tokens: TokenServer): Promise<MailBoxApi> {
  const boxes = new Map<string, BoxPeer>();
  let ids = 0;
  const box = (user: string): BoxPeer => {
    const folders = new Map<string, BoxMail[]>([
      ['INBOX', []],
      ['Received', []],
    ]);
    const known = boxes.get(user) ?? { folders, numbering: 1 };
    boxes.set(user, known);
    return known;
  };
  const respond = async (request: IncomingMessage): Promise<ApiResponse> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, user = '', path = ''] = /^\/v1\/mailboxes\/([^/]+)\/(.*)$/.exec(url.pathname) ?? [];
    const name = decodeURIComponent(user);
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (api.refusal !== undefined) return { status: api.refusal };
    if (tokens.valid.get(token) !== name) return { status: 401 };
    const own = box(name);
    if (path === 'folders') return { status: 200, json: { folders: [...own.folders.keys()] } };
    if (path === 'messages') return list(own, url.searchParams);
    const [, id = '', action] = /^messages\/([^/]+)(\/move)?$/.exec(path) ?? [];
    const document = action === undefined ? Object.fromEntries(url.searchParams) : await json(request);
    return messageOf(own, id, document as Readonly<Record<string, string>>);
  };
  const server = createServer((request, response) => {
    respond(request).then(
      ({ status, json: document, raw }) => {
        response.writeHead(status, { 'Content-Type': raw ? 'message/rfc822' : 'application/json' });
        response.end(raw ?? (document === undefined ? undefined : JSON.stringify(document)));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(cleanUp, async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const api: MailBoxApi = {
    port: (server.address() as AddressInfo).port,
    box,
    deliver(user, raw, folder = 'INBOX') {
      const { folders } = box(user);
      const received = new Date().toISOString();
      folders.set(folder, [...(folders.get(folder) ?? []), { id: String(++ids), received, raw, labels: [] }]);
    },
    drop: () => server.closeAllConnections(),
    refusal: undefined,
  };
  return api;
}

interface ApiResponse {
  readonly status: number;
  readonly json?: object;
  readonly raw?: Buffer;
}

/** Returns a mail, or moves it to the folder `to`. */
function messageOf({ folders, numbering }: BoxPeer, id: string, query: Readonly<Record<string, string>>): ApiResponse {
  const mails = folders.get(query['folder'] ?? '') ?? [];
  const at = mails.findIndex((each) => each.id === id);
  const mail = mails[at];
  if (!mail || query['numbering'] !== String(numbering)) return { status: 404 };
  const { to } = query;
  if (to === undefined) return { status: 200, raw: mail.raw };
  mails.splice(at, 1);
  folders.set(to, [...(folders.get(to) ?? []), mail]);
  return { status: 204 };
}

function list({ folders, numbering }: BoxPeer, query: URLSearchParams): ApiResponse {
  const mails = folders.get(query.get('folder') ?? '');
  if (!mails) return { status: 404 };
  const after = query.get('numbering') === String(numbering) ? Number(query.get('after') ?? 0) : 0;
  const since = query.get('since') ?? '';
  const all = mails.filter(({ id, received }) => Number(id) > after && received >= since);
  const limit = Number(query.get('limit'));
  const page = {
    numbering: String(numbering),
    total: mails.length,
    more: all.length > limit,
    messages: all.slice(0, limit).map(({ id, received, raw, labels }) => ({
      id,
      received,
      size: raw.length,
      header: raw.subarray(0, raw.indexOf('\r\n\r\n') + 4).toString('base64'),
      labels,
    })),
  };
  return { status: 200, json: page };
}

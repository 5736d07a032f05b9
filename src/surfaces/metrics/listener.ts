import { createServer } from 'node:http';

/** Longest time for a request to arrive, and for a connection to be idle. */
const REQUEST_MILLISECONDS_MAX = 10_000;
/** Most concurrent connections; a scraper needs one. */
const CONNECTIONS_MAX = 16;

/** Where to listen and what to serve. */
export interface MetricsListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly mime: string;
  readonly text: () => Promise<string>;
}

/** A running listener. */
export interface RunningMetricsListener {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves `GET /metrics` and nothing else, without sign-in, on a separate address: for a network that only a scraper
 * reaches, and for processes without a web server. Reads nothing of a request but its path.
 */
export async function startMetricsListener({
  host,
  port,
  mime,
  text,
}: MetricsListenerOptions): Promise<RunningMetricsListener> {
  const server = createServer(
    {
      requestTimeout: REQUEST_MILLISECONDS_MAX,
      headersTimeout: REQUEST_MILLISECONDS_MAX,
      keepAliveTimeout: REQUEST_MILLISECONDS_MAX,
    },
    (request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || request.url?.split('?')[0] !== '/metrics') {
        response
          .writeHead(isRead ? 404 : 405, { 'Content-Type': 'text/plain', Connection: 'close' })
          .end('Only GET /metrics is answered here.\n');
        return;
      }
      text().then(
        (body) => response.writeHead(200, { 'Content-Type': mime, 'Cache-Control': 'no-store' }).end(body),
        () => response.writeHead(500, { 'Content-Type': 'text/plain' }).end('The metrics could not be written.\n'),
      );
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent, type CpuUsage } from './child.ts';

/** Bytes that are read at once: as many as the product reads. */
const READ_BYTES = 256 * 1024;

/** The requests that the floor's process handles. */
export type DownloadFloorHandlers = typeof handlers;

/**
 * The minimal server for downloads: Node's HTTP server, which streams a file. No sign-in, no row of a document, no
 * parts.
 */
async function start({ paths }: { readonly paths: readonly string[] }): Promise<number> {
  const server = createServer((request, response) => {
    const path = paths[Number((request.url ?? '').slice(1))] ?? '';
    stat(path).then(
      ({ size }) => {
        response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': size });
        createReadStream(path, { highWaterMark: READ_BYTES }).pipe(response);
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const handlers = { start, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers);

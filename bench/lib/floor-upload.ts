import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { answerParent, type CpuUsage } from './child.ts';

/** The requests that the floor's process handles. */
export type UploadFloorHandlers = typeof handlers;

/**
 * The minimal server for chunked uploads: Node's HTTP server, which appends each body to a file and flushes the file to
 * disk once, with the last chunk. No sign-in, no state from which another process could continue, no hash.
 */
async function start({ folder }: { readonly folder: string }): Promise<number> {
  const server = createServer((request, response) => {
    take(request, join(folder, 'floor.bin')).then(
      () => response.writeHead(200, { 'Content-Length': 2 }).end('ok'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function take(request: IncomingMessage, path: string): Promise<void> {
  const isLast = request.url === '/last';
  await pipeline(request, createWriteStream(path, { flags: 'a' }));
  if (!isLast) return;
  const file = await open(path, 'r+');
  await file.sync();
  await file.close();
  await rm(path);
}

const handlers = { start, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers);

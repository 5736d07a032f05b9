import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long clients of a closing server may take to finish a request that they have begun, and to read its response. */
const CLIENT_MILLISECONDS_MAX = 5_000;
/** How often connections are checked during and after that time, as a part of it. */
const CHECKS = 10;

/** The request of a connection that is not answered yet. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Makes a closing server end connections that only wait for their client, so that no client can delay the stop: those
 * on which nothing was ever sent at once (browsers open them in advance), those with an incomplete request or with a
 * response that the client does not read after some seconds. Calls that run are finished and answered.
 */
export function closeWaitingConnections(app: FastifyInstance, millisecondsMax = CLIENT_MILLISECONDS_MAX): void {
  const open = new Map<Socket, Exchange | undefined>();
  app.server.on('connection', (socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  app.server.on('request', (request, response) => {
    const { socket } = request;
    open.set(socket, { request, response });
    response.once('close', () => {
      if (open.has(socket)) open.set(socket, undefined);
    });
  });
  let timer: NodeJS.Timeout | undefined;
  app.addHook('preClose', (done) => {
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    const end = performance.now() + millisecondsMax;
    timer = setInterval(() => {
      if (performance.now() < end) return;
      for (const [socket, exchange] of open) if (waitsForClient(exchange)) socket.destroy();
    }, millisecondsMax / CHECKS);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
}

function waitsForClient(exchange: Exchange | undefined): boolean {
  return !exchange?.request.complete || exchange.response.writableEnded;
}

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** A stream of which the first piece has been read. */
export interface StartedPieces {
  readonly first: IteratorResult<Uint8Array>;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** Reads the first piece of a stream, so that its failure is answered with an error and not with a broken response. */
export async function startPieces(pieces: AsyncIterable<Uint8Array>): Promise<StartedPieces> {
  const rest = pieces[Symbol.asyncIterator]();
  return { first: await rest.next(), rest };
}

/**
 * Sends the status and headers of the reply and then a stream, bypassing the framework. The next piece is requested
 * when the system has taken the present one, so that the source can use its memory again; through a stream of Node it
 * could not. If the source fails, or the caller leaves, the connection is closed.
 */
export function sendPieces(reply: FastifyReply, pieces: StartedPieces): void {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  writePieces(reply.raw, pieces).then(
    () => reply.raw.end(),
    () => reply.raw.destroy(),
  );
}

async function writePieces(response: ServerResponse, { first, rest }: StartedPieces): Promise<void> {
  const { socket } = response.req;
  let leave = (): void => undefined;
  const onClose = (): void => leave();
  socket.once('close', onClose);
  const write = (piece: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      // A response that waits for an earlier one of its connection gets no event when the connection closes.
      leave = () => reject(new Error('the connection was closed'));
      if (socket.destroyed) leave();
      else response.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  try {
    for (let piece = first; piece.done !== true; piece = await rest.next()) await write(piece.value);
  } finally {
    socket.off('close', onClose);
    await rest.return?.();
  }
}

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { atEnd } from '../at-end.ts';
import type { CleanUp } from '../database.ts';

/** How the next stream is treated instead of being scanned. */
export type ClamdMishap = 'die' | 'hang' | { readonly reply: string };

/** A program on this machine that speaks the protocol of clamd and finds the test file of EICAR. */
export interface ClamdPeer {
  /** `host:port`, or the path of its socket. */
  readonly address: string;
  /** The bytes of each stream that was received whole. */
  readonly streams: Buffer[];
  /** What happens to the next streams, in order. */
  readonly mishaps: ClamdMishap[];
  /** Streams are answered only while this is undefined, or after it resolves. */
  gate: Promise<void> | undefined;
  /** Streams that have begun, whole or not. */
  begun: number;
  /** Ends all connections and stops listening. */
  stop(): Promise<void>;
  /** Listens again at the same address. */
  start(): Promise<void>;
}

/** The limit of a stream, as `StreamMaxLength` of clamd. */
export const STREAM_BYTES_MAX = 3 * 1_048_576;
const SIGNATURE = 'Win.Test.EICAR_HDB-1';

/** Returns the test file that every scanner finds. Assembled, so that no file of the repository contains it. */
export function eicar(): Buffer {
  const parts = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', 'EICAR-STANDARD', 'ANTIVIRUS-TEST-FILE!', 'H+H*'];
  return Buffer.from(`${parts[0]}$${parts[1]}-${parts[2]}$${parts[3]}`);
}

/** Starts the peer on a free loopback port, or on a Unix socket. */
export async function startClamd(cleanUp: CleanUp, socketPath?: string): Promise<ClamdPeer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, peer);
  });
  let port = 0;
  const listen = (): Promise<void> =>
    new Promise((resolve) => {
      if (socketPath === undefined) server.listen(port, '127.0.0.1', resolve);
      else server.listen(socketPath, resolve);
    });
  await listen();
  if (socketPath === undefined) port = (server.address() as AddressInfo).port;
  const peer: ClamdPeer = {
    address: socketPath ?? `127.0.0.1:${port}`,
    streams: [],
    mishaps: [],
    gate: undefined,
    begun: 0,
    start: listen,
    async stop() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  atEnd(cleanUp, () => peer.stop());
  return peer;
}

/** Serves the one command of a connection. */
function serve(socket: Socket, peer: ClamdPeer): void {
  let received = Buffer.alloc(0);
  let stream: Buffer[] | undefined;
  let size = 0;
  const answer = (reply: string): void => void socket.end(`${reply}\0`);
  const takeCommand = (): void => {
    const end = received.indexOf(0);
    if (end < 0) return;
    const command = received.subarray(0, end).toString();
    received = received.subarray(end + 1);
    if (command === 'zINSTREAM') {
      stream = [];
      peer.begun++;
      if (peer.mishaps[0] === 'die') {
        peer.mishaps.shift();
        socket.destroy();
      }
    } else answer(command === 'zVERSION' ? 'ClamAV 1.4.1/27450/Mon Nov 23 09:00:00 2026' : 'UNKNOWN COMMAND');
  };
  const takeChunks = (chunks: Buffer[]): void => {
    while (received.length >= 4) {
      const length = received.readUInt32BE();
      if (length === 0) {
        void finish(Buffer.concat(chunks), peer, answer);
        return;
      }
      if (received.length < 4 + length) return;
      size += length;
      if (size > STREAM_BYTES_MAX) {
        stream = undefined;
        socket.removeAllListeners('data').resume();
        answer('INSTREAM size limit exceeded. ERROR');
        return;
      }
      chunks.push(received.subarray(4, 4 + length));
      received = received.subarray(4 + length);
    }
  };
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    if (!stream) takeCommand();
    if (stream) takeChunks(stream);
  });
}

async function finish(bytes: Buffer, peer: ClamdPeer, answer: (reply: string) => void): Promise<void> {
  const mishap = peer.mishaps.shift();
  if (mishap === 'hang') return;
  await peer.gate;
  peer.streams.push(bytes);
  if (typeof mishap === 'object') answer(mishap.reply);
  else answer(bytes.includes(eicar()) ? `stream: ${SIGNATURE} FOUND` : 'stream: OK');
}

/**
 * Sends the calls of tests over HTTP/1.1 and keeps the connections. A whole run makes very many calls, and Node's own
 * client takes 0.2 ms of the processor more for each.
 */
import { connect, type Socket } from 'node:net';

/** A response with its whole body. */
export interface CallResponse {
  readonly status: number;
  /** A copy. */
  readonly headers: Headers;
  readonly text: string;
}

/** A request. `headers`: names in lower case. */
export interface CallRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** Connections that wait for the next call, by host. They do not keep the process alive. */
const idle = new Map<string, Socket[]>();
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/** Sends a request and returns the response. Fails if the connection ends before the response does. */
export function exchange({ host, hostname, port, pathname, search }: URL, request: CallRequest): Promise<CallResponse> {
  const { method, headers, body } = request;
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  const socket = idle.get(host)?.pop() ?? opened(host, hostname, Number(port));
  return new Promise((resolve, reject) => {
    const response = new Response(method === 'HEAD');
    const finish = (how: () => void): void => {
      socket.off('data', onData).off('error', onError).off('close', onClose);
      how();
    };
    const onData = (bytes: Buffer): void => {
      response.add(bytes);
      if (!response.isComplete) return;
      finish(() => resolve(response));
      if (response.closes) socket.destroy();
      else release(host, socket);
    };
    const onError = (error: Error): void => finish(() => reject(error));
    const onClose = (): void =>
      finish(() => {
        if (response.endsWithConnection) resolve(response);
        else reject(new Error('the connection was closed before the response was complete'));
      });
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.ref();
    socket.write(body === undefined ? head : Buffer.concat([head, body]));
  });
}

function opened(host: string, hostname: string, port: number): Socket {
  const socket = connect({ host: hostname, port, noDelay: true });
  // An error between two calls; during one, its own listener reports it.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    const waiting = idle.get(host);
    if (waiting?.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
    if (waiting?.length === 0) idle.delete(host);
  });
  return socket;
}

function release(host: string, socket: Socket): void {
  socket.unref();
  const waiting = idle.get(host);
  if (waiting) waiting.push(socket);
  else idle.set(host, [socket]);
}

/** A response while it arrives. */
class Response implements CallResponse {
  status = 0;
  isComplete = false;
  /** Whether its end is that of the connection. */
  endsWithConnection = false;
  /** Whether no other call may follow on its connection. */
  closes = false;
  private readonly hasNoBody: boolean;
  private fields: readonly (readonly [string, string])[] = [];
  private rest: Buffer = Buffer.alloc(0);
  private readonly body: Buffer[] = [];
  /** Bytes of the body, or of its present chunk, that are still to come. */
  private missing = Number.POSITIVE_INFINITY;
  private isChunked = false;

  constructor(hasNoBody: boolean) {
    this.hasNoBody = hasNoBody;
  }

  get headers(): Headers {
    return new Headers(this.fields as [string, string][]);
  }

  get text(): string {
    return new TextDecoder().decode(this.body.length === 1 ? this.body[0] : Buffer.concat(this.body));
  }

  add(bytes: Buffer): void {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    while (this.status < 200) if (!this.takeHead()) return;
    if (this.isChunked) this.takeChunks();
    else this.take();
  }

  /** Takes the status line and the headers from what has arrived; returns whether all of them have. */
  private takeHead(): boolean {
    const end = this.rest.indexOf(HEAD_END);
    if (end === -1) return false;
    const [first = '', ...lines] = this.rest.toString('latin1', 0, end).split('\r\n');
    this.rest = this.rest.subarray(end + HEAD_END.length);
    this.status = Number(first.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.fields = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const field = (name: string): string | undefined =>
      this.fields.find(([known]) => known.toLowerCase() === name)?.[1].toLowerCase();
    const length = field('content-length');
    this.closes = field('connection') === 'close';
    this.isChunked = field('transfer-encoding') === 'chunked';
    if (this.hasNoBody || this.status === 204 || this.status === 304) {
      this.isChunked = false;
      this.missing = 0;
    } else if (this.isChunked) this.missing = 0;
    else if (length === undefined) this.endsWithConnection = true;
    else this.missing = Number(length);
    return true;
  }

  /** Takes as much of the body as has arrived. */
  private take(): void {
    const part = this.rest.subarray(0, this.missing);
    if (part.length > 0) this.body.push(part);
    this.rest = this.rest.subarray(part.length);
    this.missing -= part.length;
    if (!this.isChunked && this.missing === 0) this.isComplete = true;
  }

  /** Takes the chunks that have arrived; each has its length before it and a line end after it. */
  private takeChunks(): void {
    for (;;) {
      this.take();
      if (this.missing > 0) return;
      const from = this.body.length > 0 && this.rest.indexOf(LINE_END) === 0 ? LINE_END.length : 0;
      const end = this.rest.indexOf(LINE_END, from);
      if (end === -1) return;
      this.missing = Number.parseInt(this.rest.toString('latin1', from, end), 16);
      // No server of tests sends trailers: an empty line follows the last chunk.
      if (this.missing === 0) {
        this.isComplete = this.rest.length >= end + HEAD_END.length;
        return;
      }
      this.rest = this.rest.subarray(end + LINE_END.length);
    }
  }
}

import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';

/** A message of the DevTools protocol: an answer with the `id` of its command, or an event. */
interface DevToolsMessage {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

interface PendingCommand {
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: Error) => void;
}

/** Receives the events of one session. */
export type EventListener = (method: string, params: Readonly<Record<string, unknown>>) => void;

/** Sends commands of the DevTools protocol to Chromium through two pipes. Messages end with a NUL character. */
export class DevTools {
  private readonly output: Writable;
  private readonly pending = new Map<number, PendingCommand>();
  private readonly listeners = new Map<string, EventListener>();
  private readonly decoder = new StringDecoder('utf8');
  private pieces: string[] = [];
  private lastId = 0;
  private ended: Error | undefined;

  constructor(output: Writable, input: Readable) {
    this.output = output;
    output.on('error', (error) => this.end(error));
    input.on('error', (error) => this.end(error));
    input.on('data', (bytes: Buffer) => this.receive(this.decoder.write(bytes)));
    input.on('close', () => this.end(new Error('Chromium has ended')));
  }

  /** Sends a command, to a session or to the browser. Throws what the browser answers, or if it ends. */
  async send(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    sessionId?: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (this.ended) throw this.ended;
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.output.write(
        `${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
      );
    });
  }

  /** Passes the events of a session on until {@link unlisten}. */
  listen(sessionId: string, listener: EventListener): void {
    this.listeners.set(sessionId, listener);
  }

  unlisten(sessionId: string): void {
    this.listeners.delete(sessionId);
  }

  /** Rejects all commands that wait for an answer. */
  end(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.pending.values()) reject(this.ended);
    this.pending.clear();
  }

  private receive(text: string): void {
    const parts = text.split('\0');
    const rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = this.pieces.join('') + part;
      this.pieces = [];
      this.dispatch(JSON.parse(message) as DevToolsMessage);
    }
    if (rest !== '') this.pieces.push(rest);
  }

  private dispatch({ id, sessionId = '', method, params = {}, result = {}, error }: DevToolsMessage): void {
    if (id === undefined) {
      if (method !== undefined) this.listeners.get(sessionId)?.(method, params);
      return;
    }
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }
}

/** What a stream of server-sent events says. */
export interface StreamEvents {
  /** Names of topics that have changed. */
  changed(names: readonly string[], at: number): void;
  /** Anything may have changed. */
  allChanged(): void;
  /** The line works again, or has been down for a moment. */
  connection(state: ConnectionState): void;
}

/** `ended`: the user is signed out; nothing is tried again. */
export type ConnectionState = 'up' | 'down' | 'ended';

const FIRST_WAIT_MILLISECONDS = 1_000;
const WAIT_MILLISECONDS_MAX = 30_000;
/** The server shows that it is alive every 15 seconds. */
const SILENCE_MILLISECONDS_MAX = 40_000;
/** Failures until the page says so: a server that restarts is back sooner. */
const SILENT_FAILURES = 2;

/** The connection of all tabs to `/live`. It tries again with growing waits, and continues where it was. */
export class LiveStream {
  private readonly events: StreamEvents;
  private topics: readonly string[] = [];
  private since: string | undefined;
  private controller: AbortController | undefined;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(events: StreamEvents) {
    this.events = events;
  }

  /** Listens to other topics, from a position if it is before that of the stream. */
  listen(topics: readonly string[], since: string | undefined): void {
    this.topics = topics;
    if (since !== undefined && (this.since === undefined || timeOf(since) < timeOf(this.since))) this.since = since;
    this.open();
  }

  /** Tries at once: the network is back. */
  retry(): void {
    if (this.failures > 0) this.open();
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.controller?.abort();
    this.controller = undefined;
  }

  private open(): void {
    this.close();
    if (this.topics.length === 0) return;
    const controller = new AbortController();
    this.controller = controller;
    void this.read(controller).then((isFinal) => {
      if (controller !== this.controller) return;
      if (isFinal) this.events.connection('ended');
      else this.fail();
    });
  }

  private fail(): void {
    this.failures++;
    if (this.failures >= SILENT_FAILURES) this.events.connection('down');
    const wait = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (this.failures - 1), WAIT_MILLISECONDS_MAX);
    // Tabs of many users do not all come back in the same moment.
    const [random = 0] = crypto.getRandomValues(new Uint8Array(1));
    this.timer = setTimeout(() => this.open(), wait * (0.5 + random / 512));
  }

  /** Reads until the response ends. Returns whether the session has ended. */
  private async read(controller: AbortController): Promise<boolean> {
    const query = new URLSearchParams({ Topics: this.topics.join(',') });
    if (this.since !== undefined) query.set('Since', this.since);
    try {
      this.expectNews(controller);
      const response = await fetch(`/live?${query.toString()}`, {
        headers: { Accept: 'text/event-stream' },
        cache: 'no-store',
        signal: controller.signal,
      });
      if (response.status === 401) return true;
      if (!response.ok || !response.body) return false;
      if (this.failures > 0) this.events.connection('up');
      this.failures = 0;
      const isContinued = this.since !== undefined;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return false;
        this.expectNews(controller);
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) if (this.take(block, isContinued)) return true;
      }
    } catch {
      return false;
    }
  }

  /** Takes one event. Returns whether the session has ended. */
  private take(block: string, isContinued: boolean): boolean {
    const { id, event, data } = fieldsOf(block);
    if (id !== undefined) this.since = id;
    // Without a position, what happened between the page and the stream is unknown.
    if (event === 'all' || (event === 'ready' && !isContinued)) this.events.allChanged();
    if (event === 'changed') this.events.changed(JSON.parse(data ?? '[]') as string[], timeOf(id ?? ''));
    return event === 'end' && (JSON.parse(data ?? '{}') as { reason?: string }).reason === 'session';
  }

  /** Ends a connection on which nothing has come for too long: networks lose connections silently. */
  private expectNews(controller: AbortController): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => controller.abort(), SILENCE_MILLISECONDS_MAX);
  }
}

function fieldsOf(block: string): { readonly id?: string; readonly event?: string; readonly data?: string } {
  return Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^(id|event|data): (.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns the server's time in an event's id, in milliseconds; 0 without one. */
export function timeOf(id: string): number {
  return Number(/^\d+/.exec(id)?.[0] ?? 0);
}

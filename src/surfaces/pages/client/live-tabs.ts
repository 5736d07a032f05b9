import { LiveStream, timeOf, type ConnectionState } from './live-stream.ts';

/** What a tab listens to: topics, and the position of its page. */
export interface TabTopics {
  readonly topics: readonly string[];
  readonly since: string | undefined;
}

/** Messages between tabs. */
type TabMessage =
  | ({ readonly kind: 'listen'; readonly tab: string } & TabTopics)
  | { readonly kind: 'leave'; readonly tab: string }
  | { readonly kind: 'ask' }
  | { readonly kind: 'changed'; readonly names: readonly string[] }
  | { readonly kind: 'all'; readonly tab?: string }
  | { readonly kind: 'connection'; readonly state: ConnectionState };

/** Where a tab gets its news. */
export interface TabEvents {
  changed(names: readonly string[]): void;
  allChanged(): void;
  connection(state: ConnectionState): void;
}

const NAME = 'casewright-live';
/** News that a tab may have missed between its page and its first message. */
const REMEMBERED_MAX = 100;
/** How often the leader finds out which tabs are still there: one that crashed does not say so. */
const ASK_MILLISECONDS = 60_000;
/** Topics of several tabs are collected for a moment before the stream is opened anew. */
const COLLECT_MILLISECONDS = 60;

/**
 * All tabs of a browser share one stream, because a browser opens only six connections to a server: the tab that holds
 * a lock has it, and passes news on. When it closes, another gets the lock.
 */
export class LiveTabs {
  private readonly tab = crypto.randomUUID();
  private readonly channel = new BroadcastChannel(NAME);
  private readonly events: TabEvents;
  private own: TabTopics = { topics: [], since: undefined };
  private leader: Leader | undefined;

  constructor(events: TabEvents) {
    this.events = events;
    this.channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => this.receive(data));
  }

  /** Starts to compete for the stream. Ends with `signal`, when the page is left. */
  start(signal: AbortSignal): void {
    const lead = (): Promise<void> =>
      new Promise((resolve) => {
        this.leader = new Leader((message) => this.publish(message));
        this.leader.take(this.tab, this.own);
        this.channel.postMessage({ kind: 'ask' } satisfies TabMessage);
        signal.addEventListener('abort', () => {
          this.leader?.stop();
          this.leader = undefined;
          resolve();
        });
      });
    navigator.locks.request(NAME, { signal }, lead).catch(() => undefined);
    signal.addEventListener('abort', () => {
      this.channel.postMessage({ kind: 'leave', tab: this.tab } satisfies TabMessage);
      this.channel.close();
    });
  }

  /** Listens to these topics from now on. */
  listen(own: TabTopics): void {
    this.own = own;
    if (this.leader) this.leader.take(this.tab, own);
    else this.channel.postMessage({ kind: 'listen', tab: this.tab, ...own } satisfies TabMessage);
  }

  /** Tries again at once. */
  retry(): void {
    this.leader?.retry();
  }

  private publish(message: TabMessage): void {
    this.channel.postMessage(message);
    this.receive(message);
  }

  private receive(message: TabMessage): void {
    switch (message.kind) {
      case 'listen':
        return this.leader?.take(message.tab, message);
      case 'leave':
        return this.leader?.drop(message.tab);
      case 'ask':
        return this.leader ? undefined : this.listen(this.own);
      case 'changed':
        return this.events.changed(message.names);
      case 'all':
        return message.tab === undefined || message.tab === this.tab ? this.events.allChanged() : undefined;
      case 'connection':
        return this.events.connection(message.state);
    }
  }
}

/** The stream, and which tab listens to what. */
class Leader {
  private readonly publish: (message: TabMessage) => void;
  private readonly stream: LiveStream;
  private tabs = new Map<string, TabTopics>();
  private readonly news: { readonly names: readonly string[]; readonly at: number }[] = [];
  private open = new Set<string>();
  private since: string | undefined;
  private collecting: ReturnType<typeof setTimeout> | undefined;
  private readonly asking: ReturnType<typeof setInterval>;
  private startedAt: number | undefined;

  constructor(publish: (message: TabMessage) => void) {
    this.publish = publish;
    this.stream = new LiveStream({
      changed: (names, at) => {
        this.news.push({ names, at });
        if (this.news.length > REMEMBERED_MAX) this.startedAt = this.news.shift()?.at;
        publish({ kind: 'changed', names });
      },
      allChanged: () => publish({ kind: 'all' }),
      connection: (state) => publish({ kind: 'connection', state }),
    });
    this.asking = setInterval(() => {
      this.tabs = new Map();
      publish({ kind: 'ask' });
      this.collect();
    }, ASK_MILLISECONDS);
  }

  take(tab: string, of: TabTopics): void {
    const isNew = !this.tabs.has(tab);
    this.tabs.set(tab, of);
    if (of.topics.some((topic) => !this.open.has(topic))) this.begin(of.since);
    else if (isNew) this.repeat(tab, of);
  }

  drop(tab: string): void {
    this.tabs.delete(tab);
    this.collect();
  }

  retry(): void {
    this.stream.retry();
  }

  stop(): void {
    clearInterval(this.asking);
    clearTimeout(this.collecting);
    this.stream.close();
  }

  /** Repeats to a tab what came after its page was made and before it listened. */
  private repeat(tab: string, { topics, since }: TabTopics): void {
    const at = timeOf(since ?? '');
    const isKnown = since !== undefined && this.startedAt !== undefined && at >= this.startedAt;
    const names = this.news.filter((news) => news.at >= at).flatMap((news) => news.names);
    if (!isKnown) this.publish({ kind: 'all', tab });
    else if (names.some((name) => topics.includes(name))) this.publish({ kind: 'changed', names });
  }

  private begin(since: string | undefined): void {
    if (since !== undefined && (this.since === undefined || timeOf(since) < timeOf(this.since))) this.since = since;
    this.collect();
  }

  /** Opens the stream with the topics of all tabs, if they have become others. */
  private collect(): void {
    clearTimeout(this.collecting);
    this.collecting = setTimeout(() => {
      const all = new Set([...this.tabs.values()].flatMap(({ topics }) => topics));
      if (all.size === this.open.size && [...all].every((topic) => this.open.has(topic))) return;
      this.open = all;
      this.startedAt ??= timeOf(this.since ?? '') || undefined;
      this.stream.listen([...all].sort(), this.since);
      this.since = undefined;
    }, COLLECT_MILLISECONDS);
  }
}

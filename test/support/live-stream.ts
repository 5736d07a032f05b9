import { eventually } from './eventually.ts';

/** An event of a live stream. */
export interface LiveEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** A browser's connection to `/live`. */
export interface LiveStream {
  readonly status: number;
  /** Everything received so far. */
  readonly events: readonly LiveEvent[];
  /** The id of the last event. */
  lastId(): string | undefined;
  /** The names of changed topics received so far. */
  changed(): string[];
  /** Resolves with the first event of a kind. */
  first(event: string): Promise<LiveEvent>;
  /** Whether the server has ended the response. */
  hasEnded(): boolean;
  close(): void;
}

/** Opens a stream as a browser of a session does. Resolves with its first event, or with the status of a refusal. */
export async function openLive(
  url: string,
  cookie: string,
  topics: string,
  more: { readonly since?: string | undefined; readonly headers?: Record<string, string> } = {},
): Promise<LiveStream> {
  const controller = new AbortController();
  const query = new URLSearchParams({ Topics: topics, ...(more.since === undefined ? {} : { Since: more.since }) });
  const response = await fetch(`${url}/live?${query.toString()}`, {
    headers: { Cookie: cookie, ...more.headers },
    signal: controller.signal,
  });
  const events: LiveEvent[] = [];
  const state = { id: undefined as string | undefined, hasEnded: false };
  const reading = response.status === 200 ? read(response, events, state) : response.text();
  reading.catch(() => undefined);
  const first = (event: string): Promise<LiveEvent> =>
    eventually(`the event ${event}`, () => events.find((each) => each.event === event));
  if (response.status === 200) await first('ready');
  return {
    status: response.status,
    events,
    lastId: () => state.id,
    changed: () => events.filter(({ event }) => event === 'changed').flatMap(({ data }) => data as string[]),
    first,
    hasEnded: () => state.hasEnded,
    close: () => controller.abort(),
  };
}

async function read(
  response: Response,
  events: LiveEvent[],
  state: { id: string | undefined; hasEnded: boolean },
): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
      rest += decoder.decode(bytes, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
        state.id = fields.get('id') ?? state.id;
        const event = fields.get('event');
        if (event !== undefined)
          events.push({ event, id: fields.get('id'), data: JSON.parse(fields.get('data') ?? 'null') as unknown });
      }
    }
  } finally {
    state.hasEnded = true;
  }
}

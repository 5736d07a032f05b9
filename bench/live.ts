import type { BenchOptions } from './run.ts';
import { prepareRows, shownCases, type ShownCases } from './console/console-rows.ts';
import { readerOf } from './console/reader.ts';
import { startHttpBench, type HttpBench } from './lib/http.ts';
import { signIn } from './lib/sign-in.ts';

const ROWS = 20_000;
const VIEWS = 1_000;
const STREAMS = 200;
/** A process has at most eight streams of a user. */
const STREAMS_OF_USER = 8;
const CHANGES = 30;
/** Demanded at most: of memory that the views and the streams add, and until the last stream has a change. */
const MEGABYTES_MAX = 250;
const FAN_OUT_MILLISECONDS_MAX = 1_000;

/** Open streams that listen to one case. */
interface Streams {
  /** Resolves when all have been sent an event since the last call. */
  changed(): Promise<undefined>;
  end(): void;
}

/**
 * What live pages cost a server: the memory of a process after 1,000 views of pages and with 200 open streams, and how
 * long a change takes to all of 200 streams of two processes, from the answer of the call that made it.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const http = await startHttpBench(options.profile, undefined, options.data);
  try {
    await prepareRows(http, options.rows ?? ROWS);
    const shown = await shownCases(http);
    const cookies = await signInUsers(http, Math.ceil(STREAMS / STREAMS_OF_USER));
    const atStart = await http.memory();
    await viewPages(http, cookies[0] ?? '', shown);
    const afterViews = await http.memory();
    const id = shown.busy[0] ?? 1;
    const alone = await openStreams([http.origin], cookies, id);
    const withStreams = await http.memory();
    alone.end();
    options.print(memoryLine(atStart, afterViews, withStreams));
    const second = await http.startSecond();
    const spread = await openStreams([http.origin, second.origin], cookies, id);
    const times: number[] = [];
    for (let n = 0; n < CHANGES; n++) {
      const all = spread.changed();
      await http.call(http.staffKey, '/api/foreclosure/save?Output=Json', { ID: id, SaleAmount: 100_000 + n });
      const began = performance.now();
      await all;
      times.push(performance.now() - began);
    }
    spread.end();
    options.print(fanOutLine(times.toSorted((a, b) => a - b)));
  } finally {
    await http.stop();
  }
}

async function signInUsers(http: HttpBench, users: number): Promise<readonly string[]> {
  const cookies: string[] = [];
  for (let n = 1; n <= users; n++)
    cookies.push((await signIn(http, { name: `bench listener ${n}`, roles: 'Staff' })).cookie);
  return cookies;
}

/** Views lists, cases and Home in turn. */
async function viewPages(http: HttpBench, cookie: string, { busy }: ShownCases): Promise<void> {
  const reader = await readerOf(http, cookie);
  for (let n = 0; n < VIEWS; n++) {
    const paths = ['/cases', `/case/foreclosure/${busy[n % busy.length] ?? 1}`, '/', '/tasks'];
    await reader.get(paths[n % paths.length] ?? '/', '<main');
  }
}

/** Opens all streams, in turn at each server, and waits until each is ready. */
async function openStreams(origins: readonly string[], cookies: readonly string[], id: number): Promise<Streams> {
  const abort = new AbortController();
  let waiting = new Set<number>();
  let done = Promise.withResolvers<undefined>();
  const noteEvent = (n: number): void => {
    waiting.delete(n);
    if (waiting.size === 0) done.resolve(undefined);
  };
  await Promise.all(
    Array.from({ length: STREAMS }, async (_, n) => {
      const answer = await fetch(`${origins[n % origins.length] ?? ''}/live?Topics=foreclosure/${id}`, {
        headers: { Cookie: cookies[Math.floor(n / STREAMS_OF_USER)] ?? '', Accept: 'text/event-stream' },
        signal: abort.signal,
      });
      if (answer.status !== 200 || !answer.body) throw new Error(`/live answered ${answer.status}`);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      await reader.read();
      void readEvents(reader, () => {
        noteEvent(n);
      });
    }),
  );
  return {
    changed() {
      waiting = new Set(Array.from({ length: STREAMS }, (_, n) => n));
      done = Promise.withResolvers();
      return done.promise;
    },
    end() {
      abort.abort();
    },
  };
}

/** Reads a stream until it ends. */
async function readEvents(reader: ReadableStreamDefaultReader<string>, noteChange: () => void): Promise<void> {
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      if (part.value.includes('event: changed')) noteChange();
  } catch {
    // The benchmark has ended the stream.
  }
}

function memoryLine(atStart: number, afterViews: number, withStreams: number): string {
  const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0);
  const isMet = withStreams - atStart <= MEGABYTES_MAX * 1_048_576;
  const each = ((withStreams - afterViews) / STREAMS / 1_024).toFixed(0);
  return (
    `live: memory ${megabytes(atStart)} MB at the start, ${megabytes(afterViews)} MB after ${VIEWS} views, ` +
    `${megabytes(withStreams)} MB with ${STREAMS} streams (${each} KB each)  ` +
    `demanded <= ${MEGABYTES_MAX} MB more: ${isMet ? 'met' : 'MISSED'}`
  );
}

function fanOutLine(sorted: readonly number[]): string {
  const late = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return (
    `live: a change reaches all ${STREAMS} streams of two processes after ` +
    `${(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN).toFixed(0)} ms (median of ${sorted.length}), ` +
    `p95 ${late.toFixed(0)} ms  demanded <= ${FAN_OUT_MILLISECONDS_MAX}: ` +
    (late <= FAN_OUT_MILLISECONDS_MAX ? 'met' : 'MISSED')
  );
}

import type { RowNamed } from '../../../kernel/declare/catalog.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import type { Platform } from '../../../kernel/ports/platform.ts';
import { Cache } from '../../../kernel/time/cache.ts';
import { groupDigits } from '../display-values.ts';
import { plural } from '../due-words.ts';
import type { PageCall } from '../page-call.ts';
import type { PlaceName } from './places.ts';

/** A number beside an entry of the sidebar. */
export interface PlaceCount {
  /** "23", "1,000+", "2 failed". */
  readonly text: string;
  /** What it counts, for people who do not see its position. */
  readonly what: string;
  readonly tone?: 'late';
}

/** Numbers of the sidebar: of places by name, of pinned views by id. */
interface SidebarCounts {
  readonly places: Readonly<Partial<Record<PlaceName, PlaceCount>>>;
  readonly views: ReadonlyMap<number, PlaceCount>;
}

/** What the sidebar shows besides its places. */
export interface SidebarParts {
  readonly counts: SidebarCounts['places'];
  readonly pins: readonly RowNamed<'View'>[];
  readonly viewCounts: SidebarCounts['views'];
  /** Whether the numbers are current; otherwise the page's script fetches them once the page is shown. */
  readonly isFresh: boolean;
}

/** The sidebar without numbers and views. */
export const noParts: SidebarParts = {
  counts: {},
  pins: [],
  viewCounts: new Map(),
  isFresh: true,
};

/** Numbers up to this age are shown without being counted again. */
const FRESH_MILLISECONDS = 20_000;
/** Numbers of this age are shown until new ones are there; older ones are not shown. */
const KNOWN_MILLISECONDS = 10 * 60_000;
/** Most users whose numbers a process remembers. */
const USERS_MAX = 2_000;
/** Days for which failed imports are counted, as on the home page. */
const FAILED_DAYS = 14;
const FAILED_MAX = 99;
/** Most unread conversations that the operation counts. */
const UNREAD_MAX = 100;

interface KnownCounts extends SidebarCounts {
  readonly at: number;
}

const caches = new WeakMap<Platform, Cache<number, KnownCounts>>();

function knownCounts({ platform }: PageCall): Cache<number, KnownCounts> {
  const known = caches.get(platform);
  if (known) return known;
  const made = new Cache<number, KnownCounts>({
    max: USERS_MAX,
    age: { clock: platform.clock, milliseconds: KNOWN_MILLISECONDS },
  });
  caches.set(platform, made);
  return made;
}

/**
 * Returns what the sidebar shows. Nothing is counted while a page is rendered: numbers are those of the last time, and
 * the page's script fetches new ones if they are old. A sidebar without views is better than no page.
 */
export async function loadSidebar(call: PageCall): Promise<SidebarParts> {
  if (call.user.mustChangePassword) return noParts;
  const pins = await readPins(call);
  const known = knownCounts(call).get(call.user.personId);
  const isFresh =
    known !== undefined &&
    call.platform.clock.milliseconds() - known.at < FRESH_MILLISECONDS &&
    pins.every(({ ViewID }) => known.views.has(ViewID));
  return {
    counts: known?.places ?? {},
    pins,
    viewCounts: known?.views ?? new Map(),
    isFresh,
  };
}

/** Counts what the sidebar shows, and remembers it. */
export async function countSidebar(call: PageCall): Promise<SidebarParts> {
  const [pins, work, messages, imports] = await Promise.all([
    readPins(call),
    countWork(call),
    countUnread(call),
    countFailedImports(call),
  ]);
  const views = await countPins(call, pins);
  const places = { ...(work && { work }), ...(messages && { messages }), ...(imports && { imports }) };
  knownCounts(call).set(call.user.personId, { places, views, at: call.platform.clock.milliseconds() });
  return { counts: places, pins, viewCounts: views, isFresh: true };
}

/** Returns the topics whose changes may change the numbers. */
export function liveTopics(call: PageCall, { pins }: SidebarParts): string {
  const types = pins.flatMap(({ RecordType }) => call.platform.registry.record(RecordType)?.root.module ?? []);
  const mail = call.may('message/search') ? ['message'] : [];
  return [...new Set(['me/smartworklistmember', ...mail, ...types.map(countedTopic)])].join(' ');
}

/** Summaries of cases change when their cases do. */
function countedTopic(module: string): string {
  return module === 'casesummary' ? 'process' : module;
}

async function readPins(call: PageCall): Promise<readonly RowNamed<'View'>[]> {
  return (await orNothing(call, async () => (await call.call('view/pinned', {})).answer.rows)) ?? [];
}

async function countPins(call: PageCall, pins: SidebarParts['pins']): Promise<SidebarCounts['views']> {
  if (pins.length === 0) return new Map();
  const counted = await orNothing(call, async () => {
    const { answer } = await call.call('view/counts', { ID: pins.map(({ ViewID }) => String(ViewID)) });
    return answer.rows;
  });
  const none: (readonly [number, PlaceCount])[] = pins.map(({ ViewID }) => [ViewID, { text: '', what: '' }]);
  const known = (counted ?? []).map(({ ViewID, Count, IsMore }): readonly [number, PlaceCount] => [
    ViewID,
    { text: groupDigits(String(Count)) + (IsMore ? '+' : ''), what: 'records' },
  ]);
  return new Map([...none, ...known]);
}

/** Counts the items that the user may get and that are due by today. */
async function countWork(call: PageCall): Promise<PlaceCount | undefined> {
  if (!call.may('smartworklistmember/next')) return undefined;
  return orNothing(call, async () => {
    const { Overdue, DueToday } = (await call.call('smartworklistmember/workload', {})).answer.row;
    const count = Overdue + DueToday;
    return count === 0 ? undefined : { text: String(count), what: 'due by today' };
  });
}

/** Counts the conversations of the user's inbox with unread mail. */
async function countUnread(call: PageCall): Promise<PlaceCount | undefined> {
  if (!call.may('inbox/unread')) return undefined;
  return orNothing(call, async () => {
    const { Unread } = (await call.call('inbox/unread', {})).answer.row;
    if (Unread === 0) return undefined;
    return { text: Unread >= UNREAD_MAX ? `${UNREAD_MAX - 1}+` : String(Unread), what: 'unread' };
  });
}

async function countFailedImports(call: PageCall): Promise<PlaceCount | undefined> {
  if (!call.may('importfile/search') || !call.may('importfile/import')) return undefined;
  return orNothing(call, async () => {
    const since = new Date(call.platform.clock.milliseconds() - FAILED_DAYS * 86_400_000).toISOString();
    const { answer } = await call.call('importfile/search', {
      SqlFilters: 'Listed,Failed',
      CreatedDate: `>= ${since}`,
      SqlColumns: 'ImportFileID',
      DisplaySize: FAILED_MAX + 1,
      RecordCount: 'false',
    });
    const count = answer.rows.length;
    if (count === 0) return undefined;
    return {
      text: `${count > FAILED_MAX ? `${FAILED_MAX}+` : count} failed`,
      what: plural(count, 'import'),
      tone: 'late',
    };
  });
}

/** Returns undefined if something could not be read, and logs why. */
async function orNothing<T>(call: PageCall, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500)
      call.platform.log.error('part of the sidebar', { correlationId: call.correlationId, error: String(error) });
    return undefined;
  }
}

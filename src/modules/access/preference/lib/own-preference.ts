import type { Context } from '../../../../kernel/door/context.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { splitCommaList } from '../../../../kernel/parameters/split-list.ts';
import { defaultPreferences, type Preferences } from '../../../../kernel/security/preferences.ts';
import { notificationKinds } from '../../public/notification-kinds.ts';

/** Stored preferences; null where the user has chosen nothing. */
export interface StoredPreference {
  readonly Theme: Preferences['theme'] | null;
  readonly Density: Preferences['density'] | null;
  readonly Sidebar: Preferences['sidebar'] | null;
  readonly Shortcuts: boolean | null;
  readonly TimeZone: string | null;
  readonly StartPage: Preferences['startPage'] | null;
  readonly MutedKinds: string | null;
  readonly PinnedViews: string | null;
}

const NONE: StoredPreference = {
  Theme: null,
  Density: null,
  Sidebar: null,
  Shortcuts: null,
  TimeZone: null,
  StartPage: null,
  MutedKinds: null,
  PinnedViews: null,
};

/** Returns what the calling user has chosen. */
export async function readOwnPreference(ctx: Context): Promise<StoredPreference> {
  const [row] = await ctx.transaction().elevated((db) =>
    db.query<StoredPreference>(
      `select theme as "Theme", density as "Density", sidebar as "Sidebar", shortcuts as "Shortcuts",
         timezone as "TimeZone", startpage as "StartPage", mutedkinds as "MutedKinds",
         pinnedviews as "PinnedViews"
       from preference where personid = $1::bigint`,
      [ctx.user.personId],
    ),
  );
  return row ?? NONE;
}

/** Stores what the calling user has chosen. */
export async function writeOwnPreference(ctx: Context, chosen: StoredPreference): Promise<void> {
  const { Theme, Density, Sidebar, Shortcuts, TimeZone, StartPage, MutedKinds, PinnedViews } = chosen;
  await ctx.transaction().elevated((db) =>
    db.query(
      `insert into preference as p (personid, theme, density, sidebar, shortcuts, timezone, startpage, mutedkinds,
         pinnedviews, createddate, createdpersonid, updateddate, updatedpersonid)
       values ($1::bigint, $2::text, $3::text, $4::text, $5::boolean, $6::text, $7::text, $8::text, $9::text,
         $10::timestamptz, $1::bigint, $10::timestamptz, $1::bigint)
       on conflict (personid) do update set theme = excluded.theme, density = excluded.density,
         sidebar = excluded.sidebar, shortcuts = excluded.shortcuts, timezone = excluded.timezone,
         startpage = excluded.startpage, mutedkinds = excluded.mutedkinds,
         pinnedviews = excluded.pinnedviews, updateddate = excluded.updateddate,
         updatedpersonid = excluded.updatedpersonid, version = p.version + 1
       where (p.theme, p.density, p.sidebar, p.shortcuts, p.timezone, p.startpage, p.mutedkinds, p.pinnedviews)
         is distinct from
         (excluded.theme, excluded.density, excluded.sidebar, excluded.shortcuts, excluded.timezone,
          excluded.startpage, excluded.mutedkinds, excluded.pinnedviews)`,
      [
        ctx.user.personId,
        Theme,
        Density,
        Sidebar,
        Shortcuts,
        TimeZone,
        StartPage,
        MutedKinds,
        PinnedViews,
        ctx.clock.now(),
      ],
    ),
  );
}

/** @throws BAD_PARAMETER for an unknown time zone or kind of notification, or for pinned views that are no IDs */
export function assertPreference({ TimeZone, MutedKinds, PinnedViews }: Partial<StoredPreference>): void {
  if (!/^(?:-?[1-9]\d{0,14}(?:,(?!$)|$))*$/.test(PinnedViews ?? ''))
    throw bad('PinnedViews', 'IDs of views, comma-separated, those that are left out with a minus');
  if (TimeZone !== null && TimeZone !== undefined && !isTimeZone(TimeZone))
    throw bad('TimeZone', 'an IANA name such as America/Chicago');
  const known: readonly string[] = notificationKinds;
  if (splitCommaList(MutedKinds ?? '').some((kind) => !known.includes(kind)))
    throw bad('MutedKinds', `names of kinds: ${known.join(', ')}`);
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Returns the preferences that pages apply. */
export function preferencesOf(stored: Omit<StoredPreference, 'MutedKinds'>): Preferences {
  return {
    theme: stored.Theme ?? defaultPreferences.theme,
    density: stored.Density ?? defaultPreferences.density,
    sidebar: stored.Sidebar ?? defaultPreferences.sidebar,
    shortcuts: stored.Shortcuts ?? defaultPreferences.shortcuts,
    timeZone: stored.TimeZone,
    startPage: stored.StartPage ?? defaultPreferences.startPage,
    pinnedViews: stored.PinnedViews,
  };
}

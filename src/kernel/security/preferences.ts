/** How the console looks and behaves for a user. */
export interface Preferences {
  /** `System`: as the computer decides. */
  readonly theme: 'System' | 'Light' | 'Dark' | 'Contrast';
  readonly density: 'Compact' | 'Comfortable';
  readonly sidebar: 'Expanded' | 'Collapsed';
  /** Whether single keys press what declares them. */
  readonly shortcuts: boolean;
  /** The zone in which times are shown, an IANA name; null: the installation's. */
  readonly timeZone: string | null;
  /** Where the user begins after signing in. */
  readonly startPage: 'Home' | 'Work' | 'Cases' | 'Team';
  /** Views in the sidebar, as `view/pin` stores them; null: those that are pinned for all who see them. */
  readonly pinnedViews: string | null;
}

/** The preferences of a user who has chosen nothing. */
export const defaultPreferences: Preferences = {
  theme: 'System',
  density: 'Compact',
  sidebar: 'Expanded',
  shortcuts: true,
  timeZone: null,
  startPage: 'Home',
  pinnedViews: null,
};

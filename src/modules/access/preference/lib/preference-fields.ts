import { f } from '../../../../kernel/declare/field.ts';

/** The fields of preferences, as records, parameters and answers have them. */
export const preferenceFields = {
  Theme: f.choice(['System', 'Light', 'Dark', 'Contrast'], {
    doc: 'The colors. `System`: as the computer decides.',
    valueLabels: { System: 'Same as this computer', Contrast: 'High contrast' },
  }),
  Density: f.choice(['Compact', 'Comfortable'], { doc: 'The height of rows.' }),
  Sidebar: f.choice(['Expanded', 'Collapsed'], { doc: 'Whether the sidebar shows names or icons only.' }),
  Shortcuts: f.boolean({ doc: 'Whether single letters press buttons.', label: 'Single-letter keyboard shortcuts' }),
  TimeZone: f.text({
    doc: "The zone in which times are shown, an IANA name. Empty: the installation's.",
    max: 60,
    exact: true,
  }),
  StartPage: f.choice(['Home', 'Work', 'Cases', 'Team'], {
    doc: 'Where the user begins after signing in.',
    valueLabels: { Work: 'My work' },
  }),
  MutedKinds: f.text({
    doc: 'Kinds of notifications that the user does not get, comma-separated.',
    max: 500,
    exact: true,
    label: 'Muted notifications',
  }),
  PinnedViews: f.text({
    doc:
      'Views in the sidebar in their order: their IDs, comma-separated. With a minus: a view that is pinned for all ' +
      'who see it, and that the user has unpinned. `view/pin` changes it.',
    max: 1000,
    exact: true,
    label: 'Pinned views',
  }),
};

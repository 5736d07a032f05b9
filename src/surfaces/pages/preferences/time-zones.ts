import type { Choice } from '../design/field.ts';

/** The zones of the United States, which are offered first, by the names that people know. */
const common: readonly Choice[] = [
  { value: 'America/New_York', text: 'Eastern' },
  { value: 'America/Chicago', text: 'Central' },
  { value: 'America/Denver', text: 'Mountain' },
  { value: 'America/Phoenix', text: 'Arizona' },
  { value: 'America/Los_Angeles', text: 'Pacific' },
  { value: 'America/Anchorage', text: 'Alaska' },
  { value: 'Pacific/Honolulu', text: 'Hawaii' },
  { value: 'America/Puerto_Rico', text: 'Puerto Rico' },
];

let choices: readonly Choice[] | undefined;

/** Returns all time zones that this server knows: those of the United States first, the others by name. */
export function zoneChoices(): readonly Choice[] {
  const known = new Set(common.map(({ value }) => value));
  choices ??= [
    ...common,
    ...Intl.supportedValuesOf('timeZone')
      .filter((name) => !known.has(name))
      .map((name) => ({ value: name, text: name.replaceAll('_', ' ') })),
  ];
  return choices;
}

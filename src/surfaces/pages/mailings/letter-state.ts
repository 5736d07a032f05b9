import type { Markup } from '../../../kernel/render/markup.ts';
import { badge, type Tone } from '../design/badge.ts';

/** Colors of the states that mean something: green arrived, red came back or failed, amber waits for an answer. */
const tones: ReadonlyMap<string, Tone> = new Map([
  ['Delivered', 'ok'],
  ['Returned', 'danger'],
  ['Failed', 'danger'],
  ['Unknown', 'warn'],
  ['Mailed', 'accent'],
]);

/** The states of letters in the order in which they come, for counts and filters. */
export const LETTER_STATES: readonly string[] = [
  'Preparing',
  'Prepared',
  'Queued',
  'Unknown',
  'Submitted',
  'Mailed',
  'Delivered',
  'Returned',
  'Failed',
  'Canceled',
];

/** Renders the state of a letter. */
export function letterState(status: string | null): Markup {
  const state = status ?? 'Unknown';
  return badge(state, tones.get(state) ?? 'neutral');
}

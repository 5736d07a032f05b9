/** Keys that work on every page and that no element declares: what each does, and the keys that are pressed. */
export const everywhereKeys: readonly (readonly [text: string, ...keys: readonly string[]])[] = [
  ['Search and commands', 'Ctrl', 'K'],
  ['Search field', '/'],
  ['Keys on this page', '?'],
  ['Close what is open', 'Esc'],
];

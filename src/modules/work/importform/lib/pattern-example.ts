/** Longest example, in characters. */
const EXAMPLE_CHARACTERS_MAX = 40;

/** Characters that a class of a pattern stands for in an example, and the class as it is written. */
const classes: readonly (readonly [source: string, examples: string])[] = [
  [String.raw`\[A-Z\]`, 'ABCDEFGH'],
  [String.raw`\[a-z\]`, 'abcdefgh'],
  [String.raw`\[(?:A-Za-z|a-zA-Z)\]`, 'AbcDefgh'],
  [String.raw`\[(?:A-Z0-9|0-9A-Z)\]`, 'A1B2C3D4'],
  [String.raw`\[0-9\]|\\d`, '123456789'],
];
const literal = String.raw`\\[^A-Za-z0-9]|[A-Za-z0-9 /:,#_%&@!"'=;<>~-]`;
const count = String.raw`\{(\d{1,2})(?:,\d{0,2})?\}|[+*?]`;
const part = new RegExp(`(?:${classes.map(([source]) => `(${source})`).join('|')}|(${literal}))(?:(${count}))?`, 'y');

/**
 * Returns an example of what a regular expression matches, such as `ABC-123` for `[A-Z]{3}-[0-9]+`; undefined for an
 * expression that is not a simple sequence of characters and classes.
 */
export function patternExample(pattern: string): string | undefined {
  let example = '';
  part.lastIndex = 0;
  while (part.lastIndex < pattern.length) {
    const found = part.exec(pattern);
    if (!found) return undefined;
    const at = classes.findIndex((_, n) => found[n + 1] !== undefined);
    const [own, many, exactly] = found.slice(classes.length + 1);
    const examples = classes[at]?.[1] ?? (own ?? '').replace('\\', '');
    example += examples.repeat(EXAMPLE_CHARACTERS_MAX).slice(0, repetitions(many, exactly, at >= 0));
  }
  return example === '' || example.length > EXAMPLE_CHARACTERS_MAX ? undefined : example;
}

/** Returns how often a character or class is shown: a class that may repeat three times, so that it looks like one. */
function repetitions(many: string | undefined, exactly: string | undefined, isClass: boolean): number {
  if (exactly !== undefined) return Number(exactly);
  return isClass && (many === '+' || many === '*') ? 3 : 1;
}

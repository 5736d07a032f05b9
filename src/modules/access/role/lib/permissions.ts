/**
 * Returns the permissions that a role's text grants, out of all that exist. Patterns apply in order and later ones win:
 * `*` matches any letters, a leading minus revokes.
 */
export function grantedPermissions(text: string, all: Iterable<string>): Set<string> {
  const patterns = text
    .split(/[\s,]+/)
    .filter((p) => p !== '')
    .map((p) => ({ takes: p.startsWith('-'), matches: matcher(p.replace(/^-/, '')) }));
  const granted = new Set<string>();
  for (const name of all) {
    let has = false;
    for (const { takes, matches } of patterns) if (matches.test(name)) has = !takes;
    if (has) granted.add(name);
  }
  return granted;
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

import type { Registry } from '../../../../kernel/declare/registry.ts';

/**
 * Operations that roles grant for all record types by their ending, such as `*Search`. A statement whose name ends like
 * one would be granted by roles that were not meant for it.
 */
const grantedEndings = [
  'Select',
  'Search',
  'Summary',
  'ListByObject',
  'History',
  'AsOf',
  'Download',
  'LookupFromMatrix',
] as const;

/** Returns the permission that a statement's name gives it: its record type and its name. */
export function plainPermission(className: string, name: string): string {
  return `${className}${name}`;
}

/** Returns the permission of the platform with which a statement's would collide; undefined if there is none. */
export function takenPermission(registry: Registry, className: string, name: string): string | undefined {
  const own = plainPermission(className, name).toLowerCase();
  const taken = registry.permissions().find((permission) => permission.toLowerCase() === own);
  if (taken !== undefined) return taken;
  const ending = grantedEndings.find((each) => own.endsWith(each.toLowerCase()));
  return ending === undefined ? undefined : `*${ending}`;
}

/**
 * Returns the permission of a stored statement whose plain name is taken. No operation and no other statement can have
 * it, since their names have no underscores, and `*Search` and the like do not grant it.
 */
export function ownPermission(className: string, name: string): string {
  return `${className}_${name}_Statement`;
}

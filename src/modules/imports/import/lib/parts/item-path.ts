/** Where something is in a submission: the item's number, and the path below it. */
export interface ItemPlace {
  /** From 1; 0 for the document around the items. */
  readonly item: number;
  /**
   * Such as `Loan/UPBAmount` or `Borrowers/BorrowerItem[2]/LastName`; empty for the item itself. An attribute's path
   * ends with `@` and its name, that of an element to be added with `+` and its name: `Loan/+UPBAmount`.
   */
  readonly path: string;
}

/** Returns the place of an element by its path from the root, such as `/ImportCollection/POCItem[2]/Loan/UPBAmount`. */
export function itemPlace(path: string): ItemPlace {
  const [, , item, ...below] = path.split('/');
  if (item === undefined) return { item: 0, path: '' };
  return { item: Number(/\[(\d+)\]$/.exec(item)?.[1] ?? 1), path: below.map(withoutFirst).join('/') };
}

/** Returns a path without its positions, as the names of elements. */
export function namesOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/').map((step) => step.replace(/\[\d+\]$/, ''));
}

/** Returns the path of a child of the element at a path. `position`: among its siblings of the same name, from 1. */
export function childPath(path: string, name: string, position: number): string {
  return `${path === '' ? '' : `${path}/`}${name}${position > 1 ? `[${position}]` : ''}`;
}

/** The first sibling has no position, whether there are others or not, so that a path stays valid when one is added. */
function withoutFirst(step: string): string {
  return step.endsWith('[1]') ? step.slice(0, -3) : step;
}

/** Returns the path of an element to be added to the one at a path. */
export function addedPath(path: string, name: string): string {
  return `${path === '' ? '' : `${path}/`}+${name}`;
}

/** Returns where an element is to be added, and its name; undefined for the path of one that is there. */
export function addedTo(path: string): { readonly path: string; readonly name: string } | undefined {
  const found = /^(?:(.*)\/)?\+([^/@]+)$/.exec(path);
  return found ? { path: found[1] ?? '', name: found[2] ?? '' } : undefined;
}

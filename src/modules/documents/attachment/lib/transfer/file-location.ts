/** A path in a storage location. */
export interface FileLocation {
  readonly location: string;
  readonly path: string;
}

/** Whether two locations are the same; the names of storage locations ignore case. */
export function isSameFile(one: FileLocation, other: FileLocation): boolean {
  return one.location.toLowerCase() === other.location.toLowerCase() && one.path === other.path;
}

import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Returns the path of the first of some programs, named with or without one; undefined if none is installed. */
export function installedProgram(names: readonly string[], folders: readonly string[]): string | undefined {
  const paths = names.flatMap((name) => (name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name))));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Loaded before the tests of a whole run: resolves imports of the project's own files without asking the file system.
 *
 * They are written with their whole name, `./name.ts`, but the loader looks for links, packages and kinds of files at
 * each of a thousand. That is a fifth of the processor time of loading the platform.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, { parentURL }, next) {
    const isOwn = specifier.startsWith('.') && specifier.endsWith('.ts') && parentURL?.startsWith('file:') === true;
    return isOwn
      ? { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true }
      : next(specifier);
  },
});

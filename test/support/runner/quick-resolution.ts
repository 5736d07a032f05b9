/**
 * Loaded before the tests of a whole run: an import of a file of ours is found without asking the file system.
 *
 * They are written as what they are, `./name.ts`, while the loader looks for links, packages and kinds of files at each of a
 * thousand. That is a fifth of what loading the platform takes of the processor, and a run loads it in some two hundred processes.
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

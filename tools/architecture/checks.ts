/** The parts of `npm run check` that need no other program, by name. */
import { checkAreaPage } from './area-page.ts';
import { checkBannedCalls } from './banned-calls.ts';
import { checkDead } from './dead.ts';
import { checkDocs } from './docs.ts';
import { checkDocumented } from './documented.ts';
import { checkImports } from './imports.ts';
import { checkLanguage } from './language.ts';
import { checkMigrations } from './migrations.ts';
import { checkPlaces } from './places.ts';
import { checkQueueTables } from './queue-tables.ts';
import { checkSizes } from './sizes.ts';
import { checkTables } from './tables.ts';
import type { FileMap, Problem } from './tree.ts';
import { checkUses } from './uses.ts';
import { checkWords } from './words.ts';

/** All checks of the architecture, from imports to words that leak. */
export function checkArchitecture(files: FileMap, extraHosts: readonly string[] = []): Problem[] {
  return [
    ...checkImports(files),
    ...checkPlaces(files),
    ...checkUses(files),
    ...checkTables(files),
    ...checkAreaPage(files),
    ...checkQueueTables(files),
    ...checkBannedCalls(files),
    ...checkSizes(files),
    ...checkMigrations(files),
    ...checkDocumented(files),
    ...checkWords(files, extraHosts),
    ...checkLanguage(files),
  ];
}

export { checkDead, checkDocs };

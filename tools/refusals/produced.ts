/** Compares the errors and warnings that a run of the tests produced with the texts in the source. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProducedRefusal } from '../../test/support/runner/refusal-log.ts';
import type { FileMap } from '../architecture/tree.ts';
import { collectRefusals, type RefusalText } from './collect.ts';
import { type Examples, exampleOf, listedTexts, readExamples, refusalKey } from './page.ts';
import { textPattern } from './text.ts';

/** Examples of the last whole run on this machine. */
const CACHE = join(import.meta.dirname, '../..', '.cache', 'refusals.json');
const PAGE = 'docs/reference/refusals.md';
/** Texts that no test produces any more, named at the end of a run. */
const LOST_LISTED_MAX = 20;

/** What a run produced. */
export interface ProducedTexts {
  readonly examples: Examples;
  /** What was produced at a place where the source has no text that is known. */
  readonly unlisted: readonly ProducedRefusal[];
}

/** Reads what the workers of a run left in a folder. */
export function readProduced(folder: string): ProducedRefusal[] {
  return readdirSync(folder).flatMap(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ProducedRefusal[],
  );
}

/** Finds the text of each produced refusal by its place. Of several examples, the first in the alphabet is taken. */
export function matchProduced(texts: readonly RefusalText[], produced: readonly ProducedRefusal[]): ProducedTexts {
  const byFile = Map.groupBy(texts, ({ file }) => file);
  const listed = new Set(listedTexts(texts).map(refusalKey));
  const examples = new Map<string, string>();
  const unlisted: ProducedRefusal[] = [];
  for (const refusal of produced) {
    const found = textsAt(byFile, refusal);
    if (found.length === 0) unlisted.push(refusal);
    for (const text of found) {
      const key = refusalKey(text);
      const example = exampleOf(text, refusal.message);
      const known = examples.get(key);
      if (listed.has(key) && (known === undefined || example < known)) examples.set(key, example);
    }
  }
  return { examples, unlisted };
}

/** Returns the texts of the innermost place that has any; of these, those that the message can have come from. */
function textsAt(byFile: ReadonlyMap<string, readonly RefusalText[]>, refusal: ProducedRefusal): RefusalText[] {
  const all = refusal.places.flatMap((place) => {
    const [file = '', line = ''] = place.split(':');
    return (byFile.get(file) ?? []).filter(({ lines: [first, last] }) => first <= Number(line) && Number(line) <= last);
  });
  const message = refusal.message.replaceAll(/\s+/g, ' ');
  const fitting = all.filter(({ text }) => new RegExp(textPattern(text).replaceAll(/\s+/g, ' ')).test(message));
  return fitting.length > 0 ? fitting : all.slice(0, 1);
}

/**
 * Compares what a whole run produced with the source, stores its examples for `npm run refusals`, and names the texts
 * that tests do not produce any more. Fails if a refusal was made in a way that the page of refusals does not list.
 */
export function compareRefusals(
  files: FileMap,
  produced: readonly ProducedRefusal[],
): { readonly passed: boolean; readonly lines: readonly string[] } {
  const texts = collectRefusals(files);
  const { examples, unlisted } = matchProduced(texts, produced);
  storeExamples(examples);
  const before = readExamples(files.get(PAGE) ?? '');
  const listed = listedTexts(texts).map(refusalKey);
  const lost = listed.filter((key) => before.has(key) && !examples.has(key));
  const added = listed.filter((key) => !before.has(key) && examples.has(key)).length;
  const passed = unlisted.length === 0 && produced.length > 0;
  const count = `${examples.size} of ${listed.length} texts produced by tests`;
  return {
    passed,
    lines: [
      ...unlisted.map(({ message, places }) => `No text for "${message}" is collected at ${places.join(', ')}.`),
      ...lost.slice(0, LOST_LISTED_MAX).map((key) => `No longer produced by a test: ${key}`),
      ...(lost.length + added > 0 ? [`${PAGE}: ${added} texts are new in tests; npm run refusals updates it`] : []),
      `Refusals: ${passed ? count : 'FAILED'}`,
    ],
  };
}

/** Stores the examples of a whole run for `npm run refusals`. */
function storeExamples(examples: Examples): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, `${JSON.stringify(Object.fromEntries(examples), undefined, 1)}\n`);
}

/** Returns the examples of the last whole run; undefined if there was none on this machine. */
export function storedExamples(): Map<string, string> | undefined {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(CACHE, 'utf8')) as Record<string, string>));
  } catch {
    return undefined;
  }
}

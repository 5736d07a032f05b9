import assert from 'node:assert/strict';
import type { GuideNames } from './guide-names.ts';

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/;
const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/**
 * Compares an answer as a guide shows it with the server's, and notes the IDs in it.
 *
 * Of JSON, a guide shows the members that matter; the server's answer may have more. A list is complete unless it ends
 * with `…`. Of any other text, a guide shows everything but what it shortens with `…`; white space does not count.
 * Instants, GUIDs and IDs need only be of that kind.
 */
export function compareAnswer(shown: string, actual: string, names: GuideNames): void {
  if (/^\s*[[{]/.test(shown)) compareJson(parseShown(shown), parsed(actual), names, '');
  else compareText(shown, actual, names);
}

/** Whether a guide shows a refusal. */
export const isRefusal = (shown: string): boolean => /^\s*(?:\{\s*"Error":|(?:<\?xml[^>]*>\s*)?<Error )/.test(shown);

/** Omitted members are `…` in braces. An omitted value, and omitted elements of a list, become the text `…`. */
function parseShown(shown: string): unknown {
  return JSON.parse(
    shown
      .replaceAll(/: …(?=[\s,}])/g, ': "…"')
      .replaceAll(/,?\s*…\s*(?=\})/g, '')
      .replaceAll(/(,?)\s*…\s*(?=\])/g, '$1 "…"'),
  );
}

function parsed(actual: string): unknown {
  try {
    return JSON.parse(actual);
  } catch {
    return assert.fail(`not JSON: ${actual.slice(0, 1_000)}`);
  }
}

function compareJson(shown: unknown, actual: unknown, names: GuideNames, path: string): void {
  if (shown === '…') assert.notEqual(actual, undefined, path);
  else if (Array.isArray(shown)) compareList(shown, actual, names, path);
  else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, `${path}: ${JSON.stringify(actual)} is not an object`);
    for (const [name, value] of Object.entries(shown)) {
      compareJson(value, (actual as Record<string, unknown>)[name], names, path === '' ? name : `${path}.${name}`);
    }
  } else if (typeof shown === 'number' && /ID\d*$/.test(path)) {
    assert.equal(typeof actual, 'number', path);
    assert.ok(names.noteId(String(shown), String(actual)), `${path}: ${shown} is the ID of another record here`);
  } else if (typeof shown === 'string' && typeof actual === 'string') compareText(shown, actual, names, path);
  else assert.deepEqual(actual, shown, path);
}

function compareList(shown: readonly unknown[], actual: unknown, names: GuideNames, path: string): void {
  assert.ok(Array.isArray(actual), `${path}: ${JSON.stringify(actual)} is not a list`);
  const isOpen = shown.at(-1) === '…';
  const expected = isOpen ? shown.slice(0, -1) : shown;
  if (!isOpen) assert.equal(actual.length, expected.length, `elements of ${path}: ${JSON.stringify(actual)}`);
  for (const [index, value] of expected.entries()) compareJson(value, actual[index], names, `${path}[${index}]`);
}

/** A part of a shown text that stands for something else: what matches it, and how it is noted. */
interface Varying {
  readonly of: RegExp;
  readonly pattern: (shown: string) => string;
  readonly note?: (names: GuideNames, shown: string, actual: string) => void;
}

const noteText = (names: GuideNames, shown: string, actual: string): void => names.noteText(shown, actual);

const VARYING: readonly Varying[] = [
  // A shortened word, such as SHA256:…
  { of: /\w[\w:-]{2,}…/, pattern: (shown) => `(${escaped(shown.slice(0, -1))}[\\w+/=-]+)`, note: noteText },
  { of: /…/, pattern: () => '[^]*?' },
  { of: INSTANT, pattern: () => INSTANT.source },
  { of: GUID, pattern: () => `(${GUID.source})`, note: noteText },
  {
    of: /(?<=ID="|ID>)\d+/,
    pattern: () => String.raw`(\d+)`,
    note: (names, shown, actual) => assert.ok(names.noteId(shown, actual), `${shown} is the ID of another record here`),
  },
  { of: /\s+/, pattern: () => String.raw`\s*` },
];
const ANY_VARYING = new RegExp(VARYING.map(({ of }) => `(${of.source})`).join('|'), 'g');

function compareText(shown: string, actual: string, names: GuideNames, path = ''): void {
  const text = shown.trim();
  const given = text.startsWith('<?xml') ? actual : actual.replace(/^\s*<\?xml[^>]*>/, '');
  const noted: { readonly shown: string; readonly note: NonNullable<Varying['note']> }[] = [];
  let pattern = '';
  let last = 0;
  for (const match of text.matchAll(ANY_VARYING)) {
    const [whole, ...groups] = match;
    const varying = VARYING[groups.findIndex((group) => group !== undefined)];
    if (varying === undefined) continue;
    pattern += escaped(text.slice(last, match.index)) + varying.pattern(whole);
    if (varying.note) noted.push({ shown: whole, note: varying.note });
    last = match.index + whole.length;
  }
  const found = new RegExp(`^\\s*${pattern}${escaped(text.slice(last))}\\s*$`, 'u').exec(given);
  assert.ok(found, `${path === '' ? '' : `${path}: `}expected\n${shown}\nbut was\n${actual.slice(0, 4_000)}`);
  for (const [index, each] of noted.entries()) each.note(names, each.shown, found[index + 1] ?? '');
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

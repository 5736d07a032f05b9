import { fieldLabel } from '../../../kernel/declare/labels.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import type { Row } from '../../../kernel/door/answer.ts';
import { searchWords, wordPattern } from './marked.ts';

/** A field in which a search found its words. */
export interface Snippet {
  readonly label: string;
  readonly text: string;
}

/** Most characters of a snippet, and those before the first word that was found. */
const CHARACTERS_MAX = 120;
const CHARACTERS_BEFORE = 30;

/**
 * Returns the field of a record that has the most words of a search, without its label, which people see anyway;
 * undefined if the words are in no text of its own.
 */
export function snippetOf(record: RecordType, row: Row, text: string): Snippet | undefined {
  const pattern = wordPattern(searchWords(text));
  if (!pattern) return undefined;
  let best: { readonly count: number; readonly name: string; readonly value: string } | undefined;
  for (const { name, field } of record.shown) {
    const value = row[name];
    if (field.kind !== 'text' || field.classification === 'secret' || name === record.name) continue;
    if (typeof value !== 'string') continue;
    const count = value.match(pattern)?.length ?? 0;
    if (count > (best?.count ?? 0)) best = { count, name, value };
  }
  if (!best) return undefined;
  const field = record.columns.get(best.name.toLowerCase())?.field ?? {};
  return { label: fieldLabel(best.name, field), text: cutAround(best.value, best.value.search(pattern)) };
}

/** Returns a part of a text around a position, on one line. */
function cutAround(text: string, at: number): string {
  const start = at > CHARACTERS_MAX - CHARACTERS_BEFORE ? at - CHARACTERS_BEFORE : 0;
  const part = text
    .slice(start, start + CHARACTERS_MAX)
    .replace(/\s+/g, ' ')
    .trim();
  return `${start > 0 ? '…' : ''}${part}${start + CHARACTERS_MAX < text.length ? '…' : ''}`;
}

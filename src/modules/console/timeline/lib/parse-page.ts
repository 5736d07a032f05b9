import { namesHint } from '../../../../kernel/door/errors.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { ENTRY_KINDS, type EntryKind } from './entry-sources.ts';
import type { EntryCursor } from './read-timeline.ts';

/** Returns the kinds that a filter names; all, if it names none. @throws BAD_PARAMETER with the nearest kinds */
export function parseKinds(names: readonly string[] | null | undefined): ReadonlySet<EntryKind> {
  if (names === null || names === undefined || names.length === 0) return new Set(ENTRY_KINDS);
  return new Set(
    names.map((name) => {
      const kind = ENTRY_KINDS.find((each) => each.toLowerCase() === name.trim().toLowerCase());
      if (kind === undefined) throw bad('Kind', `a kind of entry, not "${name}".${namesHint(name, ENTRY_KINDS)}`);
      return kind;
    }),
  );
}

/** Parses the cursor of an entry. @throws BAD_PARAMETER for another text */
export function parseCursor(text: string | null | undefined): EntryCursor | undefined {
  if (text === null || text === undefined || text === '') return undefined;
  const [, at, key] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\/([\w ]{1,150})$/.exec(text) ?? [];
  if (at === undefined || key === undefined || Number.isNaN(Date.parse(at)))
    throw bad('Before', 'the Cursor of an entry');
  return { at, key };
}

/** Returns the text of an entry's cursor. */
export function cursorText({ at, key }: EntryCursor): string {
  return `${at}/${key}`;
}

import type { DataShape, TemplateProblem } from '../../../contracts/generator.ts';
import { nearest } from '../../../kernel/door/errors.ts';
import type { Comparison, Format, ImageSize, Path, Tag } from './tag.ts';

/** A compiled template: text that is copied, fields, and sections that are repeated or left out. */
export type TemplateNode =
  | string
  | { readonly kind: 'field'; readonly path: Path; readonly formats: readonly Format[]; readonly wrap: Wrap }
  | { readonly kind: 'image'; readonly path: Path; readonly size: ImageSize; readonly wrap: Wrap }
  | Section
  | {
      /** Content whose form depends on what is left of it, such as a table that may have lost all of its rows. */
      readonly kind: 'element';
      readonly nodes: readonly TemplateNode[];
      readonly finish: (content: string) => string;
    }
  /** A number that is unique in the document. */
  | { readonly kind: 'counter' };

/** A part of a template that is repeated for each item of a collection, or shown if a condition holds. */
export interface Section {
  readonly kind: 'section';
  readonly path: Path;
  readonly comparison: Comparison | undefined;
  readonly inverted: boolean;
  readonly nodes: readonly TemplateNode[];
}

/** Writes a value into the document: escapes it and adds what surrounds it. */
export type Wrap = (text: string) => string;

/** A tag with its place, as its author finds it. */
export interface PlacedTag {
  readonly tag: Tag;
  readonly place: string;
}

/** The name of a path for messages. */
function nameOf(path: Path): string {
  return path.join('.');
}

/** Whether the end of a section names the section. `{/}` ends any. */
function closes(open: Path, close: Path): boolean {
  return close.length === 0 || nameOf(open).toLowerCase() === nameOf(close).toLowerCase();
}

/**
 * Checks how sections nest in a sequence of tags.
 * @returns the problems, and each end of a section with its beginning
 */
export function pairSections<T extends PlacedTag>(
  tags: readonly T[],
): { readonly pairs: readonly (readonly [open: T, close: T])[]; readonly problems: readonly TemplateProblem[] } {
  const pairs: (readonly [T, T])[] = [];
  const problems: TemplateProblem[] = [];
  const open: T[] = [];
  for (const each of tags) {
    const { tag, place } = each;
    if (tag.kind === 'open') open.push(each);
    if (tag.kind !== 'close') continue;
    const last = open.at(-1);
    if (last && closes(last.tag.path, tag.path)) {
      pairs.push([last, each]);
      open.pop();
    } else if (last && open.some((other) => closes(other.tag.path, tag.path))) {
      problems.push({
        tag: tag.source,
        place,
        text: `${tag.source} ends a section before ${last.tag.source}, which began in it (${last.place}), has ended.`,
      });
      while (open.length > 0 && !closes(open.at(-1)?.tag.path ?? [], tag.path)) open.pop();
      open.pop();
    } else problems.push({ tag: tag.source, place, text: `${tag.source} ends a section that has not begun.` });
  }
  for (const { tag, place } of open)
    problems.push({ tag: tag.source, place, text: `${tag.source} begins a section that is never ended.` });
  return { pairs, problems };
}

/** Returns a problem for each tag that names a field which the data will not have. */
export function unknownFields(tags: readonly PlacedTag[], shape: DataShape): readonly TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const scopes: (DataShape | undefined)[] = [shape];
  for (const { tag, place } of tags) {
    if (tag.kind === 'close') {
      if (scopes.length > 1) scopes.pop();
      continue;
    }
    const found = resolve(scopes, tag.path);
    if (found === 'unknown')
      problems.push({
        tag: tag.source,
        place,
        text: `${tag.source} names no field of the data.`,
        similar: similarPaths(scopes, tag.path),
      });
    else if (tag.kind === 'field' && isList(scopes, tag.path))
      problems.push({
        tag: tag.source,
        place,
        text: `${tag.source} names a collection: repeat its items with {#${nameOf(tag.path)}}…{/}.`,
      });
    else if (tag.kind === 'image' && !isDocument(found))
      problems.push({
        tag: tag.source,
        place,
        text: `${tag.source} is not a picture: expected a field that names a document, such as AttachmentID.`,
      });
    // What is inside an unknown section cannot be judged.
    if (tag.kind === 'open') scopes.push(innerScope(found));
  }
  return problems;
}

type ShapeField = DataShape['fields'][number];

type PathTarget = 'unknown' | 'counter' | 'any' | ShapeField | DataShape;

function isShape(found: PathTarget): found is DataShape {
  return typeof found === 'object' && 'lists' in found;
}

/** Whether a field holds the ID of a document, or a link or item has one. */
function isDocument(found: PathTarget): boolean {
  if (found === 'any') return true;
  if (isShape(found)) return found.fields.some(isDocument);
  return typeof found === 'object' && namesDocument(found.name, found.field);
}

/** Whether a field holds the ID of a document. */
export function namesDocument(name: string, field: { readonly to?: string } | undefined): boolean {
  return field?.to === 'Attachment' || name.toLowerCase() === 'attachmentid';
}

function innerScope(found: PathTarget): DataShape | undefined {
  if (isShape(found)) return found;
  return found === 'unknown' || found === 'any' ? undefined : { fields: [], links: new Map(), lists: new Map() };
}

/** Resolves a path in the innermost scope that knows its first name. */
function resolve(scopes: readonly (DataShape | undefined)[], path: Path): PathTarget {
  const [first = '', ...rest] = path;
  if (first.startsWith('@')) return rest.length === 0 && COUNTERS.includes(first.toLowerCase()) ? 'counter' : 'unknown';
  for (const scope of [...scopes].reverse()) {
    if (scope === undefined) return 'any';
    const found = step(scope, first);
    if (found !== 'unknown') return rest.reduce<PathTarget>(next, found);
  }
  return 'unknown';
}

/** Counters of a repetition, and the day of generation. */
const COUNTERS: readonly string[] = ['@index', '@first', '@last', '@today'];

function next(at: PathTarget, name: string): PathTarget {
  if (isShape(at)) return step(at, name);
  return at === 'any' ? 'any' : 'unknown';
}

function step({ fields, links, lists }: DataShape, name: string): PathTarget {
  const lower = name.toLowerCase();
  for (const [key, shape] of [...links, ...lists])
    if (key.toLowerCase() === lower || key.toLowerCase() === `${lower}collection`) return shape();
  return fields.find((field) => field.name.toLowerCase() === lower) ?? 'unknown';
}

/** Whether a path names a collection, whose items are repeated. */
function isList(scopes: readonly (DataShape | undefined)[], path: Path): boolean {
  const last = (path.at(-1) ?? '').toLowerCase();
  const within = path.length > 1 ? [innerScope(resolve(scopes, path.slice(0, -1)))] : [...scopes].reverse();
  const scope = within.find((each) => each === undefined || step(each, last) !== 'unknown');
  const isNamed = (key: string): boolean => [last, `${last}collection`].includes(key.toLowerCase());
  if (!scope || [...scope.links.keys()].some(isNamed)) return false;
  return [...scope.lists.keys()].some(isNamed);
}

/** Returns the paths that are nearest to one with an unknown name, with the first of its unknown names replaced. */
function similarPaths(scopes: readonly (DataShape | undefined)[], path: Path): readonly string[] {
  const at = path.findIndex((_name, index) => resolve(scopes, path.slice(0, index + 1)) === 'unknown');
  const known = path.slice(0, at + 1);
  return nearest(path[at] ?? '', namesIn(scopes, known))
    .map((name) => [...path.slice(0, at), name, ...path.slice(at + 1)])
    .filter((other) => resolve(scopes, other) !== 'unknown')
    .map((other) => other.join('.'));
}

/** Returns the names that a path could have instead of its last one. */
function namesIn(scopes: readonly (DataShape | undefined)[], path: Path): readonly string[] {
  const within = path.length > 1 ? [innerScope(resolve(scopes, path.slice(0, -1)))] : [...scopes].reverse();
  return within.flatMap((scope) =>
    scope === undefined ? [] : [...scope.fields.map(({ name }) => name), ...scope.links.keys(), ...scope.lists.keys()],
  );
}

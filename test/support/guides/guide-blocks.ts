/** What a fenced block of a guide is for. */
export type BlockUse =
  /** Commands, which are run. */
  | { readonly kind: 'commands' }
  /** The answer to the last command of the block before it. */
  | { readonly kind: 'answer' }
  /** A file that the text says to save under this name. */
  | { readonly kind: 'file'; readonly name: string }
  /** Not run, for this reason. */
  | { readonly kind: 'listed'; readonly reason: string }
  /** None of these, which is a fault of the guide. */
  | { readonly kind: 'unknown' };

/** A fenced block of a guide. */
export interface GuideBlock {
  readonly language: string;
  /** Its text, without the indentation of the list that it is in. */
  readonly text: string;
  /** The line of its fence, from 1. */
  readonly line: number;
  /** The text between the block before it and this one. */
  readonly prose: string;
  readonly use: BlockUse;
}

/** Comments on the line before a block that say what it is for: `<!-- not run: why -->` and `<!-- file: name -->`. */
const DIRECTIVE = /<!-- (not run|file): ([^>]+?) -->\s*$/;
const SAVED_AS = /\b[Ss]ave\b[^.]*?\bas `([\w-]+\.\w+)`/g;

/** Returns the fenced blocks of a guide in their order. */
export function guideBlocks(markdown: string): GuideBlock[] {
  const blocks: GuideBlock[] = [];
  const lines = markdown.split('\n');
  let prose: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language = ''] = /^( *)```(\w*)\s*$/.exec(lines[at] ?? '') ?? [];
    if (!/^ *```/.test(lines[at] ?? '')) {
      prose.push(lines[at] ?? '');
      continue;
    }
    const end = lines.findIndex((line, index) => index > at && /^ *```\s*$/.test(line));
    const text = lines
      .slice(at + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()))
      .join('\n');
    const block = { language, text, line: at + 1, prose: prose.join('\n') };
    blocks.push({ ...block, use: useOf(block, blocks.at(-1)) });
    at = end;
    prose = [];
  }
  return blocks;
}

function useOf({ language, prose }: Omit<GuideBlock, 'use'>, before: GuideBlock | undefined): BlockUse {
  const [, directive, value = ''] = DIRECTIVE.exec(prose) ?? [];
  if (directive === 'not run') return { kind: 'listed', reason: value };
  if (directive === 'file') return { kind: 'file', name: value };
  if (language === 'sh') return { kind: 'commands' };
  const name = [...prose.matchAll(SAVED_AS)].at(-1)?.[1];
  if (name !== undefined) return { kind: 'file', name };
  const follows = before?.use.kind === 'commands' && !/^#/m.test(prose);
  return follows && ['json', 'xml', 'csv', 'text', ''].includes(language) ? { kind: 'answer' } : { kind: 'unknown' };
}

/** A record that the text of a guide says the reader has: "the ID of a foreclosure, here 17". */
export interface NeededRecord {
  /** Singular: `foreclosure`, `FHA loan`. */
  readonly noun: string;
  /** The IDs that the guide uses for it. */
  readonly ids: readonly number[];
}

/** Returns the records that a text says the reader has. */
export function neededRecords(prose: string): NeededRecord[] {
  return [...prose.replaceAll('\n', ' ').matchAll(NEEDED)].map(([, noun = '', ids = '']) => ({
    noun: noun.replace(/s$/, ''),
    ids: (ids.match(/\d+/g) ?? []).map(Number),
  }));
}

/** Returns the IDs of records that a text says are "of the demo", as in "loan 1 of the demo". */
export const demoIds = (prose: string): string[] =>
  [...prose.matchAll(/\b(\d+)\s+of\s+the\s+demo\b/g)].map(([, id = '']) => id);

const NEEDED = /\bof (?:an?|two|three) ((?:(?!of\b|and\b)[A-Za-z]+ ?){1,3}), here ((?:\d+(?:, | and (?=\d))?)+)/g;

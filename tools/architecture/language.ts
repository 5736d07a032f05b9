/**
 * Plain language: words that this project once used for mechanisms and that no engineer would search for. The glossary
 * (docs/internals/glossary.md) has the term for each concept.
 *
 * Looked at are names, comments and texts of the code, and the documents. Only the worst offenders are refused;
 * everything else is a reviewer's judgment.
 */
import ts from 'typescript';
import { lineOf, sourcesUnder, walkNodes } from './source.ts';
import { type FileMap, type Problem, lineAt } from './tree.ts';

/**
 * Verbs of saying and keeping as names of mechanisms: `toldOf`, `isAsked`, `keptIndexes`. Compared with each word of a
 * name. Each has its replacements.
 */
const REFUSED_NAME_WORDS: ReadonlyMap<string, string> = new Map([
  ['told', 'notified, reported'],
  ['tell', 'notify, report, publish'],
  ['tells', 'notifies, reports, publishes'],
  ['untold', 'pending, unreported'],
  ['said', 'reported, declared'],
  ['asked', 'requested, queried'],
  ['wanted', 'requested, required'],
  ['kept', 'stored, retained, cached'],
  ['hears', 'subscribes, receives'],
  ['mend', 'fix, repair'],
  ['mended', 'fixed, repaired'],
]);

/** Type names that are a bare participle, or a noun that does not say of what. */
const REFUSED_TYPES = new Set([
  ...['Told', 'Asked', 'Wanted', 'Kept', 'Found', 'Stored', 'Standing', 'Sent', 'Given', 'Known'],
  ...['Written', 'Made', 'Taken', 'Chosen', 'Listed', 'Named', 'Seen', 'Shown', 'Held', 'Place'],
]);

/** Refused phrases in prose, each with its replacement. */
const REFUSED_PHRASES: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  {
    pattern: /\b(?:un)?told\b|\btells? (?:of|on|them|it|people|nobody|what|which|who|how)\b/i,
    instead: 'returns, reports, logs, publishes',
  },
  { pattern: /\bhears\b/i, instead: 'subscribes to, receives' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'fix, correct, repair' },
  { pattern: /\blets? go of\b|\blets? it go\b/i, instead: 'releases' },
  { pattern: /\bfull house\b/i, instead: 'all slots are busy' },
  { pattern: /\basked ahead\b/i, instead: 'evaluated speculatively' },
  {
    pattern: /\bstands? (?:in|below|beside|there|under|open)\b|\bstood (?:in|there)\b/i,
    instead: 'is in, is stored, is',
  },
  { pattern: /\blies? (?:in|below|beside|under|there)\b/i, instead: 'is in, is stored' },
  { pattern: /\bwithin reach\b|\bout of reach\b/i, instead: 'visible, not visible' },
];

/** In documents only: names and samples in code contain these words too. */
const REFUSED_IN_DOCUMENTS = [
  ...REFUSED_PHRASES,
  { pattern: /(?<![\w'])(?:he|his|him)(?![\w'])/i, instead: 'the user, they' },
];

/** Checks names and prose of the code, and the prose of documents that people maintain. */
export function checkLanguage(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/', 'test/', 'tools/', 'bench/')) {
    if (path.includes('.gen.') || path === OWN_FILE) continue;
    problems.push(...nameProblems(path, source), ...codeProseProblems(path, source));
  }
  for (const [path, text] of files) {
    if (path.endsWith('.md') && !path.startsWith('docs/reference/'))
      problems.push(...phraseProblems(path, text, { offset: 0, prose: text }, REFUSED_IN_DOCUMENTS));
  }
  return problems;
}

/** This file spells what it refuses. */
const OWN_FILE = 'tools/architecture/language.ts';

function nameProblems(path: string, source: ts.SourceFile): Problem[] {
  const problems: Problem[] = [];
  walkNodes(source, (node) => {
    const name = declaredName(node);
    if (name === undefined) return;
    const instead = name.text
      .split(/(?=[A-Z])|_/)
      .map((each) => REFUSED_NAME_WORDS.get(each.toLowerCase()))
      .find((each) => each !== undefined);
    const isVagueType = isTypeDeclaration(node) && REFUSED_TYPES.has(name.text);
    if (instead === undefined && !isVagueType) return;
    problems.push({
      file: path,
      line: lineOf(source, name),
      what: `the name ${name.text}`,
      expected: isVagueType
        ? 'a noun that says of what'
        : `${String(instead)}, or another term of docs/internals/glossary.md`,
    });
  });
  return problems;
}

function isTypeDeclaration(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
}

function declaredName(node: ts.Node): ts.Identifier | undefined {
  const isDeclaration =
    isTypeDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isBindingElement(node);
  const name = isDeclaration ? (node as ts.NamedDeclaration).name : undefined;
  return name !== undefined && ts.isIdentifier(name) ? name : undefined;
}

/** Comments, and texts that have a space in them: messages, titles, documentation. */
function codeProseProblems(path: string, source: ts.SourceFile): Problem[] {
  const { text } = source;
  const problems: Problem[] = [];
  const look = (start: number, end: number): void => {
    const prose = text.slice(start, end);
    if (prose.includes(' ')) problems.push(...phraseProblems(path, text, { offset: start, prose }));
  };
  const comments = new Set<number>();
  walkNodes(source, (node) => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (comments.has(range.pos)) continue;
      comments.add(range.pos);
      look(range.pos, range.end);
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      look(node.getStart(source), node.end);
  });
  return problems;
}

function phraseProblems(
  path: string,
  text: string,
  { offset, prose }: { readonly offset: number; readonly prose: string },
  phrases = REFUSED_PHRASES,
): Problem[] {
  return phrases.flatMap(({ pattern, instead }) => {
    const match = pattern.exec(prose);
    if (match === null) return [];
    return [
      { file: path, line: lineAt(text, offset + match.index), what: `the phrase "${match[0]}"`, expected: instead },
    ];
  });
}

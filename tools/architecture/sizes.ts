/**
 * Size limits: a function fits on a screen (70 lines), an operation file on two (120), any file in 500 lines. A test
 * and a file of tests may be longer, since one assertion per line reads better than several packed into one: 120 and
 * 900. More needs a written reason: `// size: <reason>` at the top of the function or the file.
 *
 * A line has at most 120 columns, in Markdown, too. The formatter leaves long texts alone: break them where a reader
 * would.
 */
import ts from 'typescript';
import { operationFiles } from './operations.ts';
import { lineOf, sourcesUnder, walkNodes } from './source.ts';
import type { FileMap, Problem } from './tree.ts';

/** Lines of a function, from its first word to its closing brace. */
const FUNCTION_LINES_MAX = 70;
/** Lines of an operation file. */
const OPERATION_FILE_LINES_MAX = 120;
/** Lines of any other code file. */
const FILE_LINES_MAX = 500;

const REASON = /^[ \t]*(\/\/|--|\/?\*+)[ \t]*size:[ \t]*\S.{7,}/m;
const TOP_LINES = 5;
const CODE_FILE = /^(src|test|tools|bench|db)\/.*\.(ts|mjs|js|css|sql)$|^[^/]+\.(ts|mjs|js)$/;
/** Lines of a file of tests, and of a function in it. */
const TEST_FILE_LINES_MAX = 900;
const TEST_FUNCTION_LINES_MAX = 120;
/** Blocks of a test file hold tests, which are measured one by one. */
const TEST_BLOCKS = new Set(['describe', 'suite', 'describe.skip', 'suite.skip']);

/** Columns of a line. */
const LINE_COLUMNS_MAX = 120;
/** Where long lines are refused. */
const LINE_FOLDERS = ['src/', 'test/', 'tools/', 'bench/'];
const LINE_FILE = /\.(ts|mjs|js|css)$/;
/** Lines that cannot be broken: the title of a test, an import, a single URL. */
const UNBREAKABLE = [
  /^\s*(?:describe|suite|it|test)(?:\.\w+)?\(\s*['"`]/,
  /^import .* from '.*';$/,
  /^\s*(?:\/\/|\/?\*+)?\s*['"`(<]?https?:\/\/\S+$/,
];

/** Lines of Markdown that cannot be broken: rows of tables, headings, and a single link. */
const UNBREAKABLE_MARKDOWN = /^\s*(?:\||#|(?:[-*] )?\S+$)/;
/** Folder of the documents that `npm run generate` writes. */
const GENERATED_DOCUMENTS = 'docs/reference/';

/** Checks the length of each code file, of each function and of each line. */
export function checkSizes(files: FileMap): Problem[] {
  return [...checkFiles(files), ...checkFunctions(files), ...checkLines(files), ...checkMarkdown(files)];
}

function checkFiles(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  const operations = new Set(operationFiles(files).map((operation) => operation.path));
  for (const [path, text] of files) {
    // Files with `.gen.` in the name are written by `npm run generate`, and compared with it by a test.
    if (!CODE_FILE.test(path) || path.includes('.gen.')) continue;
    const lines = text.replace(/\n$/, '').split('\n');
    const otherMax = path.endsWith('.test.ts') ? TEST_FILE_LINES_MAX : FILE_LINES_MAX;
    const linesMax = operations.has(path) ? OPERATION_FILE_LINES_MAX : otherMax;
    if (lines.length <= linesMax || REASON.test(lines.slice(0, TOP_LINES).join('\n'))) continue;
    const kind = operations.has(path) ? 'operation file' : 'file';
    problems.push({
      file: path,
      line: 1,
      what: `the ${kind} has ${String(lines.length)} lines`,
      expected: `${String(linesMax)} at most, or \`// size: <reason>\` at its top`,
    });
  }
  return problems;
}

function checkFunctions(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const { path, source } of sourcesUnder(files, 'src/', 'test/', 'tools/', 'bench/')) {
    const linesMax = path.startsWith('test/') ? TEST_FUNCTION_LINES_MAX : FUNCTION_LINES_MAX;
    walkNodes(source, (node) => {
      if (!isFunctionWithBody(node) || isTestBlock(node)) return;
      const first = lineOf(source, node);
      const length = source.getLineAndCharacterOfPosition(node.end).line + 2 - first;
      if (length <= linesMax || hasReason(source, node)) return;
      problems.push({
        file: path,
        line: first,
        what: `${nameOf(node)} has ${String(length)} lines`,
        expected: `${String(linesMax)} at most, or \`// size: <reason>\` at its top`,
      });
    });
  }
  return problems;
}

function checkLines(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const [path, text] of files) {
    if (!LINE_FILE.test(path) || path.includes('.gen.')) continue;
    if (!LINE_FOLDERS.some((folder) => path.startsWith(folder))) continue;
    for (const [at, line] of text.split('\n').entries())
      if (line.length > LINE_COLUMNS_MAX && !UNBREAKABLE.some((pattern) => pattern.test(line)))
        problems.push(longLine(path, at, line));
  }
  return problems;
}

/** Checks the lines of documents. Fenced blocks are commands and answers, which may be long. */
function checkMarkdown(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const [path, text] of files) {
    if (!path.endsWith('.md') || path.startsWith(GENERATED_DOCUMENTS)) continue;
    let isFenced = false;
    for (const [at, line] of text.split('\n').entries()) {
      if (line.trimStart().startsWith('```')) isFenced = !isFenced;
      if (!isFenced && line.length > LINE_COLUMNS_MAX && !UNBREAKABLE_MARKDOWN.test(line))
        problems.push(longLine(path, at, line));
    }
  }
  return problems;
}

function longLine(file: string, at: number, { length }: string): Problem {
  return {
    file,
    line: at + 1,
    what: `the line has ${String(length)} columns`,
    expected: `${String(LINE_COLUMNS_MAX)} at most`,
  };
}

function isFunctionWithBody(node: ts.Node): node is ts.FunctionLikeDeclaration & { body: ts.Node } {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
}

function isTestBlock(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && TEST_BLOCKS.has(node.parent.expression.getText());
}

/** Whether a reason precedes the function or its statement, or is the first line of its body. */
function hasReason(source: ts.SourceFile, node: ts.FunctionLikeDeclaration & { body: ts.Node }): boolean {
  const statement = ts.findAncestor(node, (each): each is ts.Statement => ts.isStatement(each) && !ts.isBlock(each));
  const before = [node, statement].map((each) =>
    each === undefined ? '' : source.text.slice(each.getFullStart(), each.getStart(source)),
  );
  const inside = source.text.slice(node.body.getStart(source)).split('\n').slice(1, 2);
  return REASON.test([...before, ...inside].join('\n'));
}

function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (node.name !== undefined) return `the function ${node.name.getText()}`;
  const holder = node.parent;
  if (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder))
    return `the function ${holder.name.getText()}`;
  return 'a function';
}

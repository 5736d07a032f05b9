/** Calls and imports that have a better replacement, and where they are refused; each problem names the replacement. */
import ts from 'typescript';
import { importsOf, lineOf, sourcesUnder, walkNodes } from './source.ts';
import type { FileMap, Problem } from './tree.ts';

interface Ban {
  /** Tells whether the node is what is banned. */
  readonly matches: (node: ts.Node) => boolean;
  readonly what: string;
  readonly expected: string;
  /** Tells whether the ban holds in the file at a path. */
  readonly holds: (path: string) => boolean;
}

interface BannedImport {
  readonly module: string;
  /** Only these names of the module are banned; all of them if absent. */
  readonly names?: readonly string[];
  readonly expected: string;
  readonly holds: (path: string) => boolean;
}

const WAIT =
  'a signal (an event, a notification, a finished job); where there is none, eventually() of test/support; ' +
  'a time limit is AbortSignal.timeout()';

const inProduct = (path: string): boolean => path.startsWith('src/');
/** Composition reads the environment and the clock, and speaks to the console before there is a log. */
const outsideApp = (path: string): boolean => inProduct(path) && !path.startsWith('src/app/');
/** The clock's own file is the one place that reads the machine's clock. */
const outsideClock = (path: string): boolean => outsideApp(path) && path !== 'src/kernel/time/clock.ts';
const isTest = (path: string): boolean => path.startsWith('test/') || path.endsWith('.test.ts');
/** `eventually` is the one place that polls, for what gives no signal. */
const outsideEventually = (path: string): boolean => isTest(path) && path !== 'test/support/eventually.ts';
const everywhere = (): boolean => true;

const BANS: readonly Ban[] = [
  {
    matches: (node) => isCallOf(node, 'Date', 'now') || isCallOfName(node, 'Date') || isNewDate(node),
    what: 'the clock of the machine is read',
    expected: 'ctx.clock: time is injected, so that tests can set it',
    holds: outsideClock,
  },
  {
    matches: (node) => isMember(node, 'Math', 'random'),
    what: 'Math.random is used',
    expected: 'randomInt, randomBytes or randomUUID of node:crypto',
    holds: inProduct,
  },
  {
    matches: (node) => isMember(node, 'process', 'env'),
    what: 'the environment is read',
    expected: 'an argument: src/app alone reads the environment',
    holds: outsideApp,
  },
  {
    matches: (node) => isMember(node, 'console'),
    what: 'the console is used',
    expected: 'ctx.log: what is printed must be structured and free of personal data',
    holds: outsideApp,
  },
  {
    matches: (node) => isTimedPromise(node) || isCallOf(node, 'Atomics', 'wait'),
    what: 'a test sleeps',
    expected: WAIT,
    holds: isTest,
  },
];

const BANNED_IMPORTS: readonly BannedImport[] = [
  {
    module: 'node:child_process',
    names: ['exec', 'execSync'],
    expected: 'execFile or spawn: no shell reads the arguments',
    holds: everywhere,
  },
  { module: 'assert', expected: 'node:assert/strict', holds: everywhere },
  { module: 'node:assert', expected: 'node:assert/strict', holds: everywhere },
  { module: 'node:timers/promises', expected: WAIT, holds: outsideEventually },
];

/** Looks for banned calls and imports in all TypeScript files. */
export function checkBannedCalls(files: FileMap): Problem[] {
  const problems: Problem[] = [];
  for (const { path: file, source } of sourcesUnder(files, 'src/', 'test/', 'tools/', 'bench/')) {
    const bans = BANS.filter((ban) => ban.holds(file));
    walkNodes(source, (node) => {
      for (const { matches, what, expected } of bans) {
        if (matches(node)) problems.push({ file, line: lineOf(source, node), what, expected });
      }
    });
    for (const { specifier, names, line } of importsOf(source)) {
      const ban = BANNED_IMPORTS.find((each) => each.module === specifier && each.holds(file));
      if (ban === undefined || !takesBanned(ban, names)) continue;
      const what = `${ban.names === undefined ? '' : `${ban.names.join(' or ')} of `}${specifier} is imported`;
      problems.push({ file, line, what, expected: ban.expected });
    }
  }
  return problems;
}

function takesBanned(ban: BannedImport, names: readonly string[] | '*'): boolean {
  return ban.names === undefined || (names !== '*' && names.some((name) => ban.names?.includes(name)));
}

/** Tells whether the node is `object.property`, or any property of the object if none is named. */
function isMember(node: ts.Node, object: string, property?: string): boolean {
  return (
    ts.isPropertyAccessExpression(node) &&
    isName(node.expression, object) &&
    (property === undefined || node.name.text === property)
  );
}

function isCallOf(node: ts.Node, object: string, property: string): boolean {
  return ts.isCallExpression(node) && isMember(node.expression, object, property);
}

function isCallOfName(node: ts.Node, name: string): boolean {
  return ts.isCallExpression(node) && isName(node.expression, name);
}

function isName(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** `new Date()`, without a value. */
function isNewDate(node: ts.Node): boolean {
  return ts.isNewExpression(node) && isName(node.expression, 'Date') && (node.arguments?.length ?? 0) === 0;
}

/** A promise that a timer fulfils. */
function isTimedPromise(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || !isName(node.expression, 'Promise')) return false;
  let isTimed = false;
  walkNodes(node, (inner) => {
    isTimed ||= isCallOfName(inner, 'setTimeout');
  });
  return isTimed;
}

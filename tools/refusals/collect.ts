/**
 * Collects the text of every refusal and warning in the source: what errors say that callers, clerks and operators get.
 *
 * A refusal is written where an error class is constructed, where an alert is built, and where a function that does
 * either is called with the words. `throw bad('Day', 'a date')` is listed as `Day: expected a date.`
 */
import ts from 'typescript';
import { bare, lineOf, propertyOf, walkNodes } from '../architecture/source.ts';
import type { FileMap } from '../architecture/tree.ts';
import { Scopes } from './scopes.ts';
import { hasSentence, parametersIn, substitute, type Text, textForm, TextReader } from './text.ts';

/** A text in the source. */
export interface RefusalText {
  readonly file: string;
  /** First and last line of the expression that builds it. */
  readonly lines: readonly [number, number];
  /** The error's or alert's code; the class for errors that have none. */
  readonly code: string;
  /** The text for people; empty where the callers of a function say it. */
  readonly form: string;
  readonly text: Text;
}

/** A place that builds a refusal. */
interface Site {
  readonly node: ts.Node;
  readonly code: Text;
  readonly message: Text;
  readonly depth: number;
  /** The words are those of its callers, which are listed instead. */
  readonly isPassedOn?: true;
}

/** Functions that pass the words on, one to the other, at most. */
const DEPTH_MAX = 4;
const ALERT_CODE = /^[A-Z][A-Z0-9_]+$/;
/** Properties of results that become the words of a refusal elsewhere. */
const WORDS = ['message', 'problem', 'reason', 'why', 'expected'];

/** Returns the refusals of the files under `src/`, in the order of their files and lines. */
export function collectRefusals(files: FileMap): RefusalText[] {
  const collector = new Collector(new Scopes(files, 'src/'));
  return collector.collect();
}

class Collector {
  readonly #scopes: Scopes;
  readonly #reader: TextReader;
  readonly #calls = new Map<ts.Node, ts.CallExpression[]>();

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
    this.#reader = new TextReader(scopes);
  }

  collect(): RefusalText[] {
    const sites: Site[] = [];
    for (const { source } of this.#scopes.sources) {
      walkNodes(source, (node) => {
        if (ts.isCallExpression(node)) this.#noteCall(node);
        const site = this.#siteOf(node);
        if (site) sites.push(site);
      });
    }
    const paths = new Map(this.#scopes.sources.map(({ path, source }) => [source, path]));
    return sites
      .flatMap((site) => this.#callersOf(site))
      .map(({ node, code, message, isPassedOn }) => {
        const source = node.getSourceFile();
        const form = isPassedOn ? '' : textForm(message).replace(/\s+/g, ' ').trim();
        const last = source.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
        const lines = [lineOf(source, node), last] as const;
        return { file: paths.get(source) ?? '', lines, code: textForm(code), form, text: message };
      });
  }

  #noteCall(node: ts.CallExpression): void {
    const found = ts.isIdentifier(node.expression) ? this.#scopes.resolve(node.expression) : undefined;
    if (found?.kind === 'function') this.#calls.set(found.node, [...(this.#calls.get(found.node) ?? []), node]);
  }

  #siteOf(node: ts.Node): Site | undefined {
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) return this.#errorSite(node, node.expression);
    if (ts.isCallExpression(node)) return this.#noteSite(node);
    if (!ts.isObjectLiteralExpression(node)) return undefined;
    const code = propertyOrShorthand(node, 'code');
    const words = propertyOrShorthand(node, 'text');
    if (code && words && !ts.isNewExpression(node.parent)) {
      const read = this.#reader.read(code);
      const isAlert = ALERT_CODE.test(textForm(read)) || ts.isIdentifier(bare(code)) || isArgumentOfAlert(node);
      return isAlert ? { node, code: read, message: this.#reader.read(words), depth: 0 } : undefined;
    }
    return this.#wordsSite(node);
  }

  /** A refusal that only a page shows, or a warning that is passed on as it is. */
  #noteSite(node: ts.CallExpression): Site | undefined {
    const [first] = node.arguments;
    const callee = node.expression.getText();
    if (first === undefined) return undefined;
    if (callee === 'alertNote') return { node, code: ['(page)'], message: this.#reader.read(first), depth: 0 };
    const isPassedOn = callee.endsWith('.alert') && !ts.isObjectLiteralExpression(first);
    return isPassedOn ? { node, code: [], message: [], depth: 0 } : undefined;
  }

  /** Words in the result of a check, from which another place makes the error. */
  #wordsSite(node: ts.ObjectLiteralExpression): Site | undefined {
    if (ts.isNewExpression(node.parent)) return undefined;
    const words = WORDS.map((name) => propertyOf(node, name)).find((each) => each !== undefined);
    const message = words && this.#reader.read(words);
    return message && hasSentence(message) ? { node, code: ['(words)'], message, depth: 0 } : undefined;
  }

  #errorSite(node: ts.NewExpression, name: ts.Identifier): Site | undefined {
    const [first, second] = node.arguments ?? [];
    if (!this.#isErrorClass(name) || first === undefined) return undefined;
    if (name.text !== 'PlatformError') return { node, code: [name.text], message: this.#reader.read(first), depth: 0 };
    const code = this.#reader.read(first);
    const facts = second && bare(second);
    const words = facts && ts.isObjectLiteralExpression(facts) ? propertyOrShorthand(facts, 'message') : undefined;
    if (words) return { node, code, message: this.#reader.read(words), depth: 0 };
    return { node, code, message: [], depth: 0 };
  }

  /** Whether the name is that of an error class of the product. */
  #isErrorClass(name: ts.Identifier): boolean {
    const found = this.#scopes.resolve(name);
    if (found?.kind !== 'class') return false;
    const base = found.node.heritageClauses?.[0]?.types[0]?.expression;
    return base !== undefined && ts.isIdentifier(base) && (base.text === 'Error' || this.#isErrorClass(base));
  }

  /** Returns the places that say what a site reports: itself, or the calls that pass the words to it. */
  #callersOf(site: Site): Site[] {
    if (site.depth >= DEPTH_MAX) return [site];
    for (const [of, indexes] of parametersIn([...site.message, ...site.code])) {
      const calls = this.#calls.get(of) ?? [];
      const given = calls.map((call) => call.arguments.map((each) => this.#reader.read(each)));
      const isWorded = given.some((all) => [...indexes].some((index) => hasSentence(all[index] ?? [])));
      if (calls.length === 0 || !(isWorded || isFactory(of))) continue;
      const callers = calls.flatMap((node, n) => {
        const all = given[n] ?? [];
        const message = substitute(site.message, of, all);
        return this.#callersOf({ node, code: substitute(site.code, of, all), message, depth: site.depth + 1 });
      });
      return [...callers, { ...site, isPassedOn: true }];
    }
    return [site];
  }
}

function isArgumentOfAlert(node: ts.ObjectLiteralExpression): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && /(?:^|\.)alert$/.test(call.expression.getText());
}

function propertyOrShorthand(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = object.properties.find((each) => ts.isShorthandPropertyAssignment(each) && each.name.text === name) as
    | ts.ShorthandPropertyAssignment
    | undefined;
  return found?.name ?? propertyOf(object, name);
}

/** Whether a function only makes or throws an error, so that its callers say what it reports. */
function isFactory(node: ts.Node): boolean {
  if (!ts.isFunctionLike(node)) return false;
  return node.type !== undefined && /^(?:never|Error|\w*(?:Error|Problem|Failure|Alert))$/.test(node.type.getText());
}

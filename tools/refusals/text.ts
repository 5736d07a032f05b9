/**
 * Texts as the source builds them: literal pieces, values that only a run knows, and alternatives. Nothing is run; a
 * template, a sum, a condition and a constant are read as they are written.
 */
import ts from 'typescript';
import { bare } from '../architecture/source.ts';
import type { NamedFunction, Scopes } from './scopes.ts';

/** Parts in their order; with several alternatives, exactly one of them is used. */
export type Text = readonly Part[];
type Part = string | Value | { readonly alternatives: readonly Text[] };

/** A value that is known at run time; `of` and `index` if it is a parameter of a function. */
interface Value {
  readonly label: string;
  readonly of?: ts.Node;
  readonly index?: number;
}

/** Constants and functions that are followed from a text at most, one inside the other. */
const DEPTH_MAX = 4;
const LABEL_CHARACTERS_MAX = 30;
/** Results of a function that are listed as alternatives; the result of a longer one is a value. */
const RESULTS_MAX = 4;

/** Methods whose result is another form of the value itself. */
const OF_THE_VALUE = /^(?:join|slice|map|filter|to[A-Z]\w*|replace|replaceAll|trim|sort)$/;

/** Reads the texts of expressions. */
export class TextReader {
  readonly #scopes: Scopes;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** Returns the text that the expression builds; a single value if it is not readable. */
  read(expression: ts.Expression, depth = 0): Text {
    const node = bare(expression);
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isNumericLiteral(node)) return [node.text];
    if (ts.isTaggedTemplateExpression(node)) return this.#readTagged(node, depth);
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.flatMap((span) => [...this.read(span.expression, depth), span.literal.text]);
      return [node.head.text, ...spans];
    }
    if (ts.isBinaryExpression(node)) return this.#readBinary(node, depth);
    if (ts.isConditionalExpression(node))
      return [{ alternatives: [this.read(node.whenTrue, depth), this.read(node.whenFalse, depth)] }];
    if (ts.isIdentifier(node)) return this.#readName(node, depth);
    if (ts.isCallExpression(node)) return this.#readCall(node, depth);
    return [{ label: labelOf(node) }];
  }

  /** Markup: its tags are left out. */
  #readTagged({ template }: ts.TaggedTemplateExpression, depth: number): Text {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return [withoutTags(template.text)];
    const { head, templateSpans } = template;
    return [
      withoutTags(head.text),
      ...templateSpans.flatMap(({ expression, literal }) => [
        ...this.read(expression, depth),
        withoutTags(literal.text),
      ]),
    ];
  }

  #readBinary(node: ts.BinaryExpression, depth: number): Text {
    const [left, right] = [node.left, node.right];
    const kind = node.operatorToken.kind;
    if (kind === ts.SyntaxKind.PlusToken && !ts.isNumericLiteral(right))
      return [...this.read(left, depth), ...this.read(right, depth)];
    if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken)
      return [{ alternatives: [this.read(left, depth), this.read(right, depth)] }];
    return [{ label: labelOf(node) }];
  }

  #readName(node: ts.Identifier, depth: number): Text {
    if (node.text === 'undefined') return [];
    const found = this.#scopes.resolve(node);
    if (found?.kind === 'parameter') return [{ label: node.text, of: found.of, index: found.index }];
    if (found?.kind !== 'constant' || depth >= DEPTH_MAX) return [{ label: node.text }];
    const text = this.read(found.value, depth + 1);
    return hasLetters(text) ? text : [{ label: node.text }];
  }

  #readCall(node: ts.CallExpression, depth: number): Text {
    const callee = node.expression;
    if (ts.isPropertyAccessExpression(callee) && callee.name.text === 'join') return [{ label: labelOf(node) }];
    const found = ts.isIdentifier(callee) ? this.#scopes.resolve(callee) : undefined;
    if (found?.kind !== 'function' || depth >= DEPTH_MAX) return [{ label: labelOf(node) }];
    const results = resultsOf(found.node);
    if (results.length === 0 || results.length > RESULTS_MAX) return [{ label: labelOf(node) }];
    const texts = results.map((result) => this.read(result, depth + 1));
    if (!texts.some(hasSentence)) return [{ label: labelOf(node) }];
    const given = node.arguments.map((each) => this.read(each, depth + 1));
    const filled = texts.map((text) => substitute(text, found.node, given));
    return filled.length === 1 ? (filled[0] ?? []) : [{ alternatives: filled }];
  }
}

function withoutTags(markup: string): string {
  return markup.replaceAll(/<[^>]*>/g, '');
}

/** Returns the text with the function's parameters replaced by what is passed for them. */
export function substitute(text: Text, of: ts.Node, given: readonly Text[]): Text {
  return text.flatMap((part): Text => {
    if (typeof part === 'string') return [part];
    if ('alternatives' in part) return [{ alternatives: part.alternatives.map((each) => substitute(each, of, given)) }];
    if (part.of !== of || part.index === undefined) return [part];
    return given[part.index] ?? [{ label: part.label }];
  });
}

/** Returns the functions whose parameters are in the text, each with the indexes of these. */
export function parametersIn(text: Text, found = new Map<ts.Node, Set<number>>()): Map<ts.Node, Set<number>> {
  for (const part of text) {
    if (typeof part === 'string') continue;
    if ('alternatives' in part) for (const each of part.alternatives) parametersIn(each, found);
    else if (part.of !== undefined && part.index !== undefined)
      found.set(part.of, (found.get(part.of) ?? new Set()).add(part.index));
  }
  return found;
}

/** Whether the text has words of its own, with a space between them. */
export function hasSentence(text: Text): boolean {
  return text.some((part) => {
    if (typeof part === 'string') return /[a-z] |[ :][a-z]/i.test(part);
    return 'alternatives' in part && part.alternatives.some(hasSentence);
  });
}

function hasLetters(text: Text): boolean {
  return text.some((part) => {
    if (typeof part === 'string') return /[a-z]/i.test(part);
    return 'alternatives' in part && part.alternatives.some(hasLetters);
  });
}

/** Writes a text for people: `{value}`, `[optional]`, `(one | other)`. */
export function textForm(text: Text): string {
  return text.map(partForm).join('');
}

function partForm(part: Part): string {
  if (typeof part === 'string') return part;
  if (!('alternatives' in part)) return `{${part.label}}`;
  const forms = [...new Set(part.alternatives.map(textForm))];
  const filled = forms.filter((form) => form !== '');
  if (filled.length === forms.length) return forms.length === 1 ? (forms[0] ?? '') : `(${forms.join(' | ')})`;
  return `[${filled.join(' | ')}]`;
}

/** Returns a pattern that matches what the text can become. */
export function textPattern(text: Text): string {
  return text
    .map((part) => {
      if (typeof part === 'string') return escaped(part);
      return 'alternatives' in part ? `(?:${part.alternatives.map(textPattern).join('|')})` : String.raw`[\s\S]*`;
    })
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Returns a short name of a value: the last name in the expression that says what it is. */
function labelOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isCallExpression(node)) {
    const { expression } = node;
    const isMethod = ts.isPropertyAccessExpression(expression);
    if (isMethod && OF_THE_VALUE.test(expression.name.text)) return labelOf(expression.expression);
    return node.arguments.length === 1 && node.arguments[0] ? labelOf(node.arguments[0]) : labelOf(expression);
  }
  if (ts.isArrayLiteralExpression(node)) return 'list';
  if (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node)) return labelOf(node.expression);
  if (ts.isElementAccessExpression(node)) return labelOf(node.expression);
  if (ts.isBinaryExpression(node)) return labelOf(node.left);
  return node.getText().replace(/\s+/g, ' ').slice(0, LABEL_CHARACTERS_MAX);
}

/** Returns the expressions that a function returns, those of functions inside it left out. */
function resultsOf(node: NamedFunction): ts.Expression[] {
  if (node.body === undefined) return [];
  if (!ts.isBlock(node.body)) return [node.body];
  const found: ts.Expression[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isFunctionLike(each)) return;
    if (ts.isReturnStatement(each) && each.expression) found.push(each.expression);
    ts.forEachChild(each, visit);
  };
  ts.forEachChild(node.body, visit);
  return found;
}

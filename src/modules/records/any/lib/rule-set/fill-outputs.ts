import { toXml } from '../../../../../kernel/render/xml.ts';
import type { TreeNode } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { inlineHint, PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { summarize } from '../../../../../kernel/records/search/summary.ts';
import { availableInputs, textOf, type Subject } from '../../../../rules/public/matrix-decision.ts';
import type { RuleOutput } from './best-row.ts';

/** A piece of an output's text: literal, or an expression to fill in. */
type TextPart = { readonly text: string } | { readonly expression: string };

/** Longest text of a filled output, in characters. */
const FILLED_CHARACTERS_MAX = 100_000;
/** A name alone, as opposed to an XPath. */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;

/** Returns the error for an output's text. `label` names rule set and output. */
export function outputError(label: string, what: string): PlatformError {
  return new PlatformError('RULE_EXCEPTION', { message: `${label}: ${what}.` });
}

/** Returns the message of an error under the label of its output, without a field's name that the label ends with. */
export function labeled(label: string, message: string): string {
  const field = message.slice(0, Math.max(0, message.indexOf(': ')));
  return `${label}: ${field !== '' && label.endsWith(` ${field}`) ? message.slice(field.length + 2) : message}`;
}

/**
 * Parses an output's text: `{Field}` is an expression, `{{` and `}}` are literal braces. @throws RULE_EXCEPTION naming
 * the output
 */
function parseParts(text: string, label: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let plain = '';
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if ((sign === '{' || sign === '}') && text[at + 1] === sign) {
      plain += sign;
      at++;
    } else if (sign === '}')
      throw outputError(label, 'a closing brace has no opening brace; double it to write a literal brace');
    else if (sign !== '{') plain += sign;
    else {
      const end = closingBrace(text, at, label);
      const expression = text.slice(at + 1, end).trim();
      if (expression === '') throw outputError(label, 'the braces are empty');
      if (plain !== '') parts.push({ text: plain });
      parts.push({ expression });
      plain = '';
      at = end;
    }
  }
  return plain === '' && parts.length > 0 ? parts : [...parts, { text: plain }];
}

/** Returns the position of the closing brace; braces in an expression's quoted text do not count. */
function closingBrace(text: string, open: number, label: string): number {
  let quote = '';
  for (let at = open + 1; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '{') throw outputError(label, 'an expression in braces cannot contain another one');
    else if (sign === '}') return at;
  }
  throw outputError(label, 'an opening brace has no closing brace; double it to write a literal brace');
}

/** Where the values of expressions come from, and how errors name the rule set and its row. */
export interface FillSource {
  readonly ruleSet: string;
  readonly summary: boolean;
  readonly sent: Parameters;
}

/** An output that cannot be used, and why. */
export interface OutputFault {
  readonly output: string;
  readonly error: PlatformError;
}

/** Outputs with their expressions filled in, and those where that is not possible. */
export interface FilledOutputs {
  readonly outputs: readonly RuleOutput[];
  readonly faults: readonly OutputFault[];
}

/** An output with its parsed text. `label` names rule set and output. */
interface ParsedOutput {
  readonly output: RuleOutput;
  readonly label: string;
  readonly parts: readonly TextPart[];
}

/**
 * Returns outputs with their expressions filled in: from the record's own fields and the submitted values, or from its
 * summary.
 */
export async function fillOutputs(
  ctx: Context,
  outputs: readonly RuleOutput[],
  subject: Subject,
  from: FillSource,
): Promise<FilledOutputs> {
  const faults: OutputFault[] = [];
  const parsed = outputs.flatMap((output) => {
    const label = `${from.ruleSet}, output ${output.name}`;
    const parts = attempt(faults, output.name, () => parseParts(output.text, label));
    return parts ? [{ output, label, parts }] : [];
  });
  const find = from.summary ? await summaryValues(ctx, subject, parsed) : fieldValues(subject, from.sent);
  const filled = parsed.flatMap((each): RuleOutput[] => {
    const text = attempt(faults, each.output.name, () => filledText(each, find));
    return text === undefined ? [] : [{ ...each.output, text }];
  });
  return { outputs: filled, faults };
}

/** Runs a function for one output; notes its error and returns undefined if it throws one. */
export function attempt<T>(faults: OutputFault[], output: string, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    faults.push({ output, error });
    return undefined;
  }
}

/** Returns the value of an expression. `label` names rule set and output in errors. */
type FindValue = (expression: string, label: string) => string;

function filledText({ parts, label }: ParsedOutput, find: FindValue): string {
  const values = new Map(
    expressionsOf(parts).map((expression) => [expression, isNull(expression) ? '' : find(expression, label)]),
  );
  const text = joinParts(parts, values);
  if (text.length > FILLED_CHARACTERS_MAX)
    throw outputError(label, `filled in it is longer than ${FILLED_CHARACTERS_MAX} characters`);
  return text;
}

/** `{null}` is empty: an output of nothing else empties its field. */
const isNull = (expression: string): boolean => expression.toLowerCase() === 'null';

function expressionsOf(parts: readonly TextPart[]): string[] {
  return [...new Set(parts.flatMap((part) => ('expression' in part ? [part.expression] : [])))];
}

function joinParts(parts: readonly TextPart[], values: ReadonlyMap<string, string>): string {
  return parts.map((part) => ('text' in part ? part.text : (values.get(part.expression) ?? ''))).join('');
}

/** Finds expressions among the fields. Empty fields are empty text; unknown ones throw. */
function fieldValues(subject: Subject, sent: Parameters): FindValue {
  const { record } = subject;
  const values = availableInputs(subject, sent);
  return (expression, label) => {
    const name = expression.replace(/\s+/g, '').toLowerCase();
    const column = record.columns.get(name);
    if (column?.field.kind === 'ssn')
      throw outputError(label, `{${expression}} is a protected number, which is not filled in`);
    const isKnown = values.has(name) || (column !== undefined && column.read !== null) || record.answers !== undefined;
    if (!isKnown || !PLAIN_NAME.test(name)) {
      const known = record.shown.map((each) => each.name);
      throw outputError(
        label,
        `{${expression.slice(0, 100)}} is not a field of ${record.name}` +
          (PLAIN_NAME.test(name) ? '' : '; an XPath requires RuleSetUseSummary') +
          inlineHint(expression, known),
      );
    }
    return textOf(values.get(name) ?? '');
  };
}

/**
 * Finds expressions in the summary: `{X}` is `//X`, any other expression is the XPath itself. Where one of them cannot
 * be evaluated, the others are evaluated one by one.
 */
async function summaryValues(
  ctx: Context,
  { record, id }: Subject,
  parsed: readonly ParsedOutput[],
): Promise<FindValue> {
  const expressions = [...new Set(parsed.flatMap(({ parts }) => expressionsOf(parts)))].filter((each) => !isNull(each));
  if (expressions.length === 0) return () => '';
  const xml = toXml({ kind: 'tree', root: withoutProtectedNumbers(await summarize(ctx, record, id)) }, []);
  const evaluate = (some: readonly string[]): Promise<readonly (string | undefined)[]> =>
    ctx.sandbox.evaluate({
      xml,
      expressions: some.map((expression) => (PLAIN_NAME.test(expression) ? `//${expression}` : expression)),
      scope: sandboxScope(ctx.user),
    });
  const values = new Map<string, string>();
  const errors = new Map<string, PlatformError>();
  try {
    for (const [at, value] of (await evaluate(expressions)).entries()) values.set(expressions[at] ?? '', value ?? '');
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    for (const expression of expressions)
      await evaluate([expression]).then(
        ([value]) => values.set(expression, value ?? ''),
        (fault: unknown) => {
          if (!(fault instanceof PlatformError)) throw fault;
          errors.set(expression, fault);
        },
      );
  }
  return (expression, label) => {
    const error = errors.get(expression);
    if (error)
      throw new PlatformError(error.code, {
        message: `${label}: ${error.message}`,
        cause: error,
        ...(error.field === undefined ? {} : { field: error.field }),
      });
    return values.get(expression) ?? '';
  };
}

/** Returns a tree without protected numbers, which must not leak into outputs. */
function withoutProtectedNumbers(node: TreeNode): TreeNode {
  return node.children
    ? { ...node, children: node.children.filter((child) => child.field?.kind !== 'ssn').map(withoutProtectedNumbers) }
    : node;
}

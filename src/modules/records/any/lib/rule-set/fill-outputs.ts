import { toXml } from '../../../../../kernel/render/xml.ts';
import type { TreeNode } from '../../../../../kernel/door/answer.ts';
import type { Context } from '../../../../../kernel/door/context.ts';
import { nearest, PlatformError } from '../../../../../kernel/door/errors.ts';
import { sandboxScope } from '../../../../../kernel/security/identity.ts';
import type { Parameters } from '../../../../../kernel/parameters/parameters.ts';
import { summarize } from '../../../../../kernel/records/search/summary.ts';
import { availableInputs, textOf, type RuleOutput, type Subject } from './best-row.ts';

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
      throw outputError(label, 'a closing brace has no opening one; write a literal brace twice');
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
  throw outputError(label, 'a brace is not closed; write a literal brace twice');
}

/**
 * Returns outputs with their expressions filled in: from the record's own fields and the submitted values, or from its
 * summary.
 */
export async function fillOutputs(
  ctx: Context,
  outputs: readonly RuleOutput[],
  subject: Subject,
  from: { readonly ruleSet: string; readonly summary: boolean; readonly sent: Parameters },
): Promise<readonly RuleOutput[]> {
  const { ruleSet } = from;
  const taken = outputs.map((output) => ({
    output,
    label: `${ruleSet}, output ${output.name}`,
    parts: parseParts(output.text, `${ruleSet}, output ${output.name}`),
  }));
  const mergeFields = [
    ...new Set(taken.flatMap(({ parts }) => parts.flatMap((part) => ('expression' in part ? [part.expression] : [])))),
  ];
  if (mergeFields.length === 0)
    return taken.map(({ output, parts }) => ({ ...output, text: joinParts(parts, new Map()) }));
  const labelOf = (expression: string): string =>
    taken.find(({ parts }) => parts.some((part) => 'expression' in part && part.expression === expression))?.label ??
    ruleSet;
  const values = from.summary
    ? await fillFromSummary(ctx, subject, mergeFields)
    : fillFromFields(subject, from.sent, mergeFields, labelOf);
  return taken.map(({ output, label, parts }) => {
    const text = joinParts(parts, values);
    if (text.length > FILLED_CHARACTERS_MAX)
      throw outputError(label, `filled in it is longer than ${FILLED_CHARACTERS_MAX} characters`);
    return { ...output, text };
  });
}

function joinParts(parts: readonly TextPart[], values: ReadonlyMap<string, string>): string {
  return parts.map((part) => ('text' in part ? part.text : (values.get(part.expression) ?? ''))).join('');
}

/** Fills expressions from fields. Empty fields become empty text; unknown ones throw. */
function fillFromFields(
  subject: Subject,
  sent: Parameters,
  expressions: readonly string[],
  labelOf: (expression: string) => string,
): ReadonlyMap<string, string> {
  const { record } = subject;
  const values = availableInputs(subject, sent);
  const filled = new Map<string, string>();
  for (const expression of expressions) {
    const name = expression.replace(/\s+/g, '').toLowerCase();
    const column = record.columns.get(name);
    if (column?.field.kind === 'ssn')
      throw outputError(labelOf(expression), `{${expression}} is a protected number, which is not filled in`);
    const isKnown = values.has(name) || (column !== undefined && column.read !== null) || record.answers !== undefined;
    if (!isKnown || !PLAIN_NAME.test(name)) {
      const near = nearest(
        expression,
        record.shown.map((each) => each.name),
      );
      throw outputError(
        labelOf(expression),
        `{${expression.slice(0, 100)}} is not a field of ${record.name}` +
          (PLAIN_NAME.test(name) ? '' : '; an XPath requires RuleSetUseSummary') +
          (near.length > 0 ? `. Nearest: ${near.join(', ')}` : ''),
      );
    }
    filled.set(expression, textOf(values.get(name) ?? ''));
  }
  return filled;
}

/** `{X}` is `//X`; any other expression is the XPath itself. */
async function fillFromSummary(
  ctx: Context,
  { record, id }: Subject,
  expressions: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const root = withoutProtectedNumbers(await summarize(ctx, record, id));
  const found = await ctx.sandbox.evaluate({
    xml: toXml({ kind: 'tree', root }, []),
    expressions: expressions.map((expression) => (PLAIN_NAME.test(expression) ? `//${expression}` : expression)),
    scope: sandboxScope(ctx.user),
  });
  return new Map(expressions.map((expression, at) => [expression, found[at] ?? '']));
}

/** Returns a tree without protected numbers, which must not leak into outputs. */
function withoutProtectedNumbers(node: TreeNode): TreeNode {
  return node.children
    ? { ...node, children: node.children.filter((child) => child.field?.kind !== 'ssn').map(withoutProtectedNumbers) }
    : node;
}

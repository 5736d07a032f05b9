import type { Answer } from './answer.ts';
import type { Context } from './context.ts';
import { timeZone } from '../declare/core-settings.ts';
import { namesHint, PlatformError } from './errors.ts';
import type { Operation } from '../declare/operation.ts';
import type { RecordType } from '../declare/record.ts';
import { mergeParameters, ParameterCollector, type Parameters } from '../parameters/parameters.ts';
import { declaredParameter } from '../parameters/parse-parameters.ts';
import { parseValue, type RawValue } from '../parameters/parse-value.ts';
import { queueParameterFields } from '../parameters/queue-parameters.ts';
import { planOptions, planSave } from '../records/save/plan.ts';
import { isFilterName } from '../records/search/search.ts';
import { parseRoute } from './route.ts';
import { hasSecretAnswer } from './secret-answers.ts';

/** A part of a parameter's value: decoded text, or an expression to fill in. */
export type SignaturePart = { readonly text: string } | { readonly expression: string };

/** One parameter of a signature. */
export interface SignatureParameter {
  readonly name: string;
  readonly parts: readonly SignaturePart[];
}

/** A parsed method signature of configuration: `Message/Search?ObjectID={LoanID}&OrderBy=-MessageID`. */
export interface Signature {
  /** The route: `Message/Search`. */
  readonly route: string;
  readonly parameters: readonly SignatureParameter[];
}

/**
 * Returns the value of an expression: a scalar, a list if the parameter consists of the expression alone, or undefined.
 */
export type Resolve = (expression: string) => RawValue | undefined | Promise<RawValue | undefined>;

/** Where a signature comes from: the parameter or column that holds it, and the module of a bare operation name. */
export interface SignatureUse {
  readonly field: string;
  readonly module?: string;
  /** The operation must only read: nobody expects the call that uses the signature to change anything else. */
  readonly onlyReads?: true;
}

/** Longest signature, in characters. */
const SIGNATURE_LENGTH_MAX = 20_000;

/** Parameters that choose the format of an HTTP response; ignored in configuration. */
const formNames = new Set(['output', 'callback']);

/**
 * Parses a signature without checking that its names exist (see {@link checkSignature}). The text is decoded before
 * anything is filled in: a filled-in value is always a value and can never add or name a parameter.
 * @throws BAD_SIGNATURE naming `use.field`
 */
export function parseSignature(text: string, use: SignatureUse): Signature {
  if (text.length > SIGNATURE_LENGTH_MAX)
    throw badSignature(use, `expected at most ${SIGNATURE_LENGTH_MAX} characters`);
  const [head = '', ...queries] = splitOutside(text.trim(), '?', use);
  if (/[{}]/.test(head)) throw badSignature(use, 'braces fill in values only, never the name of a module or operation');
  const segments = head
    .replace(/^\/?(?:api\/)?/i, '')
    .split('/')
    .map((s) => decode(s, use));
  const named = segments.length === 1 && use.module !== undefined ? [use.module, ...segments] : segments;
  if (named.length < 2 || named.includes(''))
    throw badSignature(
      use,
      'expected {ClassName}/{Operation}?{Parameters}, such as Contact/Search?LastName={LastName}',
    );
  const query = queries.join('?');
  const parameters =
    query === ''
      ? []
      : splitOutside(query, '&', use)
          .filter((pair) => pair !== '')
          .map((pair) => parameterOf(pair, use));
  return { route: named.join('/'), parameters: parameters.filter((p) => !formNames.has(p.name.toLowerCase())) };
}

/**
 * Checks a signature when it is saved: the module, operation and parameters must exist, and values without expressions
 * must have their parameter's type. Permission is checked when it is called.
 * @throws BAD_SIGNATURE with the nearest names
 */
export async function checkSignature(
  ctx: Pick<Context, 'registry' | 'settings' | 'findOperation'>,
  text: string,
  use: SignatureUse,
): Promise<Signature> {
  const signature = parseSignature(text, use);
  const { registry } = ctx;
  const route = parseRoute(registry, signature.route.split('/'), 'POST');
  if (!registry.hasModule(route.module))
    throw badSignature(use, `there is no module ${route.module}`, namesHint(route.module, registry.moduleNames()));
  const operation = route.operation ?? (await ctx.findOperation(route.module, route.path));
  const known = (): string[] =>
    registry
      .operations()
      .filter((o) => o.module === route.module)
      .map((o) => o.path ?? o.name);
  if (!operation)
    throw badSignature(use, `there is no operation ${route.path} on ${route.module}`, namesHint(route.path, known()));
  assertStorable(operation, signature, use);
  assertOnlyReads(operation, route, use);
  const options = { timeZone: ctx.settings.get(timeZone) };
  for (const parameter of signature.parameters) {
    if (route.queued && isQueueName(parameter.name)) continue;
    assertName(ctx, operation, parameter.name, use);
    const field = declaredParameter(operation, parameter.name);
    const literal = literalOf(parameter);
    if (field && literal !== undefined) parseValue(field, literal, `${use.field}: ${parameter.name}`, options);
  }
  return signature;
}

/** Throws if the operation changes something, or is queued, although the signature may only read. */
function assertOnlyReads(
  { effect, route }: Pick<Operation, 'effect' | 'route'>,
  { queued }: { readonly queued: boolean },
  use: SignatureUse,
): void {
  if (use.onlyReads !== true || (effect === 'read' && !queued)) return;
  throw badSignature(
    use,
    `${route} ${queued ? 'would be queued' : 'changes records'}; expected an operation that only reads`,
  );
}

/** Returns the signature's parameters with its expressions filled in. An expression without a value becomes empty. */
export async function fillSignature(signature: Signature, resolve: Resolve): Promise<Parameters> {
  const collector = new ParameterCollector();
  for (const { name, parts } of signature.parameters) {
    const values: RawValue[] = [];
    for (const part of parts) values.push('text' in part ? part.text : ((await resolve(part.expression)) ?? null));
    collector.add(name, values.length === 1 ? (values[0] ?? '') : values.map(textOf).join(''));
  }
  return collector.all();
}

/**
 * Calls the operation of a signature as the calling user, whose permission is checked. `use.more`: further parameters;
 * the signature's own override them.
 */
export async function callSignature(
  ctx: Context,
  text: string,
  use: SignatureUse & { readonly more?: Parameters },
  resolve: Resolve,
): Promise<Answer> {
  const { more = {} } = use;
  const signature = parseSignature(text, use);
  if (use.onlyReads === true) await assertRouteOnlyReads(ctx, signature, use);
  return ctx.callNamed(signature.route, mergeParameters(more, await fillSignature(signature, resolve)));
}

/** A signature stored before it was checked, or whose operation has changed since, is refused when it is called. */
async function assertRouteOnlyReads(ctx: Context, signature: Signature, use: SignatureUse): Promise<void> {
  const route = parseRoute(ctx.registry, signature.route.split('/'), 'POST');
  const operation = route.operation ?? (await ctx.findOperation(route.module, route.path));
  if (operation) assertOnlyReads(operation, route, use);
}

function badSignature(use: SignatureUse, what: string, hint = ''): PlatformError {
  return new PlatformError('BAD_SIGNATURE', {
    field: use.field,
    message: `${use.field}: ${what}.${hint}`,
  });
}

function textOf(value: RawValue): string {
  if (value === null) return '';
  if (typeof value === 'object') return Array.isArray(value) ? value.map(textOf).join(',') : JSON.stringify(value);
  return String(value);
}

/** Splits at a character outside braces; expressions inside them, such as XPath, may contain it. */
function splitOutside(text: string, sign: string, use: SignatureUse): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') at = closingBrace(text, at, use);
    else if (text[at] === sign) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** Returns the position of the closing brace. Braces inside quoted text of the expression do not count. */
function closingBrace(text: string, open: number, use: SignatureUse): number {
  let quote = '';
  for (let at = open + 1; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '{') throw badSignature(use, 'an expression in braces cannot contain another one');
    else if (sign === '}') return at;
  }
  throw badSignature(use, 'an opening brace has no closing brace');
}

/** Parses one parameter. A comparison may replace `=`, as in a route: `UPBAmount>={Minimum}`. */
function parameterOf(pair: string, use: SignatureUse): SignatureParameter {
  const match = /^([^=<>!{}]+)(>=|<=|<>|!=|=|>|<|$)(.*)$/s.exec(pair);
  if (!match) throw badSignature(use, 'a parameter is Name=value; braces fill in values only, never names');
  const [, name = '', sign = '', value = ''] = match;
  const parts = partsOf(value, use);
  const hasComparison = sign !== '=' && sign !== '';
  const comparison = { text: sign === '!=' ? '<>' : sign };
  return { name: decode(name, use).trim(), parts: hasComparison ? [comparison, ...parts] : parts };
}

function partsOf(value: string, use: SignatureUse): SignaturePart[] {
  const parts: SignaturePart[] = [];
  let from = 0;
  for (let at = value.indexOf('{'); at >= 0; at = value.indexOf('{', from)) {
    const end = closingBrace(value, at, use);
    if (at > from) parts.push({ text: decode(value.slice(from, at), use) });
    const expression = value.slice(at + 1, end).trim();
    if (expression === '') throw badSignature(use, 'the braces are empty');
    parts.push({ expression });
    from = end + 1;
  }
  if (from < value.length || parts.length === 0) parts.push({ text: decode(value.slice(from), use) });
  return parts;
}

function decode(text: string, use: SignatureUse): string {
  if (text.includes('}')) throw badSignature(use, 'a closing brace has no opening brace; write a literal one as %7D');
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badSignature(use, 'it contains an invalid percent escape');
  }
}

function literalOf({ parts }: SignatureParameter): string | undefined {
  const [only] = parts;
  return parts.length === 1 && only && 'text' in only ? only.text : undefined;
}

function isQueueName(name: string): boolean {
  const plain = name.toLowerCase().replace(/^_/, '');
  return Object.keys(queueParameterFields).some((known) => known.toLowerCase() === plain);
}

/** Throws if the answer contains secrets in the clear: what calls the signature stores or shows it. */
function assertStorable(operation: Operation, { parameters }: Signature, use: SignatureUse): void {
  // An expression may turn out to be anything.
  const sent = Object.fromEntries(parameters.map((each) => [each.name, literalOf(each) ?? 'true']));
  if (hasSecretAnswer(operation, sent))
    throw badSignature(
      use,
      `${operation.permissionName} returns secrets in the clear, so configuration cannot name it`,
    );
}

/** Throws unless the operation takes a parameter of this name. */
function assertName(
  ctx: Pick<Context, 'registry' | 'settings'>,
  operation: Operation,
  name: string,
  use: SignatureUse,
): void {
  if (declaredParameter(operation, name) || acceptsFreeName(ctx, operation, name)) return;
  const { record, free, freeNames = [] } = operation;
  const columns = free === 'fields' || free === 'filters' ? (record?.shown.map((c) => c.name) ?? []) : [];
  const known = [...Object.keys(operation.params), ...freeNames, ...columns];
  throw badSignature(use, `${operation.route} takes no parameter ${name.slice(0, 100)}`, namesHint(name, known));
}

/** Whether the operation accepts a name besides its declared parameters. */
function acceptsFreeName(
  ctx: Pick<Context, 'registry' | 'settings'>,
  { record, free, freeNames }: Operation,
  name: string,
): boolean {
  if (free === 'any') return freeNames?.some((known) => known.toLowerCase() === name.toLowerCase()) ?? true;
  if (!record) return false;
  if (free === 'filters') return isFilterName(ctx.registry, record, name);
  return free === 'fields' && isSavedName(ctx, record, name);
}

function isSavedName(ctx: Pick<Context, 'registry' | 'settings'>, record: RecordType, name: string): boolean {
  try {
    planSave(ctx.registry, record, { [name]: null }, planOptions(ctx));
    return true;
  } catch (error) {
    if (error instanceof PlatformError) return false;
    throw error;
  }
}

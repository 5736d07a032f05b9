import type { Context } from '../../../../kernel/door/context.ts';
import { parseRoute, unknownOperation } from '../../../../kernel/door/route.ts';
import { fillSignature, parseSignature } from '../../../../kernel/door/signature.ts';
import type { RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { Operation } from '../../../../kernel/declare/operation.ts';
import { mayAnswer } from './automatic-answers.ts';

/** Values of a mail that a statement's expressions find, by lower-cased name. */
export type MailValues = ReadonlyMap<string, RawValue>;

/** A mail for which a statement is called; its message is stored. */
export interface StatementMail {
  readonly messageId: number;
  readonly threadId: number;
  readonly values: MailValues;
  /** Why it may not be answered automatically, whatever a rule says. */
  readonly unanswerable: string | undefined;
}

/** The values of the first row by lower-cased name. */
export interface StatementRow {
  readonly values: ReadonlyMap<string, RawValue>;
}

/** Result of a statement: its first row; an operation ran; or nothing, so that the next rule is tried. */
export type StatementResult =
  | { readonly kind: 'rows'; readonly row: StatementRow }
  | { readonly kind: 'ran' }
  | { readonly kind: 'next'; readonly reason?: string };

/** Operations by which a rule answers a mail. */
const sendingRoutes: ReadonlySet<string> = new Set([
  'message/generate',
  'message/saveemail',
  'message/send',
  'maildelivery/post',
]);

/**
 * Calls the operation of a rule for a mail, as the built-in user of workflows: whoever saved the rule was allowed to
 * make the call. A name without a module is one of Message. An operation that opens its own transactions is queued, so
 * that it runs once, after the mail is stored.
 * @throws PlatformError as the operation does
 */
export async function callStatement(own: Context, statement: string, mail: StatementMail): Promise<StatementResult> {
  const signature = parseSignature(statement, { field: 'MessageStatement', module: 'message' });
  const route = parseRoute(own.registry, signature.route.split('/'), 'POST');
  const operation = route.operation ?? (await own.findOperation(route.module, route.path));
  if (!operation) throw unknownOperation(own.registry, route);
  if (sendingRoutes.has(operation.route.toLowerCase())) {
    const refused = await mayAnswer(own, mail);
    if (refused !== undefined) return { kind: 'next', reason: refused };
  }
  const parameters = await fillSignature(signature, (expression) => mail.values.get(expression.toLowerCase()));
  if (operation.transactions === 'own' && !returnsRows(operation)) {
    const personId = await own.builtinPersonId('Workflow');
    if (personId !== undefined) await own.enqueue({ route: operation.route, parameters, personId });
    return { kind: 'ran' };
  }
  const answer = await own.actingAs('Workflow', (workflow) => workflow.callNamed(signature.route, parameters));
  if (!returnsRows(operation) || answer.kind !== 'list') return { kind: 'ran' };
  const [first] = answer.rows as readonly Record<string, RawValue | undefined>[];
  if (!first) return { kind: 'next' };
  const values = Object.entries(first).map(([name, value]) => [name.toLowerCase(), value ?? null] as const);
  return { kind: 'rows', row: { values: new Map(values) } };
}

function returnsRows({ returns }: Operation): boolean {
  return returns === 'list';
}

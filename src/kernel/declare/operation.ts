import type { Answer, ListAnswer, TreeNode } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { ErrorCode } from '../door/errors.ts';
import type { ParameterFields, Parsed } from './field-types.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { RecordType } from './record.ts';

/**
 * Which names an operation takes beside those that it declares.
 * `fields`: values for the record's columns, children, linked records and parent. `filters`: search filters on its columns.
 * `any`: whatever is sent, handed on as it came.
 */
export type Free = 'fields' | 'filters' | 'any';

/** What an operation is: everything that a surface, the door or the reference needs to know without running it. */
export interface OperationDeclaration<P extends ParameterFields = ParameterFields> {
  /** The module, or `any` for an operation that every record type has. */
  readonly module: string;
  /** The name as configuration spells it, such as `MarkRead`; routes and file names use it in lower case. */
  readonly name: string;
  /** The route below the module where it is not the name: more segments, or `{Parameter}` for a segment that is a parameter. */
  readonly path?: string;
  /** The method of the interface's own calls. Both GET and POST are taken. */
  readonly method: 'GET' | 'POST';
  readonly summary: string;
  /** It concerns configuration as a whole, which is closed to firms' users whatever their roles grant. Of `any`, only record types that are moved between installations have it. */
  readonly on?: 'configuration';
  /** `read`: changes nothing and may run without a transaction of its own. */
  readonly effect: 'read' | 'write';
  /** Sending it twice has the effect of sending it once. */
  readonly idempotent: boolean;
  /** `permission`: a role must grant it. `signed-in`: any user. `anonymous`: nobody need sign in. */
  readonly access: 'permission' | 'signed-in' | 'anonymous';
  /** The permission's name where it is not module and name joined. */
  readonly permission?: string;
  /** The parameter that names the record or records that it acts on. */
  readonly names?: keyof P & string;
  readonly params: P;
  /**
   * Headers by which a surface that has headers takes parameters too: header to parameter. What stands in the path or query wins.
   * Where the body is the material itself, what describes it goes there. Other surfaces know the parameters alone.
   */
  readonly headers?: Readonly<Record<string, keyof P & string>>;
  readonly free?: Free;
  /** The body is the operation's material as it is, not parameters. */
  readonly body?: 'raw';
  /**
   * `own`: the operation opens its transactions itself, one for each item. Default: one for the whole call.
   * From the queue it may then be delivered again after it was cut off, even while the first delivery still runs: each item's
   * transaction must find out by itself whether the item is done (a unique key, a locked row's state) and what it queues must
   * be queued in that transaction. Once it has answered, it is not made again.
   */
  readonly transactions?: 'own';
  readonly returns: ParameterFields | 'item' | 'list' | 'tree' | 'content' | 'nothing';
  /** What the answer's elements are named after where it is not the record type: `History` for `<HistoryCollection><HistoryItem>`. */
  readonly answerName?: string;
  /** Of a tree with a form of its own: an example of it. */
  readonly example?: TreeNode;
  /** Of a list: its columns, where they are not the record type's. */
  readonly rows?: ParameterFields;
  readonly errors: readonly ErrorCode[];
  /** Of a list that is answered a page at a time: hands all of it over, for those who work on every row. */
  readonly readWhole?: ReadWhole;
  /** Where the behaviour is laid down: document and section. */
  readonly source: string;
  /** Answers in a form of its own whatever `Output` says: the referral import is XML. */
  readonly form?: 'xml' | 'json';
}

/**
 * Reads a list whole, in pieces, all of it as it stood at one moment; the parameters that choose a page are passed over. At least
 * one piece is handed over, so that the columns are known where there are no rows.
 */
export type ReadWhole = (
  ctx: Context,
  params: Record<string, unknown>,
  rest: Parameters,
  take: (piece: ListAnswer) => Promise<void>,
) => Promise<void>;

/** What a run function gets: the parsed parameters, and what came beside them where the operation is `free`. */
export type ParametersOf<D> = D extends { readonly params: infer P extends ParameterFields } ? Parsed<P> : never;

/** A run function as the registry keeps it. */
export type Run = (ctx: Context, params: Record<string, unknown>, rest: Parameters) => Promise<Answer>;

/** An operation as it stands in the registry. */
export interface Operation extends OperationDeclaration {
  readonly route: string;
  readonly permissionName: string;
  /** The record type that it works on, where the module is one. */
  readonly record: RecordType | undefined;
  readonly run: Run;
  /** Of one that is free for any names: those that it takes, where they are known beforehand. */
  readonly freeNames?: readonly string[];
  /** Where it comes from: code, or a statement kept as configuration. */
  readonly origin: 'built-in' | 'statement';
}

/** Declares an operation. See {@link OperationDeclaration} for what each part means. */
export function defineOperation<const P extends ParameterFields, const D extends OperationDeclaration<P>>(
  declaration: D & { readonly params: P },
): D & { readonly params: P } {
  return declaration;
}

/** Ties a run function to its declaration, so that its parameters are typed by it. */
export function handle<D extends OperationDeclaration, A extends Answer>(
  _operation: D,
  run: (ctx: Context, params: ParametersOf<D>, rest: Parameters) => Promise<A>,
): (ctx: Context, params: ParametersOf<D>, rest: Parameters) => Promise<A> {
  return run;
}

/** What `ctx.call` takes and answers for each operation; the composition's catalog declares its members. */

export interface OperationCatalog {}

type AnyHandler = (ctx: Context, params: never, rest: Parameters) => Promise<Answer>;

/** The catalog's entry for an operation file: what its parameters look like to a caller, and what it answers. */
export interface CatalogEntry<D extends OperationDeclaration, H extends AnyHandler> {
  readonly params: Readonly<Partial<ParametersOf<D>>> & Readonly<Record<string, unknown>>;
  readonly answer: Awaited<ReturnType<H>>;
}

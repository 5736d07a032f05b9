import type { Answer, ListAnswer, TreeNode } from '../door/answer.ts';
import type { Context } from '../door/context.ts';
import type { ErrorCode } from '../door/errors.ts';
import type { RecordOfModule } from './catalog.ts';
import type { ParameterFields, Parsed } from './field-types.ts';
import type { Parameters } from '../parameters/parameters.ts';
import type { RecordType } from './record.ts';

/**
 * Names that an operation accepts besides its declared ones. `fields`: values of the record's columns, children, linked
 * records and parent. `filters`: search filters on its columns. `any`: anything, passed on unchanged.
 */
export type Free = 'fields' | 'filters' | 'any';

/** A parameter that names records, or a pair of a record type's name and an id. */
export type NamedBy<P> = (keyof P & string) | { readonly object: keyof P & string; readonly id: keyof P & string };

/** An operation's declaration: all that a surface, the door or the reference needs to know without running it. */
export interface OperationDeclaration<P extends ParameterFields = ParameterFields> {
  /** The module; `any` for an operation of every record type. */
  readonly module: string;
  /** The name as configuration spells it, such as `MarkRead`. Routes and file names use it in lower case. */
  readonly name: string;
  /**
   * The route below the module, if it is not the name: several segments, or `{Parameter}` for a segment that is a
   * parameter.
   */
  readonly path?: string;
  /** The HTTP method that the reference shows. GET and POST are both accepted. */
  readonly method: 'GET' | 'POST';
  readonly summary: string;
  /**
   * It concerns configuration as a whole, which is closed to firms' users whatever their roles grant. For `any`, only
   * record types that are transferred between installations have it.
   */
  readonly on?: 'configuration';
  /** `read`: changes nothing and may run without a transaction. */
  readonly effect: 'read' | 'write';
  /** Sending it twice has the same effect as sending it once. */
  readonly idempotent: boolean;
  /** `permission`: a role must grant it. `signed-in`: any user. `anonymous`: no sign-in needed. */
  readonly access: 'permission' | 'signed-in' | 'anonymous';
  /** The permission's name, if it is not module and name joined. */
  readonly permission?: string;
  /**
   * The parameters that name the records that it works on: a parameter with an ID or a list of IDs, or a pair such as
   * `{ object: 'Object', id: 'ObjectID' }`. The records are of the type that the parameter refers `to`, or of the
   * module's. Before the business rules and the operation run, the door reads which of them are visible to the caller,
   * and throws NOT_FOUND for the first that is not. A parameter without a value names none.
   */
  readonly names?: NamedBy<P> | readonly NamedBy<P>[];
  /**
   * What the door does with the records of `names` that are not named by a pair. Default: it reads whether they are
   * visible. `row`: it reads the row of each, which `namedRow` returns. `locked row`: it also locks the rows until the
   * transaction ends, those of a list by rising id. `own`: the reason why only the operation can reach them. Its own
   * statements then find what is missing or not visible, and it throws NOT_FOUND.
   */
  readonly reach?: 'row' | 'locked row' | { readonly own: string };
  readonly params: P;
  /**
   * Headers accepted as parameters by surfaces that have headers: header to parameter. A value in the path or query
   * overrides it. For operations whose body is the material itself. Other surfaces accept the parameters only.
   */
  readonly headers?: Readonly<Record<string, keyof P & string>>;
  readonly free?: Free;
  /** The body is raw material, not parameters. */
  readonly body?: 'raw';
  /**
   * `own`: the operation opens a transaction for each item itself. Default: one transaction for the whole call.
   * A queued call may be delivered again after an interruption, even while the first delivery is still running: each
   * item's transaction must find out itself whether the item is done (a unique key, a locked row's state), and must
   * enqueue in that transaction. Once it has returned an answer, it is not run again.
   */
  readonly transactions?: 'own';
  /**
   * The answer contains secrets in the clear, such as whole Social Security numbers or a new key: always, or if a
   * parameter such as `Unmask` is set. Configuration cannot name such a call, it cannot be queued, and agents cannot
   * make it. Files need no mark: where answers are stored, they are left out.
   */
  readonly secretAnswer?: true | (keyof P & string);
  /**
   * It calls operations that its parameters name, or the rows of a file that they name, as its caller, now or later.
   * Only users who may do everything can name it in configuration, which may run as another user.
   */
  readonly callsNamed?: true;
  readonly returns: ParameterFields | 'item' | 'list' | 'tree' | 'content' | 'nothing';
  /**
   * Name of the answer's elements, if it is not the record type's: `History` for `<HistoryCollection><HistoryItem>`.
   */
  readonly answerName?: string;
  /** Of a tree with its own format: an example. */
  readonly example?: TreeNode;
  /** Of a list: its columns, if they are not the record type's. */
  readonly rows?: ParameterFields;
  readonly errors: readonly ErrorCode[];
  /** Of a list that is returned in pages: reads all of it, for callers that process every row. */
  readonly readWhole?: ReadWhole;
  /**
   * For an operation that accepts `any` names: throws for those that it would refuse when it runs. Checked when a call
   * is queued, because its caller would not see the later error.
   */
  readonly checkQueued?: (ctx: Context, params: Record<string, unknown>, rest: Parameters) => Promise<void> | void;
  /**
   * Of an operation whose free `fields` may belong to another record that it creates: returns those of its own record,
   * and throws for those that neither takes. Called when a call is queued.
   */
  readonly queuedFields?: (ctx: Context, rest: Parameters) => Promise<Parameters>;
  /** Where the behaviour is specified: document and section. */
  readonly source: string;
  /** Always returns this format, whatever `Output` says: the referral import returns XML. */
  readonly form?: 'xml' | 'json';
}

/**
 * Reads a whole list in pieces, in one snapshot; paging parameters are ignored. Passes at least one piece, so that the
 * columns are known even without rows.
 */
export type ReadWhole = (
  ctx: Context,
  params: Record<string, unknown>,
  rest: Parameters,
  take: (piece: ListAnswer) => Promise<void>,
) => Promise<void>;

/** Parameters of a run function: the parsed ones, and the other ones if the operation is `free`. */
export type ParametersOf<D> = D extends { readonly params: infer P extends ParameterFields } ? Parsed<P> : never;

/** A run function as the registry stores it. */
export type Run = (ctx: Context, params: Record<string, unknown>, rest: Parameters) => Promise<Answer>;

/** An operation as the registry stores it. */
export interface Operation extends OperationDeclaration {
  readonly route: string;
  readonly permissionName: string;
  /** The record type, if the module is one. */
  readonly record: RecordType | undefined;
  readonly run: Run;
  /** Of an operation that accepts any names: those that it understands, if they are known in advance. */
  readonly freeNames?: readonly string[];
  /** Whether it is declared in code or is a saved statement. */
  readonly origin: 'built-in' | 'statement';
}

/** Declares an operation. {@link OperationDeclaration} describes the properties. */
export function defineOperation<const P extends ParameterFields, const D extends OperationDeclaration<P>>(
  declaration: D & { readonly params: P },
): D & { readonly params: P } {
  return declaration;
}

/** The context of a run function, with the record type of its module. */
export type ContextOf<D extends OperationDeclaration> = Context<RecordOfModule<D['module']>>;

/** Binds a run function to its declaration, which types its parameters and the record type of its context. */
export function handle<D extends OperationDeclaration, A extends Answer>(
  _operation: D,
  run: (ctx: ContextOf<D>, params: ParametersOf<D>, rest: Parameters) => Promise<A>,
): (ctx: ContextOf<D>, params: ParametersOf<D>, rest: Parameters) => Promise<A> {
  return run;
}

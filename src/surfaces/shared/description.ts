import type { Answer } from '../../kernel/door/answer.ts';
import type { ErrorCode } from '../../kernel/door/errors.ts';
import type { Classification, FieldKind, ParameterFields } from '../../kernel/declare/field-types.ts';
import type { Free, Operation } from '../../kernel/declare/operation.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import type { Registry } from '../../kernel/declare/registry.ts';

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A parameter, column or result as forms, the command line and agents show it. */
export interface FieldDescription {
  readonly name: string;
  readonly kind: FieldKind;
  /** The kind in words, with the maximum length if any. */
  readonly type: string;
  readonly required: boolean;
  /** Computed by the platform: answered and searchable, never sent. */
  readonly computed: boolean;
  readonly classification: Classification;
  /** For an organization's id: the named firm reaches the record. */
  readonly grantsReach: boolean;
  readonly doc: string;
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly max?: number;
  /** For an id: the record type that it refers to. */
  readonly to?: string;
  readonly example: unknown;
}

/** An example call in each notation. */
export interface CallExample {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The path, with the query for a GET. */
  readonly path: string;
  /** A shell command; the key is a placeholder. */
  readonly curl: string;
  /** The call as a method signature; undefined if its body is a document. */
  readonly signature: string | undefined;
}

/** Everything needed to call an operation, derived from its declaration. */
export interface OperationDescription {
  /** Module and path as in the registry: `contact/search`, `import/{Template}`. */
  readonly route: string;
  readonly module: string;
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly summary: string;
  readonly effect: 'read' | 'write';
  readonly idempotent: boolean;
  readonly access: 'permission' | 'signed-in' | 'anonymous';
  /** The required permission, if access is by permission. */
  readonly permission: string | undefined;
  readonly parameters: readonly FieldDescription[];
  /** Accepted names besides the parameters: the columns of its record, or those that a statement binds. */
  readonly free: { readonly kind: Free; readonly doc: string; readonly names: readonly string[] } | undefined;
  /** HTTP headers that set parameters: header to parameter. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the body is a document instead of parameters. */
  readonly rawBody: boolean;
  /** Whether the route may end in an id. */
  readonly byId: boolean;
  /** Parameters and free names as one schema without references. */
  readonly schema: JsonSchema;
  readonly answer: {
    readonly kind: 'record' | 'result' | 'list' | 'tree' | 'file' | 'nothing';
    readonly doc: string;
    readonly fields: readonly FieldDescription[];
    /** An example answer; undefined for a file or nothing. */
    readonly example: Exclude<Answer, { kind: 'content' | 'nothing' }> | undefined;
  };
  /** The fixed output format, regardless of `Output`. */
  readonly form: 'xml' | 'json' | undefined;
  readonly errors: readonly { readonly code: ErrorCode; readonly status: number; readonly text: string }[];
  readonly example: CallExample;
}

/** A record type, described. */
export interface RecordDescription {
  readonly name: string;
  readonly module: string;
  readonly doc: string;
  readonly idField: string;
  readonly derivesFrom: string | undefined;
  /** The record type of its template. */
  readonly template: string | undefined;
  /** Whether its rows can belong to any record by Object and ObjectID. */
  readonly belowAny: boolean;
  readonly fields: readonly FieldDescription[];
  readonly collections: readonly { readonly name: string; readonly record: string }[];
  readonly operations: readonly {
    readonly route: string;
    readonly summary: string;
    readonly effect: 'read' | 'write';
  }[];
}

/** Describes declarations; the composition hands one to each surface that shows them. */
export interface Describer {
  operation(registry: Registry, operation: Operation): OperationDescription;
  record(registry: Registry, record: RecordType): RecordDescription;
  /** Returns the schema of an object with these fields, as a caller sends it. */
  schema(fields: ParameterFields): JsonSchema;
  /** Renders a description as Markdown. */
  operationPage(of: OperationDescription): string;
  recordPage(of: RecordDescription): string;
}

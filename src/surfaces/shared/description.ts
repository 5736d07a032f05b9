import type { Answer } from '../../kernel/door/answer.ts';
import type { ErrorCode } from '../../kernel/door/errors.ts';
import type { Classification, FieldKind, ParameterFields } from '../../kernel/declare/field-types.ts';
import type { Free, Operation } from '../../kernel/declare/operation.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import type { Registry } from '../../kernel/declare/registry.ts';

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One parameter, column or result, in plain words: what a form, a command line or an agent asks for. */
export interface FieldDescription {
  readonly name: string;
  readonly kind: FieldKind;
  /** The kind in words, with the greatest length where there is one. */
  readonly type: string;
  readonly required: boolean;
  /** True of what the platform computes: it is answered and searched, never sent. */
  readonly computed: boolean;
  readonly classification: Classification;
  /** Of an id of an organization: the named firm reaches the record. */
  readonly grantsReach: boolean;
  readonly doc: string;
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly max?: number;
  /** Of an id: the record type that it points to. */
  readonly to?: string;
  readonly example: unknown;
}

/** What a call sends, in each of the ways that people write one. */
export interface CallExample {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The path with the query of a GET; of a POST the path alone. */
  readonly path: string;
  /** The command of a shell; the key is a placeholder. */
  readonly curl: string;
  /** The same call as configuration names it; undefined where its body is a document. */
  readonly signature: string | undefined;
}

/** Everything that a reader needs to make a call, made from the operation's declaration alone. */
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
  /** The permission that a role must grant, where access is by permission. */
  readonly permission: string | undefined;
  readonly parameters: readonly FieldDescription[];
  /** Names that it takes beside its parameters: the columns of its record, or those that a statement binds. */
  readonly free: { readonly kind: Free; readonly doc: string; readonly names: readonly string[] } | undefined;
  /** Headers by which parameters are taken over HTTP too: header to parameter. */
  readonly headers: Readonly<Record<string, string>>;
  /** True where the body is a document and not parameters. */
  readonly rawBody: boolean;
  /** Whether an id may stand at the end of the route. */
  readonly byId: boolean;
  /** Parameters and free names as one schema without references. */
  readonly schema: JsonSchema;
  readonly answer: {
    readonly kind: 'record' | 'result' | 'list' | 'tree' | 'file' | 'nothing';
    readonly doc: string;
    readonly fields: readonly FieldDescription[];
    /** An answer as the platform would give it; undefined where it is a file, or nothing. */
    readonly example: Exclude<Answer, { kind: 'content' | 'nothing' }> | undefined;
  };
  /** Answers in one form, whatever `Output` says. */
  readonly form: 'xml' | 'json' | undefined;
  readonly errors: readonly { readonly code: ErrorCode; readonly status: number; readonly text: string }[];
  readonly example: CallExample;
}

/** A record type in plain words. */
export interface RecordDescription {
  readonly name: string;
  readonly module: string;
  readonly doc: string;
  readonly idField: string;
  readonly derivesFrom: string | undefined;
  /** Its template's record type. */
  readonly template: string | undefined;
  /** True where its rows hang below any record by Object and ObjectID. */
  readonly belowAny: boolean;
  readonly fields: readonly FieldDescription[];
  readonly collections: readonly { readonly name: string; readonly record: string }[];
  readonly operations: readonly {
    readonly route: string;
    readonly summary: string;
    readonly effect: 'read' | 'write';
  }[];
}

/** Makes descriptions from declarations; a surface that shows them is given one by the composition. */
export interface Describer {
  operation(registry: Registry, operation: Operation): OperationDescription;
  record(registry: Registry, record: RecordType): RecordDescription;
  /** The schema of an object of named fields, as a caller sends it. */
  schema(fields: ParameterFields): JsonSchema;
  /** A description as a page of Markdown. */
  operationPage(of: OperationDescription): string;
  recordPage(of: RecordDescription): string;
}

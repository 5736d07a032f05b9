import { parse } from 'libpg-query';
import { PlatformError } from '../door/errors.ts';

/**
 * Allowed functions. They only compute: none reads files, settings or other queries. What collecting ones may hold is
 * limited when a statement runs.
 */
const allowedFunctions = new Set(
  `count sum avg min max array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg range_agg
   range_intersect_agg bool_and bool_or every bit_and bit_or corr covar_pop covar_samp regr_slope regr_intercept regr_r2
   stddev stddev_pop stddev_samp variance var_pop var_samp
   percentile_cont percentile_disc mode row_number rank dense_rank percent_rank cume_dist ntile lag lead
   first_value last_value nth_value
   lower upper initcap length char_length octet_length trim btrim ltrim rtrim substring substr left right position
   strpos replace translate reverse split_part concat concat_ws overlay ascii chr md5 starts_with
   regexp_count regexp_instr regexp_like regexp_match regexp_replace regexp_substr similar_to_escape like_escape
   to_char to_date to_timestamp to_number date_trunc date_part extract age now
   make_date make_interval make_timestamp timezone justify_days justify_hours justify_interval isfinite date_bin
   abs ceil ceiling floor round trunc mod power sqrt cbrt sign div exp ln log gcd lcm width_bucket greatest least
   coalesce nullif num_nulls num_nonnulls daterange tstzrange int4range int8range numrange lower_inc upper_inc isempty
   string_to_array array_to_string unnest cardinality array_length array_position array_remove array_append array_cat
   jsonb_array_length jsonb_typeof jsonb_extract_path_text jsonb_array_elements jsonb_array_elements_text
   json_build_object jsonb_build_object json_build_array jsonb_build_array to_json to_jsonb generate_series
   casewright_fold`.split(/\s+/),
);

const allowedTypes = new Set(
  `text varchar bpchar char int2 int4 int8 integer bigint smallint numeric decimal float4 float8 real bool boolean
   date timestamp timestamptz time interval uuid json jsonb daterange tstzrange int4range int8range numrange`.split(
    /\s+/,
  ),
);

/** Allowed node types of a query. Anything else is refused, whatever later versions of SQL add. */
const allowedNodes = new Set(
  `SelectStmt ColumnRef A_Star A_Const A_Expr A_ArrayExpr A_Indirection A_Indices BoolExpr NullTest BooleanTest
   CaseExpr CaseWhen CoalesceExpr MinMaxExpr SubLink RowExpr TypeCast TypeName FuncCall NamedArgExpr CollateClause
   SQLValueFunction ResTarget RangeVar RangeSubselect RangeFunction JoinExpr Alias SortBy WindowDef GroupingSet
   GroupingFunc WithClause CommonTableExpr CTESearchClause CTECycleClause ColumnDef ParamRef List String Integer Float
   Boolean BitString`.split(/\s+/),
);

/** Node types also allowed in statements that change rows. */
const changeNodes = new Set(
  `InsertStmt UpdateStmt DeleteStmt MergeStmt MergeWhenClause MultiAssignRef SetToDefault InferClause OnConflictClause
   IndexElem ReturningClause`.split(/\s+/),
);

/** Messages for node types that users try; the others get a general one. */
const reasons: Readonly<Record<string, string>> = {
  IntoClause: 'SELECT INTO writes a table; expected a SELECT that only reads.',
  LockingClause: 'FOR UPDATE and FOR SHARE lock rows; expected a SELECT that only reads.',
  RangeTableSample: 'TABLESAMPLE is not allowed in statements.',
  RangeTableFunc: 'XMLTABLE is not allowed in statements.',
  XmlExpr: 'XML functions are not allowed in statements.',
  XmlSerialize: 'XML functions are not allowed in statements.',
};

type Node = Readonly<Record<string, unknown>>;

/** The names that a statement may use, besides those it defines itself. */
export interface KnownNames {
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
  /** Returns the first of these names that is a function of the database. */
  firstFunction(names: readonly string[]): Promise<string | undefined>;
}

/** Where statements may change rows. */
export interface ChangeScope {
  /** Column or parameter with the statements, for errors. */
  readonly field: string;
  /** The one schema whose tables may be named; undefined for any but the system schemas. */
  readonly schema: string | undefined;
  /** How many parameters are bound. */
  readonly parameters: number;
}

/** The rules for a statement, and the names found in it. */
interface StatementWalk {
  readonly field: string;
  readonly parameters: number;
  readonly changes: boolean;
  readonly mayName: (schema: string) => boolean;
  readonly tables: Set<string>;
  readonly definedNames: Set<string>;
  /** Names after a dot. PostgreSQL treats one that is no column as a function call on what precedes it. */
  readonly attributes: Set<string>;
}

function badStatement({ field }: Pick<StatementWalk, 'field'>, message: string): PlatformError {
  return new PlatformError('BAD_STATEMENT', { field, message: `${field}: ${message}` });
}

/**
 * Throws BAD_STATEMENT unless a query is one SELECT over the known tables, and returns the tables that it reads. Walks
 * the syntax tree: only allowed functions and casts, no schema in a table's name, nothing that writes, locks or runs
 * code.
 */
export async function checkStatement(text: string, parameters: number, known: KnownNames): Promise<readonly string[]> {
  const found: StatementWalk = {
    field: 'Query',
    parameters,
    changes: false,
    mayName: () => false,
    tables: new Set(),
    definedNames: new Set(),
    attributes: new Set(),
  };
  const statements = await parseStatements(text, found);
  const [only] = statements;
  const select = only?.tree['SelectStmt'];
  if (statements.length !== 1 || !select) throw badStatement(found, 'expected one SELECT.');
  walk(select, found);
  refuseCatalogNames(found);
  const own = [...found.tables].filter((t) => !found.definedNames.has(t));
  const unknown = own.find((t) => !known.tables.has(t));
  if (unknown !== undefined)
    throw badStatement(
      found,
      `there is no table "${unknown.slice(0, 60)}" to read. Known: ${[...known.tables].sort().join(', ')}.`,
    );
  await refuseFunctionAttributes(found, known);
  return own;
}

/** Kinds of statements that change rows. */
const changeKinds = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'];

/**
 * Throws BAD_STATEMENT unless each statement is an INSERT, UPDATE, DELETE or MERGE over tables in scope, by the same
 * walk, and returns the text of each. RETURNING is refused: nobody would read the rows, and they would take memory.
 * With `known`, columns that would call a function are refused too; this needs the tables to exist.
 */
export async function checkChanges(
  text: string,
  places: ChangeScope,
  known?: Pick<KnownNames, 'columns' | 'firstFunction'>,
): Promise<readonly string[]> {
  const mayName = (schema: string): boolean =>
    places.schema === undefined ? !/^(?:pg_|information_schema$)/i.test(schema) : schema === places.schema;
  const found: StatementWalk = {
    field: places.field,
    parameters: places.parameters,
    changes: true,
    mayName,
    tables: new Set(),
    definedNames: new Set(),
    attributes: new Set(),
  };
  const statements = await parseStatements(text, found);
  if (statements.length === 0) throw badStatement(found, 'expected at least one statement.');
  for (const { tree } of statements) {
    walk(tree, found);
    const change = changeKinds.map((kind) => tree[kind] as Node | undefined).find((node) => node !== undefined);
    if (!change)
      throw badStatement(
        found,
        'expected INSERT, UPDATE, DELETE or MERGE statements; a SELECT must be inside one of them.',
      );
    if (change['returningClause'] !== undefined || change['returningList'] !== undefined)
      throw badStatement(found, 'RETURNING is not allowed, because its rows would be discarded.');
  }
  refuseCatalogNames(found);
  const catalog = [...found.tables].find((table) => /^pg_/i.test(table));
  if (catalog !== undefined) throw badStatement(found, `${catalog.slice(0, 60)} is a table of the database itself.`);
  if (known) await refuseFunctionAttributes(found, known);
  return statements.map((statement) => statement.text);
}

/**
 * Refuses definitions that shadow the catalog: elsewhere in the query the same name may mean the catalog's own table.
 */
function refuseCatalogNames(found: StatementWalk): void {
  const posing = [...found.definedNames].find((name) => /^pg_/i.test(name));
  if (posing !== undefined)
    throw badStatement(found, `the name ${posing.slice(0, 60)} belongs to the database; use another name.`);
}

async function refuseFunctionAttributes(
  found: StatementWalk,
  known: Pick<KnownNames, 'columns' | 'firstFunction'>,
): Promise<void> {
  const doubtful = [...found.attributes].filter(
    (name) => !known.columns.has(name) && !allowedFunctions.has(name) && !allowedTypes.has(name),
  );
  const called = doubtful.length === 0 ? undefined : await known.firstFunction(doubtful);
  if (called !== undefined)
    throw badStatement(
      found,
      `.${called.slice(0, 60)} would call the function of this name, which is not allowed in statements; ` +
        'give the column another name.',
    );
}

interface ParsedStatement {
  readonly tree: Node;
  readonly text: string;
}

async function parseStatements(text: string, found: StatementWalk): Promise<readonly ParsedStatement[]> {
  let tree: Node;
  try {
    tree = (await parse(text)) as unknown as Node;
  } catch (error) {
    throw badStatement(found, `${error instanceof Error ? error.message.slice(0, 200) : 'it cannot be parsed'}.`);
  }
  // The parser counts bytes.
  const bytes = Buffer.from(text);
  return ((tree['stmts'] ?? []) as readonly Node[]).map((statement) => {
    const start = Number(statement['stmt_location'] ?? 0);
    const length = Number(statement['stmt_len'] ?? bytes.length - start);
    return { tree: (statement['stmt'] ?? {}) as Node, text: bytes.toString('utf8', start, start + length).trim() };
  });
}

function walk(value: unknown, found: StatementWalk): void {
  if (Array.isArray(value)) {
    for (const member of value) walk(member, found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) {
    checkNode(name, child as Node, found);
    walk(child, found);
  }
}

function assertKind(kind: string, found: StatementWalk): void {
  if (allowedNodes.has(kind) || (found.changes && changeNodes.has(kind))) return;
  throw badStatement(
    found,
    reasons[kind] ??
      (found.changes ? 'expected INSERT, UPDATE, DELETE or MERGE statements.' : 'expected a SELECT that only reads.'),
  );
}

/**
 * Checks one node. The names of node types are capitalized; a field with a fixed node type holds the node without
 * naming it.
 */
function checkNode(name: string, node: Node, found: StatementWalk): void {
  const kind = fieldKinds[name] ?? name;
  if (/^[A-Z]/.test(kind)) assertKind(kind, found);
  nodeChecks[kind]?.(node, found);
}

/** The checks of node types that name something, beyond being allowed at all. */
const nodeChecks: Readonly<Record<string, (node: Node, found: StatementWalk) => void>> = {
  ParamRef: assertParameter,
  RangeVar: assertTable,
  CommonTableExpr: (node, found) => found.definedNames.add(String(node['ctename'])),
  FuncCall: (node, found) => {
    assertFunction(namesOf(node['funcname']), found);
  },
  TypeName: assertType,
  ColumnRef: (node, found) => {
    addAttributes(namesOf(node['fields']).slice(1), found);
  },
  A_Indirection: (node, found) => {
    addAttributes(namesOf(node['indirection']), found);
  },
  SQLValueFunction: assertValueFunction,
  A_Expr: assertOperator,
};

function assertParameter(node: Node, found: StatementWalk): void {
  if (Number(node['number'] ?? 0) > found.parameters)
    throw badStatement(found, 'parameters are written {Name}, not $1.');
}

function addAttributes(names: readonly string[], found: StatementWalk): void {
  for (const name of names) if (name !== '') found.attributes.add(name);
}

function assertValueFunction(node: Node, found: StatementWalk): void {
  if (!/DATE|TIME/.test(String(node['op'])))
    throw badStatement(
      found,
      'of the SQL value functions, only those for dates and times are allowed, such as CURRENT_DATE.',
    );
}

function assertOperator(node: Node, found: StatementWalk): void {
  if (namesOf(node['name']).length > 1) throw badStatement(found, 'operators are written without a schema.');
}

function assertTable(node: Node, found: StatementWalk): void {
  const schema = node['schemaname'] as string | undefined;
  if (node['catalogname'] !== undefined || (schema !== undefined && !found.mayName(schema))) {
    throw badStatement(
      found,
      found.changes
        ? `tables of ${String(schema).slice(0, 60)} cannot be named; expected staging tables.`
        : 'tables are named without a schema.',
    );
  }
  found.tables.add(String(node['relname']));
}

const fieldKinds: Readonly<Record<string, string>> = {
  typeName: 'TypeName',
  intoClause: 'IntoClause',
  relation: 'RangeVar',
  onConflictClause: 'OnConflictClause',
  infer: 'InferClause',
};

function namesOf(list: unknown): string[] {
  return ((list ?? []) as readonly { String?: { sval?: string } }[]).map((n) => n.String?.sval ?? '');
}

function assertFunction(names: readonly string[], found: StatementWalk): void {
  const plain = names.length === 2 && names[0] === 'pg_catalog' ? names.slice(1) : names;
  const [name = ''] = plain;
  if (plain.length !== 1 || !allowedFunctions.has(name))
    throw badStatement(found, `the function ${names.join('.').slice(0, 80)} is not allowed in statements.`);
}

function assertType(type: Node, found: StatementWalk): void {
  const names = namesOf(type['names']);
  const plain = names.length === 2 && names[0] === 'pg_catalog' ? names.slice(1) : names;
  const [name = ''] = plain;
  if (plain.length !== 1 || !allowedTypes.has(name) || type['pct_type'] === true || type['setof'] === true)
    throw badStatement(found, `the type ${names.join('.').slice(0, 80)} is not allowed in statements.`);
}

import type { ListAnswer, Shape } from '../../../../kernel/door/answer.ts';
import type { Configuration } from '../../../../kernel/database/configuration.ts';
import type { Context } from '../../../../kernel/door/context.ts';
import { forEachBatch } from '../../../../kernel/database/cursor.ts';
import { didYouMean, PlatformError } from '../../../../kernel/door/errors.ts';
import { f } from '../../../../kernel/declare/field.ts';
import type { Field } from '../../../../kernel/declare/field-types.ts';
import type { Operation } from '../../../../kernel/declare/operation.ts';
import { parameter, type Parameters } from '../../../../kernel/parameters/parameters.ts';
import { bad, type RawValue } from '../../../../kernel/parameters/parse-value.ts';
import type { SavedOperations } from '../../../../kernel/ports/platform.ts';
import type { Registry } from '../../../../kernel/declare/registry.ts';
import { assertAffordable, reportWithin } from './limits.ts';
import { ownPermission, plainPermission, takenPermission } from './permission-name.ts';
import { bindPlaceholders } from './placeholders.ts';
import { prepareStatement, type PreparedStatement } from './prepare-statement.ts';

/** Most rows that a statement returns at once. */
const STATEMENT_ROWS_MAX = 10_000;
/** Most bytes of those rows together. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;

interface StoredStatement {
  readonly classname: string;
  readonly statement: string;
  readonly query: string;
  readonly description: string | null;
  /** Whether another statement's class and name make the same permission. */
  readonly shared: boolean;
}

/** SQL of the permission that a statement's name gives it. */
const PERMISSION = 'lower(classname || statement)';

/** Saved statements as operations: `{module}/{statement}` is available as soon as the statement is committed. */
export class SavedStatements implements SavedOperations {
  private readonly configuration: Configuration;
  private readonly registry: Registry;

  constructor(configuration: Configuration, registry: Registry) {
    this.configuration = configuration;
    this.registry = registry;
  }

  async find(module: string, path: string): Promise<Operation | undefined> {
    if (!this.registry.hasModule(module) || !/^[a-z][a-z0-9]*$/.test(path)) return undefined;
    const remembered = await this.all();
    const known = remembered.get(`${module}/${path}`);
    if (known) return known;
    // Another process may have saved it within the last half second.
    const [row] = await this.configuration.db.query<StoredStatement>(
      `select classname, statement, query, description,
         (select count(*) from statement where ${PERMISSION} = lower($1::text || $2::text)) > 1 as shared
       from statement
       where classname = $1::text and statement = $2::text`,
      [module, path],
    );
    if (!row) return undefined;
    // Roles were resolved without its permission, so their cache is just as old.
    this.configuration.expire();
    return this.operationOf(row);
  }

  /** Returns the permissions of all saved statements. */
  async permissions(): Promise<readonly string[]> {
    return [...(await this.all()).values()].map((o) => o.permissionName);
  }

  private all(): Promise<ReadonlyMap<string, Operation>> {
    return this.configuration.get('statements', async () => {
      const rows = await this.configuration.db.query<StoredStatement>(
        `select classname, statement, query, description,
           count(*) over (partition by ${PERMISSION}) > 1 as shared
         from statement`,
      );
      return new Map(rows.map((row) => this.operationOf(row)).map((o) => [o.route, o]));
    });
  }

  private operationOf(row: StoredStatement): Operation {
    const record = this.registry.record(row.classname);
    const module = row.classname.toLowerCase();
    const className = record?.name ?? row.classname;
    const isTaken = row.shared || takenPermission(this.registry, className, row.statement) !== undefined;
    const { names } = bindPlaceholders(row.query);
    let prepared: Promise<PreparedStatement> | undefined;
    const saved: SavedQuery = {
      name: row.statement,
      names,
      prepare: () => (prepared ??= prepareStatement(row.query)),
    };
    return {
      module,
      name: row.statement,
      method: 'GET',
      summary: row.description ?? 'A saved statement.',
      effect: 'read',
      idempotent: true,
      access: 'permission',
      params: paging,
      free: 'any',
      freeNames: names,
      checkQueued: (_ctx, _params, rest) => void boundValues(names, rest),
      transactions: 'own',
      returns: 'list',
      errors: ['BAD_PARAMETER'],
      source: 'decisions, Records and operations',
      route: `${module}/${row.statement.toLowerCase()}`,
      permissionName: (isTaken ? ownPermission : plainPermission)(className, row.statement),
      record,
      origin: 'statement',
      run: (ctx, params, rest) => runStatement(ctx, saved, params, rest),
      readWhole: (ctx, _params, rest, take) => readStatement(ctx, saved, rest, take),
    };
  }
}

const paging = {
  RecordStart: f.integer({ doc: 'How many rows to skip.', default: 0 }),
  DisplaySize: f.integer({ doc: `How many rows to return, at most ${STATEMENT_ROWS_MAX}.`, default: 1_000 }),
};

interface SavedQuery {
  readonly name: string;
  /** Names of the parameters. */
  readonly names: readonly string[];
  /** Returns the query as it is run; prepared once. */
  readonly prepare: () => Promise<PreparedStatement>;
}

async function runStatement(
  ctx: Context,
  { name, names, prepare }: SavedQuery,
  params: Record<string, unknown>,
  rest: Parameters,
): Promise<ListAnswer> {
  const start = Number(params['RecordStart']);
  const size = Number(params['DisplaySize']);
  if (size < 1 || size > STATEMENT_ROWS_MAX)
    throw bad('DisplaySize', `a number of rows between 1 and ${STATEMENT_ROWS_MAX}`);
  if (start < 0) throw bad('RecordStart', 'a number of rows, 0 or more');
  const values = boundValues(names, rest);
  const prepared = await prepare();
  // The rows are measured before the first is sent: a query can make a few rows too large for this process.
  const text =
    `with "casewright statement" as materialized (select * from (${prepared.text}\n) as statement ` +
    `limit ${size} offset ${start}) select "casewright statement".* from "casewright statement" where (select ` +
    `casewright_within(sum(pg_column_size("casewright statement".*)), ${STATEMENT_BYTES_MAX}) from "casewright ` +
    'statement")';
  const rows = await reportWithin(ctx, prepared, async (db) => {
    await assertAffordable(ctx, db, { text, values });
    return db.query(text, values);
  });
  return toListAnswer(ctx, name, rows);
}

/**
 * Rows per piece when a statement is read whole; each piece may hold its share of the bytes that a statement returns at
 * once.
 */
const PIECE_ROWS = 200;

/** Yields all rows of a statement, which runs once. A row too large for this process ends it before the row is sent. */
async function readStatement(
  ctx: Context,
  { name, names, prepare }: SavedQuery,
  rest: Parameters,
  take: (piece: ListAnswer) => Promise<void>,
): Promise<void> {
  const values = boundValues(names, rest);
  const prepared = await prepare();
  const text = `select "casewright statement".*
     from (${prepared.text}\n) as "casewright statement"
     where casewright_within(pg_column_size("casewright statement".*),
       ${Math.floor(STATEMENT_BYTES_MAX / PIECE_ROWS)})`;
  await reportWithin(ctx, prepared, async (db) => {
    await assertAffordable(ctx, db, { text, values });
    await forEachBatch(db, { text, values, size: PIECE_ROWS }, (rows) => take(toListAnswer(ctx, name, rows)));
  });
}

function boundValues(names: readonly string[], rest: Parameters): (string | null)[] {
  const unknown = Object.keys(rest).find((key) => !names.some((n) => n.toLowerCase() === key.toLowerCase()));
  if (unknown !== undefined) {
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: unknown,
      message:
        `${unknown}: the statement takes no such parameter.${didYouMean(unknown, names)} ` +
        `Known: ${names.join(', ') || 'none'}.`,
    });
  }
  return names.map((n) => boundValue(parameter(rest, n), n));
}

function toListAnswer(ctx: Context, name: string, rows: readonly Record<string, unknown>[]): ListAnswer {
  const { columns = [] } = rows as unknown as { columns?: readonly StatementColumn[] };
  const shape = shapeOf(ctx.registry, columns);
  return {
    kind: 'list',
    name,
    shape,
    rows: rows.map((row) =>
      Object.fromEntries(columns.map((column, i): [string, unknown] => [shape[i]?.name ?? '', row[column.name]])),
    ),
  };
}

function boundValue(raw: RawValue | undefined, name: string): string | null {
  if (raw === undefined || raw === null || raw === '') return null;
  if (typeof raw === 'object') throw bad(name, 'one value');
  return String(raw);
}

const kinds: Readonly<Record<number, Field>> = {
  16: f.boolean({ doc: '' }),
  20: f.integer({ doc: '' }),
  21: f.integer({ doc: '' }),
  23: f.integer({ doc: '' }),
  1082: f.date({ doc: '' }),
  1184: f.timestamp({ doc: '' }),
  1700: f.decimal({ doc: '' }),
  114: f.json({ doc: '' }),
  3802: f.json({ doc: '' }),
};
const textField = f.text({ doc: '' });

interface StatementColumn {
  readonly name: string;
  readonly type: number;
}

/** Restores the declared spelling of columns, since PostgreSQL folds unquoted names. */
function shapeOf(registry: Registry, columns: readonly StatementColumn[]): Shape {
  const spelling = spellingsOf(registry);
  return columns.map(({ name, type }) => ({ name: spelling.get(name) ?? name, field: kinds[type] ?? textField }));
}

const spellings = new WeakMap<Registry, ReadonlyMap<string, string>>();

function spellingsOf(registry: Registry): ReadonlyMap<string, string> {
  let known = spellings.get(registry);
  if (!known)
    spellings.set(
      registry,
      (known = new Map(
        registry.records().flatMap((r) => [...r.columns.values()].map((c) => [c.name.toLowerCase(), c.name] as const)),
      )),
    );
  return known;
}

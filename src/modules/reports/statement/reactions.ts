import type { Context } from '../../../kernel/door/context.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck, defineReaction } from '../../../kernel/declare/reaction.ts';
import { plainPermission, takenPermission } from './lib/permission-name.ts';
import { bindPlaceholders } from './lib/placeholders.ts';
import { withPatternCollation } from './lib/pattern-collation.ts';
import { checkStatement } from '../../../kernel/database/statement-check.ts';
import { sqlState } from '../../../kernel/database/sql-state.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import { statement } from './statement.record.ts';

export const checks = [
  defineCheck({
    on: statement,
    doc:
      'The name of a statement consists of letters and digits and is not the name of an operation of its ' +
      'module. Its permission is not that of an operation or of another statement.',
    async run(ctx, { values, id }) {
      const before =
        id === undefined
          ? undefined
          : (
              await ctx.db.query<{ classname: string; statement: string }>(
                'select classname, statement from statement where statementid = $1::bigint',
                [id],
              )
            )[0];
      const name = values.Statement ?? before?.statement;
      if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9]*$/.test(name))
        throw bad('Statement', 'a name of letters and digits that begins with a letter');
      const className = values.ClassName ?? before?.classname;
      if (typeof className !== 'string')
        throw new PlatformError('MISSING_PARAMETER', {
          field: 'ClassName',
          message: 'ClassName is required: the record type on whose module the statement is called.',
        });
      const record = ctx.registry.requireRecord(className, 'ClassName');
      if (values.ClassName !== undefined) values.ClassName = record.name;
      if (ctx.registry.find(record.module, name.toLowerCase()))
        throw bad('Statement', `another name: ${name} is already an operation of ${record.name}`);
      // A statement stored under its name keeps its own permission until it is renamed.
      if (values.Statement !== undefined || values.ClassName !== undefined)
        await assertOwnPermission(ctx, record.name, name, id);
    },
  }),
  defineCheck({
    on: statement,
    doc: 'The query is one SELECT that reads only what reports may read, and the database accepts it.',
    async run(ctx, { values, id }) {
      const query = values.Query;
      if (query === undefined && id !== undefined) return;
      if (typeof query !== 'string')
        throw new PlatformError('MISSING_PARAMETER', { field: 'Query', message: 'Query is required: one SELECT.' });
      const { text, names } = bindPlaceholders(query);
      if (/(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)|'\d{9}'/.test(query))
        throw new PlatformError('BAD_STATEMENT', {
          field: 'Query',
          message:
            'Query: a number that looks like a Social Security number would be stored in the clear; make it ' +
            'a parameter.',
        });
      const readable = await ctx.db.query<{ table: string; column: string }>(
        `select c.relname as table, a.attname as column
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
         where c.relnamespace = 'report'::regnamespace and c.relkind = 'v'`,
      );
      await checkStatement(text, names.length, {
        tables: new Set(readable.map(({ table }) => table)),
        columns: new Set(readable.map(({ column }) => column)),
        firstFunction: async (doubtful) =>
          (
            await ctx.db.query<{ proname: string }>(
              'select proname from pg_proc where proname = any($1::text[]) limit 1',
              [arrayLiteral(doubtful)],
            )
          )[0]?.proname,
      });
      await assertRuns(ctx, await withPatternCollation(text), names);
    },
  }),
];

/** Throws unless roles that grant the statement's permission grant nothing else by it. */
async function assertOwnPermission(
  ctx: Context,
  className: string,
  name: string,
  id: number | undefined,
): Promise<void> {
  const taken = takenPermission(ctx.registry, className, name);
  if (taken !== undefined)
    throw bad('Statement', `another name: whoever holds the permission ${taken} could call ${className}/${name}`);
  const [other] = await ctx.db.query<{ classname: string; statement: string }>(
    `select classname, statement
     from statement
     where lower(classname || statement) = lower($1::text) and lower(classname) <> lower($2::text)
       and statementid is distinct from $3::bigint
     limit 1`,
    [plainPermission(className, name), className, id ?? null],
  );
  if (other)
    throw bad(
      'Statement',
      `another name: the statement ${other.classname}/${other.statement} has the permission ` +
        plainPermission(className, name),
    );
}

/**
 * Checks that the database accepts the query, and that every column has a unique name that each output format can
 * write.
 */
async function assertRuns(ctx: Context, text: string, names: readonly string[]): Promise<void> {
  let columns: readonly { readonly name: string }[];
  try {
    const rows = await ctx.report((db) =>
      db.query(
        `select * from (${text}\n) as statement limit 0`,
        names.map(() => null),
      ),
    );
    ({ columns = [] } = rows as unknown as { columns?: readonly { readonly name: string }[] });
  } catch (error) {
    if (!/^(?:42|22|0A|54|P0)/.test(sqlState(error) ?? '')) throw error;
    const problem = error instanceof Error ? error.message.slice(0, 300) : 'the database does not understand it';
    throw new PlatformError('BAD_STATEMENT', {
      field: 'Query',
      message: `Query: ${problem}.`,
      cause: error,
    });
  }
  const seen = new Set<string>();
  for (const [i, { name }] of columns.entries()) {
    if (!/^[\p{L}_][\p{L}\p{N}_ .-]*$/u.test(name))
      throw new PlatformError('BAD_STATEMENT', {
        field: 'Query',
        message:
          `Query: column ${i + 1} needs a name that begins with a letter and contains only letters, digits, spaces, ` +
          'points, _ or -; give it an alias.',
      });
    if (seen.has(name.toLowerCase()))
      throw new PlatformError('BAD_STATEMENT', {
        field: 'Query',
        message: `Query: two columns are named ${name.slice(0, 60)}; give one another alias.`,
      });
    seen.add(name.toLowerCase());
  }
}

export const reactions = [
  defineReaction({
    on: statement,
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of statements are written to the security log.',
    async run(ctx, row) {
      await ctx.security({
        event: 'StatementChanged',
        object: 'Statement',
        objectId: row.StatementID,
        detail: `${String(row.ClassName)}/${String(row.Statement)}`,
      });
    },
  }),
];

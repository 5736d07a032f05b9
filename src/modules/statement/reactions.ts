import { PlatformError } from '../../kernel/errors.ts';
import { bad } from '../../kernel/parse-value.ts';
import { defineChecks, defineReactions } from '../../kernel/reaction.ts';
import { bindNames } from '../../kernel/statement.ts';
import { checkStatement } from './lib/check.ts';

export const checks = defineChecks([
  {
    on: 'Statement',
    doc: 'A statement is named by letters and digits, stands on a module, and takes no operation\'s place.',
    async run(ctx, _record, values, id) {
      const before = id === undefined ? undefined : (await ctx.db.query<{ classname: string; statement: string }>('select classname, statement from statement where statementid = $1::bigint', [id]))[0];
      const name = values.get('statement') ?? before?.statement;
      if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9]*$/.test(name)) throw bad('Statement', 'a name of letters and digits that begins with a letter');
      const className = values.get('classname') ?? before?.classname;
      if (typeof className !== 'string') throw new PlatformError('MISSING_PARAMETER', { field: 'ClassName', message: 'ClassName is required: the record type on whose module the statement is called.' });
      const record = ctx.registry.requireRecord(className, 'ClassName');
      if (values.has('classname')) values.set('classname', record.name);
      if (ctx.registry.find(record.module, name.toLowerCase())) throw bad('Statement', `a name that is no operation of ${record.name}; ${name} is one`);
    },
  },
  {
    on: 'Statement',
    doc: 'Its query is one SELECT that reads what reports may read; the database has understood it.',
    async run(ctx, _record, values, id) {
      const query = values.get('query');
      if (query === undefined && id !== undefined) return;
      if (typeof query !== 'string') throw new PlatformError('MISSING_PARAMETER', { field: 'Query', message: 'Query is required: one SELECT.' });
      const { text, names } = bindNames(query);
      const tables = new Set(ctx.registry.records().filter((r) => r.reach !== 'none').map((r) => r.table));
      await checkStatement(text, names.length, tables);
      try {
        await ctx.report((db) => db.query(`explain select * from (${text}\n) as statement`, names.map(() => null)));
      } catch (error) {
        throw new PlatformError('BAD_STATEMENT', { field: 'Query', message: `Query: ${error instanceof Error ? error.message.slice(0, 300) : 'the database does not understand it'}.`, cause: error });
      }
    },
  },
]);

export const reactions = defineReactions([
  {
    on: 'Statement',
    after: ['insert', 'update', 'delete'],
    doc: 'Changes of statements are written to the security log.',
    async run(ctx, row) {
      await ctx.security({ event: 'StatementChanged', object: 'Statement', objectId: Number(row['StatementID']), detail: `${String(row['ClassName'])}/${String(row['Statement'])}` });
    },
  },
]);

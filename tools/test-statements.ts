/**
 * Checks that the oldest supported PostgreSQL understands every statement of the product as the embedded one does.
 *
 * Both prepare each distinct text that the product sent during the tests (test/support/runner/statement-log.ts), with
 * the same schema, and must return the same types of parameters and columns, or the same error. That takes seconds.
 * Running every test on both servers takes minutes and would find hardly more (`npm test -- --only 15` does it).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { databaseOn, MIGRATED, type TestServer } from '../test/support/database.ts';
import { fixture } from '../test/support/kernel/fixture.ts';

/** Statements that a connection keeps prepared before all of them are dropped. */
const PREPARED_MAX = 500;
/** Types with higher OIDs have different ones in each database. */
const BUILT_IN_TYPES_MAX = 16_384;
/** What the two servers may name differently without meaning another thing. */
const SYNTAX_ERRORS = new Set(['42601', '42P02', '42P18']);

export interface StatementCheck {
  readonly count: number;
  /** Each statement that the oldest server answers otherwise, and both answers. */
  readonly differences: readonly string[];
}

/** Reads the texts that the workers of a run left in a folder. */
export function readStatements(folder: string): string[] {
  const texts = readdirSync(folder).flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as string[]);
  return [...new Set(texts)].sort();
}

export async function compareStatements(
  texts: readonly string[],
  newest: TestServer,
  oldest: TestServer,
): Promise<StatementCheck> {
  const [expected, actual] = await Promise.all([newest, oldest].map((server) => describeAll(texts, server)));
  const differences = texts.flatMap((text, n) =>
    expected?.[n] === actual?.[n] ? [] : [`${text}\n    newest: ${expected?.[n]}\n    oldest: ${actual?.[n]}`],
  );
  return { count: texts.length, differences };
}

/** Returns the server's description of each text: the types of its parameters and columns, or its error code. */
async function describeAll(texts: readonly string[], server: TestServer): Promise<string[]> {
  const cleanUps: (() => void | Promise<void>)[] = [];
  const database = await databaseOn(server, { after: (clean) => cleanUps.push(clean) }, MIGRATED);
  const sql = postgres({ ...database, max: 1, fetch_types: false, onnotice: () => {} });
  const answers: string[] = [];
  try {
    await sql.unsafe(fixture.schema);
    for (let start = 0; start < texts.length; start += PREPARED_MAX) {
      const part = texts.slice(start, start + PREPARED_MAX);
      answers.push(...(await Promise.all(part.map((text) => describe(sql, text)))));
      await sql.unsafe('deallocate all');
    }
  } finally {
    await sql.end();
    for (const clean of cleanUps) await clean();
  }
  return answers;
}

async function describe(sql: postgres.Sql, text: string): Promise<string> {
  try {
    const { types, columns } = await sql.unsafe(text).describe();
    const column = ({ name, type }: { name: string; type: number }): string => `${name} ${typeName(type)}`;
    return `(${types.map(typeName).join(', ')}) → ${columns.map(column).join(', ')}`;
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    return SYNTAX_ERRORS.has(code) ? 'syntax error' : code;
  }
}

function typeName(type: number): string {
  return type < BUILT_IN_TYPES_MAX ? String(type) : 'own';
}

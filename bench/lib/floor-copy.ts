import { spawn } from 'node:child_process';
import { createReadStream, writeFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { SaxesParser } from 'saxes';
import { answerParent, type CpuUsage } from './child.ts';
import type { BenchConnection } from './database.ts';

/** A file to copy unchanged. */
export interface FileToCopy {
  readonly connection: BenchConnection;
  readonly path: string;
  readonly columns: readonly string[];
  /** For a file with a header line; its table has no key, like staging tables. */
  readonly staged?: true;
}

/** The requests that the process handles. */
export type CopyHandlers = typeof handlers;

/** Copies a file into a new logged table of text columns with a primary key. */
async function copy({ connection, path, columns, staged }: FileToCopy): Promise<number> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => undefined });
  try {
    const key = staged ? '' : 'plainid bigint generated always as identity primary key, ';
    await sql.unsafe(
      `drop table if exists plain;
       create table plain (${key}${columns.map((name) => `${name} text`).join(', ')})`,
    );
    const began = performance.now();
    await pipeline(
      createReadStream(path, { highWaterMark: 256 * 1024 }),
      await sql
        .unsafe(
          `copy plain (${columns.join(', ')}) from stdin
           with (format csv, delimiter '|', header ${String(staged ?? false)})`,
        )
        .writable(),
    );
    return (performance.now() - began) / 1000;
  } finally {
    await sql.end();
  }
}

/** Parses a file with the parser alone. */
async function parse({ path }: { readonly path: string }): Promise<number> {
  const parser = new SaxesParser({ xmlns: false, position: true });
  parser.on('opentag', () => undefined);
  parser.on('text', () => undefined);
  parser.on('closetag', () => undefined);
  const decoder = new TextDecoder();
  const began = performance.now();
  for await (const piece of createReadStream(path, { highWaterMark: 64 * 1024 }))
    parser.write(decoder.decode(piece as Buffer, { stream: true }));
  parser.close();
  return (performance.now() - began) / 1000;
}

/** Loads a file with pgloader into a new table like that of the copy; undefined if it is not installed. */
async function load({ connection, path, columns }: FileToCopy): Promise<number | undefined> {
  const sql = postgres({ ...connection, max: 1, onnotice: () => undefined });
  try {
    await sql.unsafe(
      `drop table if exists loaded;
       create table loaded (
         loadedid bigint generated always as identity primary key,
         ${columns.map((name) => `${name} text`).join(', ')})`,
    );
  } finally {
    await sql.end();
  }
  const { user, host, port, database } = connection;
  const target = `postgresql://${user}@unix:${host}:${port}/${database}?loaded`;
  const command =
    `load csv from '${path}' (${columns.join(', ')}) into ${target} (${columns.join(', ')}) ` +
    `with fields terminated by '|', fields optionally enclosed by '"', batch rows = 25000;`;
  const script = `${path}.load`;
  writeFileSync(script, command);
  const began = performance.now();
  const child = spawn('pgloader', ['--quiet', script], { stdio: 'ignore' });
  const code = await new Promise<number | undefined>(
    (resolve) => void child.once('error', () => resolve(undefined)).once('exit', (status) => resolve(status ?? 1)),
  );
  if (code !== undefined && code !== 0) throw new Error(`pgloader ended with ${code}`);
  return code === undefined ? undefined : (performance.now() - began) / 1000;
}

const handlers = { copy, parse, load, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers);

/** Whether PDF files can be printed and documents converted. */
import { CONVERTER } from '../../../contracts/converter.ts';
import { arrayLiteral } from '../../../kernel/database/store.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { chromiumPath } from '../../../lib/chromium/chromium-process.ts';
import { chromiumCommand } from '../attachment/settings.ts';

/** The program that prints PDF files, on this server. */
export interface PrintProgram {
  /** Its path; undefined if it is not installed. */
  readonly program: string | undefined;
  /** How many document types need it. */
  readonly types: number;
}

/** Returns the program that prints PDF files. The caller has checked that the user may know of the server. */
export async function printProgram(ctx: Pick<Context, 'db' | 'settings'>): Promise<PrintProgram> {
  const [row] = await ctx.db.query<{ types: number }>(
    `select count(*)::integer as types from attachmenttemplate where lower(attachmentservice) = 'pdfgenerator'`,
  );
  return { program: chromiumPath(ctx.settings.get(chromiumCommand)), types: row?.types ?? 0 };
}

/** What converts documents on this server. */
export interface ConverterStates {
  /** The programs that are there, by path. */
  readonly programs: readonly string[];
  /** Of each converter that cannot work: what is missing and what to do. */
  readonly missing: readonly string[];
  /** How many of the newest documents a converter that cannot work would read. */
  readonly unconverted: number;
}

/** Newest documents that are counted. */
const NEWEST_DOCUMENTS = 1_000;

/** Returns what converts documents. The caller has checked that the user may know of the server and all documents. */
export async function converterStates(ctx: Pick<Context, 'db' | 'providers'>): Promise<ConverterStates> {
  const programs: string[] = [];
  const missing: string[] = [];
  const types: string[] = [];
  for (const name of ctx.providers.names(CONVERTER)) {
    const converter = ctx.providers.get(CONVERTER, name);
    const state = converter.state();
    if (!state.ready) {
      missing.push(state.missing);
      types.push(...Object.keys(converter.formats));
    } else if (state.program !== undefined) programs.push(state.program);
  }
  const [row] = await ctx.db.query<{ count: number }>(
    `select count(*)::integer as count
     from (select mimetype from attachment order by attachmentid desc limit ${NEWEST_DOCUMENTS}) newest
     where mimetype = any($1::text[])`,
    [arrayLiteral(types)],
  );
  return { programs, missing, unconverted: row?.count ?? 0 };
}

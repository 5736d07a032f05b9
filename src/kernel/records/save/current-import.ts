/** Which import saves records: what its rows add can name it. */
import type { Context } from '../../door/context.ts';
import { scratch } from '../../door/scratch.ts';

const current = scratch('the import that saves rows', (): { importFileId: number | undefined } => ({
  importFileId: undefined,
}));

/** Runs a function that saves a row of an import. */
export async function importing<T>(ctx: Context, importFileId: number, save: () => Promise<T>): Promise<T> {
  const running = ctx.scratch(current);
  running.importFileId = importFileId;
  try {
    return await save();
  } finally {
    running.importFileId = undefined;
  }
}

/** Returns the import whose row is being saved; undefined for any other save. */
export function currentImport(ctx: Context): number | undefined {
  return ctx.scratch(current).importFileId;
}

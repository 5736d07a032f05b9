import type { ListAnswer } from '../door/answer.ts';

/** The parts of a rendered list: what precedes the rows, each row, what is between two rows, and what follows. */
export interface ListParts {
  readonly open: string;
  readonly row: (row: object) => string;
  readonly between: string;
  readonly close: string;
}

/** Renders a list without the rows that are still to be read. */
export function listText({ rows }: ListAnswer<object>, { open, row, between, close }: ListParts): string {
  return open + rows.map(row).join(between) + close;
}

/** Renders a list piece by piece, as its rows are read. */
export async function* listPieces(
  { rows, more }: ListAnswer<object>,
  { open, row, between, close }: ListParts,
): AsyncGenerator<string, void, undefined> {
  let isFirst = rows.length === 0;
  yield open + rows.map(row).join(between);
  for await (const batch of more ?? []) {
    if (batch.length === 0) continue;
    yield (isFirst ? '' : between) + batch.map(row).join(between);
    isFirst = false;
  }
  yield close;
}

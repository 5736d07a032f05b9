import { parse } from 'libpg-query';
import { withPatternCollation } from './pattern-collation.ts';
import { bindPlaceholders } from './placeholders.ts';

/** A saved query as it is run. */
export interface PreparedStatement {
  /** With numbered parameters, and the collation for its patterns. */
  readonly text: string;
  /** Names of the parameters, in order. */
  readonly names: readonly string[];
  /** It calls itself: how long it runs and what it holds cannot be estimated. */
  readonly isRecursive: boolean;
}

/** @throws BAD_STATEMENT for a brace that is no parameter, and a syntax error for text that is no SQL */
export async function prepareStatement(query: string): Promise<PreparedStatement> {
  const { text, names } = bindPlaceholders(query);
  const isRecursive = JSON.stringify(await parse(text)).includes('"recursive":true');
  return { text: await withPatternCollation(text), names, isRecursive };
}

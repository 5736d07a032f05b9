/** The expressions that decide which other questions a question depends on. */
export interface Dependent {
  readonly name: string;
  readonly calculation: string | null;
  readonly shownWhen: string | null;
}

/** Paths below the task or the parent are not answers, whatever their names: `/Form/Parent/Loan/Status`. */
const ELSEWHERE = /((?:\/Form\/|\/\/)(?:Parent|Task))(?:\/\/?@?[\p{L}_][\p{L}\p{N}_-]*)+/gu;

/** Returns the answer names in an expression. Ignores text in quotes. */
export function namesIn(expression: string): Set<string> {
  const paths = expression.replace(/"[^"]*"|'[^']*'/g, ' ').replace(ELSEWHERE, '$1 ');
  return new Set(paths.match(/[\p{L}_][\p{L}\p{N}_.-]*/gu));
}

/**
 * Groups questions into levels by the names in Calculation and ShownWhen: each level needs only the answers of earlier
 * ones. Questions on a cycle are left out. Names are case-sensitive, as in XPath.
 */
export function levelsOf<Q extends Dependent>(questions: readonly Q[]): readonly (readonly Q[])[] {
  const names = new Set(questions.map(({ name }) => name));
  const waiting = new Map(
    questions.map((question) => {
      const found = [question.calculation, question.shownWhen].flatMap((expression) => [
        ...(expression === null ? [] : namesIn(expression)),
      ]);
      return [question, new Set(found.filter((name) => names.has(name)))] as const;
    }),
  );
  const levels: Q[][] = [];
  while (waiting.size > 0) {
    const level = [...waiting].filter(([, needs]) => needs.size === 0).map(([question]) => question);
    if (level.length === 0) break;
    for (const question of level) waiting.delete(question);
    for (const needs of waiting.values()) for (const { name } of level) needs.delete(name);
    levels.push(level);
  }
  return levels;
}

/** What says of a question on which others it depends. */
export interface Dependent {
  readonly name: string;
  readonly calculation: string | null;
  readonly shownWhen: string | null;
}

/** Steps below the task or the parent, which are no answers whatever they are called: `/Form/Parent/Loan/Status`. */
const ELSEWHERE = /((?:\/Form\/|\/\/)(?:Parent|Task))(?:\/\/?@?[\p{L}_][\p{L}\p{N}_-]*)+/gu;

/** The names that an expression speaks of as answers: what stands in quotes is text. */
function namesIn(expression: string): Set<string> {
  const paths = expression.replace(/"[^"]*"|'[^']*'/g, ' ').replace(ELSEWHERE, '$1 ');
  return new Set(paths.match(/[\p{L}_][\p{L}\p{N}_.-]*/gu));
}

/**
 * The questions in steps, by what their calculations and ShownWhen name: those of a step need the answers of the steps before it
 * alone. What can never be calculated, since it depends on itself, is left out. Names count as they are written, since XPath does so.
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

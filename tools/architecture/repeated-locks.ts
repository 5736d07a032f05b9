/**
 * Finds updates and deletes whose number of rows depends on the plan: those that join a limited subquery that locks
 * rows, or compare with it by `in`.
 *
 * A plan may evaluate such a subquery again for each row of the table. Every evaluation skips the rows that the
 * statement has changed already, and returns the next ones: `limit 1` then changes all rows. PostgreSQL chooses such a
 * plan where its statistics say that the table has one row. A common table expression, and `any(array(…))`, are
 * evaluated once.
 */
type Node = Readonly<Record<string, unknown>>;

const CHANGES = new Set(['UpdateStmt', 'DeleteStmt', 'MergeStmt']);
/** Subqueries that are not joined, but give one value. */
const SINGLE_VALUES = new Set(['ARRAY_SUBLINK', 'EXPR_SUBLINK', 'MULTIEXPR_SUBLINK', 'ROWCOMPARE_SUBLINK']);

/** Whether a parsed text has an update or delete that may evaluate a limited, locking subquery repeatedly. */
export function repeatsLocks(tree: unknown): boolean {
  return nodesIn(tree).some(([name, child]) =>
    CHANGES.has(name) ? joinsLocks(child) || repeatsLocks(child) : repeatsLocks(child),
  );
}

/** Whether a limited subquery that locks rows is below a node, other than in places that are evaluated once. */
function joinsLocks(value: unknown): boolean {
  return nodesIn(value).some(([name, child]) => {
    if (name === 'withClause' || SINGLE_VALUES.has(String((child as Node)['subLinkType']))) return false;
    return (name === 'SelectStmt' && 'limitCount' in child && 'lockingClause' in child) || joinsLocks(child);
  });
}

/** Returns the objects and lists directly in a node, by name. */
function nodesIn(value: unknown): [name: string, child: object][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).filter((entry): entry is [string, object] => {
    const child: unknown = entry[1];
    return typeof child === 'object' && child !== null;
  });
}

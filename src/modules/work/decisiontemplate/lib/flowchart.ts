import type { VersionContent, ContentStep } from './version-content.ts';

/** The brackets that give each kind of step its shape. */
const shapes = {
  IfThen: ['{"', '"}'],
  Polling: ['{{"', '"}}'],
  Operation: ['[["', '"]]'],
  Workflow: ['(["', '"])'],
  Record: ['["', '"]'],
  Manual: ['("', '")'],
} as const;

type Kind = keyof typeof shapes;

/** Styles of steps by status. Only outlines, readable on light and dark pages. */
const states: Readonly<Record<string, string>> = {
  Complete: 'stroke:#2e7d32,stroke-width:3px',
  Pending: 'stroke:#1565c0,stroke-width:3px',
  Started: 'stroke:#1565c0,stroke-width:3px',
  Queued: 'stroke:#6a1b9a,stroke-width:3px',
  Reprocessing: 'stroke:#6a1b9a,stroke-width:3px',
  Error: 'stroke:#c62828,stroke-width:4px',
  Canceled: 'stroke:#757575,stroke-width:2px,stroke-dasharray:2 4',
  Waiting: 'stroke:#9e9e9e,stroke-width:1px,stroke-dasharray:6 3',
};

/** The status shown for a step that is not inserted yet. */
const NOT_INSERTED = 'Waiting';

const AD_HOC = 0;
const REPEATED = 2;

/**
 * A kind of workflow as the text of a Mermaid flowchart: a node for each step, shaped by what it does; an edge for each
 * dependency,
 * with the result that it needs. Where one of several steps is enough they meet in a node `any`; all edges that end at
 * a step are needed.
 * `statuses`: of a workflow, the status of each step by its template. The same content is always the same text.
 *
 * @example
 * flowchart TD
 *   s1{"Is in Texas"}
 *   s2["Texan notice"]
 *   s1 -->|true| s2
 *   class s1 ifThen
 *   class s2 record
 */
export function flowchart({ steps }: VersionContent, statuses?: ReadonlyMap<number, string>): string {
  const lines = ['flowchart TD'];
  for (const step of steps) {
    const [before, behind] = shapes[kindOf(step)];
    lines.push(`  ${node(step)}${before}${escapeLabel(step.name)}${behind}`);
  }
  for (const step of steps) lines.push(...edgesTo(step, steps).map((edge) => `  ${edge}`));
  lines.push(...classes('', steps, (step) => lowerFirst(kindOf(step))));
  lines.push(...dashed(steps));
  if (statuses) lines.push(...stateLines(steps, statuses));
  return `${lines.join('\n')}\n`;
}

function node({ id }: ContentStep): string {
  return `s${id}`;
}

/** Returns what a step does. */
function kindOf({ type, xslt, operation, object }: ContentStep): Kind {
  if (xslt !== null) return type?.toLowerCase() === 'polling' ? 'Polling' : 'IfThen';
  if (operation !== null) return 'Operation';
  if (object === null) return 'Manual';
  return /^decision(?:template)?$/i.test(object) ? 'Workflow' : 'Record';
}

/**
 * Escapes a name for use between quotes: letters, digits, spaces and commas stay as they are, all
 * else becomes the
 * number of its sign. Plain signs mean something to Mermaid in some place: `#` and `;` entities, `"` the end, `<`
 * markup, backticks, `*`,
 * `_`, `-` and `1.` markdown, `:` styles.
 */
export function escapeLabel(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return plain.replace(/[^\p{L}\p{M}\p{N} ,]/gu, (sign) => `#${sign.codePointAt(0)};`) || ' ';
}

function edgesTo(step: ContentStep, steps: readonly ContentStep[]): string[] {
  const lines: string[] = [];
  for (const [at, group] of step.groups.entries()) {
    const meeting = group.length > 1 ? `g${step.id}x${at}` : undefined;
    if (meeting !== undefined) lines.push(`${meeting}(("any"))`);
    for (const { step: place, isTrue } of group) {
      const on = steps[place];
      if (!on) continue;
      // A polling step satisfies any required result.
      const label = isTrue === null || kindOf(on) === 'Polling' ? '' : `|${String(isTrue)}|`;
      lines.push(`${node(on)} -->${label} ${meeting ?? node(step)}`);
    }
    if (meeting !== undefined) lines.push(`${meeting} --> ${node(step)}`);
  }
  return lines;
}

/** Returns statements that assign classes to nodes, one per class. */
function classes(
  prefix: string,
  steps: readonly ContentStep[],
  classOf: (step: ContentStep) => string | undefined,
): string[] {
  const byClass = Map.groupBy(
    steps.filter((step) => classOf(step) !== undefined),
    (step) => classOf(step) ?? '',
  );
  return [...byClass]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of]) => `  class ${of.map(node).join(',')} ${prefix}${name}`);
}

/** Gives manual and repeatable steps dashed outlines. */
function dashed(steps: readonly ContentStep[]): string[] {
  const found = classes('', steps, repetitionClass);
  return [
    ...(found.some((line) => line.endsWith(' adHoc')) ? ['  classDef adHoc stroke-dasharray:1 3'] : []),
    ...(found.some((line) => line.endsWith(' repeated')) ? ['  classDef repeated stroke-dasharray:8 2'] : []),
    ...found,
  ];
}

function repetitionClass({ repeatability }: ContentStep): string | undefined {
  if (repeatability === AD_HOC) return 'adHoc';
  return repeatability === REPEATED ? 'repeated' : undefined;
}

function stateLines(steps: readonly ContentStep[], statuses: ReadonlyMap<number, string>): string[] {
  const statusOf = ({ id }: ContentStep): string => {
    const status = statuses.get(id) ?? NOT_INSERTED;
    return Object.hasOwn(states, status) ? status : NOT_INSERTED;
  };
  const used = [...new Set(steps.map(statusOf))].sort();
  return [
    ...used.map((status) => `  classDef state${status} ${states[status] ?? ''}`),
    ...classes('state', steps, statusOf),
  ];
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

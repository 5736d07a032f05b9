import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { repeatability, type PlanContent } from './plan.ts';

/**
 * Rejects a template with unreachable steps: cycles that nothing enters or that would not repeat, and steps after
 * them.
 */
export function checkGraph({ steps }: PlanContent): void {
  const reached = reachable(steps);
  const circle =
    circleOf(steps, ({ repeatability: how }) => how !== repeatability.multiple) ??
    circleOf(steps, (_step, at) => !reached.has(at));
  if (circle)
    throw refused(
      'the steps depend on each other in a circle: ' +
        `${circle.map((at) => steps[at]?.name).join(' > ')}. To make a loop, start it from a step outside ` +
        'the circle and set Repeatability to 2 on each step in it',
    );
  for (const [at, step] of steps.entries())
    if (!reached.has(at))
      throw refused(`the step "${step.name}" can never start: in one group of its dependencies, no step can complete`);
}

/** Returns the places of reachable steps, including manual ones. */
function reachable(steps: PlanContent['steps']): ReadonlySet<number> {
  const reached = new Set<number>();
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const [at, step] of steps.entries())
      if (step.groups.every((group) => group.some(({ step: on }) => reached.has(on)))) reached.add(at);
  }
  return reached;
}

/** Returns a cycle through a step with a property, as places, with the first repeated at the end. */
function circleOf(
  steps: PlanContent['steps'],
  has: (step: PlanContent['steps'][number], at: number) => boolean,
): readonly number[] | undefined {
  for (const [from, step] of steps.entries()) {
    if (!has(step, from)) continue;
    const path = pathBack(steps, from);
    if (path) return path;
  }
  return undefined;
}

/** Returns the shortest path along dependencies from a step back to itself. */
function pathBack(steps: PlanContent['steps'], from: number): readonly number[] | undefined {
  const cameFrom = new Map<number, number>();
  const waiting = [from];
  for (const at of waiting) {
    for (const { step: on } of steps[at]?.groups.flat() ?? []) {
      if (on === from) {
        const path = [from];
        for (let back: number | undefined = at; back !== undefined && back !== from; back = cameFrom.get(back))
          path.push(back);
        return [...path, from];
      }
      if (cameFrom.has(on)) continue;
      cameFrom.set(on, at);
      waiting.push(on);
    }
  }
  return undefined;
}

function refused(what: string): PlatformError {
  return new PlatformError('BAD_PARAMETER', { field: 'Dependencies', message: `Dependencies: ${what}.` });
}

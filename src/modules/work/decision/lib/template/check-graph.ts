import { PlatformError } from '../../../../../kernel/door/errors.ts';
import { repeatability, type PlanContent } from './plan.ts';

/** Refuses a template whose steps could never all be come to: circles that nothing enters or that would not end, and steps behind what never comes. */
export function checkGraph({ steps }: PlanContent): void {
  const reached = reachable(steps);
  const circle =
    circleOf(steps, ({ repeatability: how }) => how !== repeatability.multiple) ??
    circleOf(steps, (_step, at) => !reached.has(at));
  if (circle)
    throw refused(
      `the steps wait for one another in a circle: ${circle.map((at) => steps[at]?.name).join(' > ')}. A circle is entered from outside, and all of its steps have the Repeatability 2`,
    );
  for (const [at, step] of steps.entries())
    if (!reached.has(at))
      throw refused(`the step "${step.name}" is never reached: of a group of its dependencies no step can complete`);
}

/** The places of the steps that can be come to, those that are inserted by hand among them. */
function reachable(steps: PlanContent['steps']): ReadonlySet<number> {
  const reached = new Set<number>();
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const [at, step] of steps.entries())
      if (step.groups.every((group) => group.some(({ step: on }) => reached.has(on)))) reached.add(at);
  }
  return reached;
}

/** A circle that has a step of a kind, as the places of its steps with the first once more at the end. */
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

/** The shortest way from a step along its dependencies back to itself. */
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

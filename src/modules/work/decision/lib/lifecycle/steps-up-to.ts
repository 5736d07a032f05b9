import type { SkippedStep } from '../pass/pass-command.ts';
import { isPolling, repeatability, type Plan } from '../template/plan.ts';

/**
 * The steps that come before one, and then itself, each after those that it waits for, with the result that the way to it wants of them.
 * Of a group's alternatives all come before it, except those that are inserted by hand where there are others. What can only be come to
 * once the step itself is complete, on the way round a circle, comes after it.
 *
 * A step that several wait for with different results gets the one that the nearest to the target wants, of equally near ones the
 * first in the plan.
 */
export function stepsUpTo(plan: Plan, target: number): readonly SkippedStep[] {
  const reachable = reachableWithout(plan, target);
  const wanted = new Map<number, boolean | null>([[target, null]]);
  const waiting = [target];
  for (const at of waiting) {
    for (const group of plan.steps[at]?.groups ?? []) {
      const possible = group.filter(({ step }) => reachable.has(step));
      const others = possible.filter(({ step }) => plan.steps[step]?.repeatability !== repeatability.adHoc);
      for (const { step, isTrue } of others.length > 0 ? others : possible) {
        if (wanted.has(step)) {
          if (wanted.get(step) === null && step !== target) wanted.set(step, isTrue);
          continue;
        }
        wanted.set(step, isTrue);
        waiting.push(step);
      }
    }
  }
  return inOrder(plan, wanted).map((step) => ({ step, isTrue: resultOf(plan, step, wanted.get(step) ?? null) }));
}

/** A polling step that is complete has said yes. */
function resultOf(plan: Plan, at: number, wanted: boolean | null): boolean | null {
  const step = plan.steps[at];
  return wanted ?? (step && isPolling(step) ? true : null);
}

/** The places that can be come to before a step is complete for the first time. */
function reachableWithout({ steps }: Plan, target: number): ReadonlySet<number> {
  const reached = new Set<number>();
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const [at, { groups }] of steps.entries())
      if (at !== target && groups.every((group) => group.some(({ step }) => reached.has(step)))) reached.add(at);
  }
  return reached;
}

/** The steps chosen, each after those of them that it waits for; in a circle after those that lead into it. */
function inOrder({ steps }: Plan, chosen: ReadonlyMap<number, unknown>): number[] {
  const done = new Set<number>();
  const isReady = (at: number): boolean =>
    (steps[at]?.groups ?? []).every((group) => {
      const own = group.filter(({ step }) => chosen.has(step));
      return own.length === 0 || own.some(({ step }) => done.has(step));
    });
  for (let before = -1; before !== done.size;) {
    before = done.size;
    // First those all of whose steps are done, so that what an alternative waits for does not come late.
    const left = [...chosen.keys()].filter((at) => !done.has(at)).sort((a, b) => a - b);
    const next =
      left.find((at) => (steps[at]?.groups ?? []).flat().every(({ step }) => !chosen.has(step) || done.has(step))) ??
      left.find(isReady) ??
      left[0];
    if (next !== undefined) done.add(next);
  }
  return [...done];
}

import type { SkippedStep } from '../pass/pass-command.ts';
import { isPolling, repeatability, type Plan } from '../template/plan.ts';

/**
 * Returns the steps before a target step and then the target, each after its dependencies, with the result that the
 * path to the target requires.
 *
 * All alternatives of a group come first, except manual steps if there are others. Steps that can only follow the
 * target, around a cycle, are left out. If several steps depend on one with different results, the nearest to the
 * target decides, then the first in the plan.
 */
export function stepsUpTo(plan: Plan, target: number): readonly SkippedStep[] {
  const reachable = reachableWithout(plan, target);
  const results = new Map<number, boolean | null>([[target, null]]);
  const waiting = [target];
  for (const at of waiting) {
    for (const group of plan.steps[at]?.groups ?? []) {
      const possible = group.filter(({ step }) => reachable.has(step));
      const others = possible.filter(({ step }) => plan.steps[step]?.repeatability !== repeatability.adHoc);
      for (const { step, isTrue } of others.length > 0 ? others : possible) {
        if (results.has(step)) {
          if (results.get(step) === null && step !== target) results.set(step, isTrue);
          continue;
        }
        results.set(step, isTrue);
        waiting.push(step);
      }
    }
  }
  return inOrder(plan, results).map((step) => ({ step, isTrue: resultOf(plan, step, results.get(step) ?? null) }));
}

/** A polling step can only complete with true. */
function resultOf(plan: Plan, at: number, required: boolean | null): boolean | null {
  const step = plan.steps[at];
  return required ?? (step && isPolling(step) ? true : null);
}

/** Returns the places that can be reached before a step completes for the first time. */
function reachableWithout({ steps }: Plan, target: number): ReadonlySet<number> {
  const reached = new Set<number>();
  for (let before = -1; before !== reached.size;) {
    before = reached.size;
    for (const [at, { groups }] of steps.entries())
      if (at !== target && groups.every((group) => group.some(({ step }) => reached.has(step)))) reached.add(at);
  }
  return reached;
}

/** Sorts the chosen steps by their dependencies. Within a cycle, steps that lead into it come first. */
function inOrder({ steps }: Plan, chosen: ReadonlyMap<number, unknown>): number[] {
  const done = new Set<number>();
  const isReady = (at: number): boolean =>
    (steps[at]?.groups ?? []).every((group) => {
      const own = group.filter(({ step }) => chosen.has(step));
      return own.length === 0 || own.some(({ step }) => done.has(step));
    });
  for (let before = -1; before !== done.size;) {
    before = done.size;
    // Steps with all dependencies done go first, so that an alternative's dependencies do not come too late.
    const left = [...chosen.keys()].filter((at) => !done.has(at)).sort((a, b) => a - b);
    const next =
      left.find((at) => (steps[at]?.groups ?? []).flat().every(({ step }) => !chosen.has(step) || done.has(step))) ??
      left.find(isReady) ??
      left[0];
    if (next !== undefined) done.add(next);
  }
  return [...done];
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { movedClock } from '../../../src/app/demo/moved-clock.ts';
import { planCases } from '../../../src/app/demo/world-plan.ts';

const NOW = Date.UTC(2026, 10, 18, 15);

describe("the plan of the demo's cases", () => {
  it('WEB-08 is the same on every run, and its dates are relative to the present', () => {
    assert.deepEqual(planCases(NOW), planCases(NOW));
    const [first] = planCases(NOW);
    const [weekLater] = planCases(NOW + 7 * 86_400_000);
    assert.equal((weekLater?.referredAt ?? 0) - (first?.referredAt ?? 0), 7 * 86_400_000);
  });

  it('WEB-08 refers cases on working days over two years, none in the future, each with its own loan', () => {
    const plans = planCases(NOW);
    assert.equal(new Set(plans.map(({ loan }) => loan)).size, plans.length);
    for (const { referredAt } of plans) {
      assert.ok(referredAt < NOW && referredAt > NOW - 740 * 86_400_000);
      assert.ok(![0, 6].includes(new Date(referredAt).getUTCDay()));
    }
  });

  it('WEB-08 the moved clock is only moved for what runs within, also where several run at once', async () => {
    const clock = movedClock();
    const read = (at: number): Promise<number> =>
      clock.at(at, async () => {
        await Promise.resolve();
        return clock.milliseconds();
      });
    const [one, two] = await Promise.all([read(1_000_000), read(9_000_000)]);
    assert.ok(one >= 1_000_000 && one < 1_060_000 && two >= 9_000_000);
    assert.ok(clock.milliseconds() > NOW - 400 * 86_400_000);
  });
});

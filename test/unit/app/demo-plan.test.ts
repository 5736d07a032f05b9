import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLERK_DUE_DAYS, dueDates } from '../../../src/app/demo/hand-out-work.ts';
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

  it('WEB-08 has borrowers with different names', () => {
    const names = planCases(NOW).flatMap(({ borrowers }) =>
      borrowers.map((each) => `${each.firstName} ${each.lastName}`),
    );
    assert.equal(new Set(names).size, names.length);
    assert.equal(new Set(planCases(NOW).map(({ borrowers }) => borrowers[0]?.lastName)).size, planCases(NOW).length);
  });

  it("WEB-08 the clerk's items are due around the present in the office's time zone: 4 overdue, 8 today, 25 in all", () => {
    for (const now of [NOW, Date.UTC(2026, 10, 19, 1), Date.UTC(2026, 10, 19, 4, 58)]) {
      const dueAt = dueDates('America/New_York', now);
      const due = CLERK_DUE_DAYS.map(dueAt);
      const endOfDay = Date.UTC(2026, 10, 19, 5);
      assert.equal(due.length, 25);
      assert.equal(due.filter((at) => at <= now).length, 4);
      assert.equal(due.filter((at) => at > now && at < endOfDay).length, 8);
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

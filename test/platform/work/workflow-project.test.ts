import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { isCertain, type Condition } from '../../../src/modules/work/decision/lib/forecast/condition.ts';
import {
  project,
  type ExistingStep,
  type ProjectionInput,
} from '../../../src/modules/work/decision/lib/forecast/projection.ts';
import {
  planOf,
  type Dependency,
  type Plan,
  type PlannedStep,
} from '../../../src/modules/work/decision/lib/template/plan.ts';
import { testPlatform } from '../../support/platform.ts';
import { rowsOf, sheet, workflowCalls, type WorkflowRow } from '../../support/work/workflows.ts';

// A Friday morning.
const clock = fixedClock('2026-03-06T15:00:00Z');
const p = await testPlatform({ after }, { clock });
const { ok, save, template, newCase, start, steps, complete, decision, stepNamed, set } = workflowCalls(p);

const outlook = async (id: unknown, caller = p.admin): Promise<WorkflowRow[]> =>
  rowsOf(await ok(caller.get(`/api/decision/project?Output=Json&DecisionID=${String(id)}`)), 'DecisionStep');
const named = (rows: readonly WorkflowRow[], name: string): WorkflowRow =>
  rows.find((row) => row['DecisionStep'] === name) ?? {};
const expected = (rows: readonly WorkflowRow[]): unknown[] =>
  rows.map((row) => [row['DecisionStep'], row['ExpectedStart'], row['ExpectedCompletion']]);
/** Returns all that the database stores about workflows, as text. */
const everything = async (): Promise<string> =>
  JSON.stringify(
    await p.platform.store.query(
      `select
         (select json_agg(d) from decision d) as d,
         (select json_agg(s) from decisionstep s) as s,
         (select count(*) from history) as h,
         (select count(*) from pgboss.job) as j`,
    ),
  );

describe('decision/project', () => {
  it('WF-13 returns existing and future steps with the durations of all scales, and writes nothing', async () => {
    await set('TimeZone', 'America/New_York');
    const scales = [
      [0, 2],
      [1, 3],
      [2, 90],
      [3, 30],
      [4, 1],
      [5, 1],
      [6, 3],
    ] as const;
    await template('Scales', [
      { name: 'Begin', EstimatedDuration: 1, DurationScale: 6 },
      ...scales.map(([DurationScale, EstimatedDuration]) => ({
        name: `Scale ${DurationScale}`,
        DurationScale,
        EstimatedDuration,
        after: ['Begin'],
      })),
      { name: 'End', after: scales.map(([scale]) => [`Scale ${scale}`]) },
      { name: 'By hand', Repeatability: 0, EstimatedDuration: 9, DurationScale: 5 },
    ]);
    const { DecisionID: id } = await start('Scales', await newCase());
    const before = await everything();
    const rows = await outlook(id);
    assert.equal(await everything(), before);
    // Begin is expected on Monday, after the clocks go forward on Sunday; a year later they change only on the 14th.
    const monday = '2026-03-09T14:00:00.000Z';
    assert.deepEqual(expected(rows), [
      ['Begin', '2026-03-06T15:00:00.000Z', monday],
      ['Scale 0', monday, '2026-03-11T14:00:00.000Z'],
      ['Scale 1', monday, '2026-03-09T17:00:00.000Z'],
      ['Scale 2', monday, '2026-03-09T15:30:00.000Z'],
      ['Scale 3', monday, '2026-03-09T14:00:30.000Z'],
      ['Scale 4', monday, '2026-04-09T14:00:00.000Z'],
      ['Scale 5', monday, '2027-03-09T15:00:00.000Z'],
      ['Scale 6', monday, '2026-03-12T14:00:00.000Z'],
      ['End', '2027-03-09T15:00:00.000Z', '2027-03-09T15:00:00.000Z'],
    ]);
    assert.deepEqual(
      rows.map((row) => row['IsProjected']),
      [false, ...Array.from({ length: 8 }, () => true)],
    );
    assert.deepEqual([...new Set(rows.map((row) => row['WorkflowCompletion']))], ['2027-03-09T15:00:00.000Z']);
    const [first, second] = rows;
    assert.deepEqual(
      [first?.['DecisionStepID'], first?.['Status'], second?.['DecisionStepID'], second?.['Status']],
      [(await stepNamed(id, 'Begin'))['DecisionStepID'], 'Pending', undefined, undefined],
    );
    assert.deepEqual(
      [first?.['EstimatedCompletion'], second?.['EstimatedStart'], second?.['DependsOn']],
      [monday, monday, undefined],
    );
    await set('TimeZone', 'UTC');
  });

  it("WF-13 WF-20 a user's projection overrides the estimate, complete and overdue steps count as they are, and both branches of an open result are returned", async () => {
    await template('Branches', [
      { name: 'Ask', EstimatedDuration: 10, DurationScale: 0 },
      {
        name: 'Is sold',
        DecisionStepTemplateType: 'IfThen',
        StepXslt: sheet("//ForeclosureItem/Foreclosure = 'Sold'"),
        after: ['Ask'],
      },
      { name: 'Deed', EstimatedDuration: 3, DurationScale: 0, after: ['Is sold=1'] },
      { name: 'Sell again', EstimatedDuration: 5, DurationScale: 0, after: ['Is sold=0'] },
      { name: 'Close', after: [['Deed', 'Sell again']] },
      { name: 'Never both', after: ['Deed', 'Sell again'] },
    ]);
    const { DecisionID: id } = await start('Branches', await newCase());
    const ask = (await stepNamed(id, 'Ask'))['DecisionStepID'];
    assert.equal(named(await outlook(id), 'Ask')['ExpectedCompletion'], '2026-03-16T15:00:00.000Z');
    await save('decisionstep', { ID: ask, ProjectedCompletion: '2026-03-10T15:00:00Z' });
    const rows = await outlook(id);
    assert.deepEqual(
      rows.map((row) => [row['DecisionStep'], row['ExpectedCompletion'], row['DependsOn']]),
      [
        ['Ask', '2026-03-10T15:00:00.000Z', undefined],
        ['Is sold', '2026-03-10T15:00:00.000Z', undefined],
        ['Deed', '2026-03-13T15:00:00.000Z', 'Is sold = 1'],
        ['Sell again', '2026-03-15T15:00:00.000Z', 'Is sold = 0'],
        ['Close', '2026-03-13T15:00:00.000Z', undefined],
      ],
    );
    assert.deepEqual(
      [rows[0]?.['ProjectedCompletion'], rows[0]?.['EstimatedCompletion'], rows[1]?.['EstimatedStart']],
      ['2026-03-10T15:00:00.000Z', '2026-03-16T15:00:00.000Z', '2026-03-10T15:00:00.000Z'],
    );
    await save('decisionstep', { ID: ask, ProjectedCompletion: '2026-03-02T15:00:00Z' });
    assert.equal(
      named(await outlook(id), 'Ask')['ExpectedCompletion'],
      clock.now(),
      'an overdue step completes now at the earliest',
    );
    await ok(complete(ask));
    const decided = await outlook(id);
    assert.deepEqual(
      decided.map((row) => [row['DecisionStep'], row['IsProjected'], row['DependsOn']]),
      [
        ['Ask', false, undefined],
        ['Is sold', false, undefined],
        ['Sell again', false, undefined],
        ['Close', true, undefined],
      ],
    );
    await ok(complete((await stepNamed(id, 'Sell again'))['DecisionStepID']));
    await ok(complete((await stepNamed(id, 'Close'))['DecisionStepID']));
    const over = await outlook(id);
    assert.deepEqual(
      [over.every((row) => row['IsProjected'] === false), over[0]?.['WorkflowCompletion']],
      [true, (await decision(id))['ActualCompletion']],
    );
  });

  it('WF-13 uses a ReferenceDate of the case; with EnforceStartDates the step starts no sooner; a value that is no date is reported and ignored', async () => {
    for (const enforced of [false, true]) {
      const name = `Reference ${String(enforced)}`;
      await template(
        name,
        [
          { name: 'Wait' },
          {
            name: 'Notice',
            ReferenceDate: 'ScheduledSaleDate',
            EstimatedDuration: 2,
            DurationScale: 0,
            after: ['Wait'],
          },
          { name: 'No date', ReferenceDate: 'Foreclosure', EstimatedDuration: 1, DurationScale: 0, after: ['Wait'] },
          { name: 'Not yet', ReferenceDate: 'DateClosed', EstimatedDuration: 1, DurationScale: 0, after: ['Wait'] },
        ],
        { EnforceStartDates: enforced },
      );
      const { DecisionID: id } = await start(name, await newCase({ ScheduledSaleDate: '2026-04-01' }));
      const answer = await p.admin.get(`/api/decision/project?Output=Json&DecisionID=${String(id)}`);
      const rows = rowsOf(answer.json(), 'DecisionStep');
      const notice = named(rows, 'Notice');
      assert.deepEqual(
        [
          notice['EstimatedStart'],
          notice['EstimatedCompletion'],
          notice['ExpectedStart'],
          notice['ExpectedCompletion'],
        ],
        [
          '2026-04-01T00:00:00.000Z',
          '2026-04-03T00:00:00.000Z',
          enforced ? '2026-04-01T00:00:00.000Z' : clock.now(),
          '2026-04-03T00:00:00.000Z',
        ],
      );
      for (const other of ['No date', 'Not yet'])
        assert.equal(named(rows, other)['ExpectedCompletion'], '2026-03-07T15:00:00.000Z', other);
      assert.match(answer.text, /No date.*Foreclosure does not return a date/);
    }
  });

  it('WF-13 WF-20 a step of ten business days before the sale is due then, in the forecast and once it is inserted', async () => {
    const notice = {
      name: 'Post the notice',
      ReferenceDate: 'ScheduledSaleDate',
      EstimatedDuration: -10,
      DurationScale: 6,
      after: ['Wait'],
    };
    await template('Before the sale', [{ name: 'Wait' }, notice]);
    await template('Not sooner', [{ name: 'Wait' }, notice], { EnforceStartDates: true });
    const [now, due] = [clock.now(), '2026-03-18T00:00:00.000Z'];
    for (const [name, sale, ...expected] of [
      ['Before the sale', '2026-04-01', now, due],
      ['Not sooner', '2026-04-01', due, due],
      ['Before the sale', undefined, now, now],
      ['Before the sale', '2026-03-10', '2026-02-24T00:00:00.000Z', '2026-02-24T00:00:00.000Z'],
    ] as const) {
      const { DecisionID: id } = await start(name, await newCase({ ScheduledSaleDate: sale }));
      const rows = rowsOf(
        await ok(p.admin.get(`/api/decision/project?Output=Json&DecisionID=${String(id)}`)),
        'DecisionStep',
      );
      const forecast = named(rows, 'Post the notice');
      await ok(complete(named(rows, 'Wait')['DecisionStepID']));
      const inserted = await stepNamed(id, 'Post the notice');
      for (const row of [forecast, inserted])
        assert.deepEqual([row['EstimatedStart'], row['EstimatedCompletion']], expected);
    }
  });

  it('WF-13 expects nothing before the end of a hold, and nothing more of a canceled workflow; a firm sees only workflows it can access', async () => {
    const made = await template('Held', [
      { name: 'One', EstimatedDuration: 1, DurationScale: 0 },
      { name: 'Two', after: ['One'] },
    ]);
    await save('decisiondelaytemplate', {
      DecisionDelayTemplate: 'Hold',
      AppliesTo: 'Foreclosure',
      DecisionTemplateID: made['DecisionTemplateID'],
    });
    await p.admin.post('/api/role/save', { Role: 'Planner', Permissions: 'DecisionProject', UniversalAccess: false });
    const [firm, other] = [await p.firm('Planning', 'Planner'), await p.firm('Not reached', 'Planner')];
    const caseId = await newCase({ OrganizationID: firm.organizationId });
    const { DecisionID: id } = await start('Held', caseId);
    assert.deepEqual(await outlook(id, firm.caller), await outlook(id));
    assert.equal((await other.caller.get(`/api/decision/project?DecisionID=${String(id)}`)).status, 404);
    assert.equal((await p.admin.get('/api/decision/project')).status, 400);
    await save('decisiondelay', {
      Template: 'Hold',
      Object: 'Foreclosure',
      ObjectID: caseId,
      ProjectedCompletion: '2026-05-01T12:00:00Z',
    });
    assert.deepEqual(
      (await outlook(id)).map((row) => row['ExpectedCompletion']),
      ['2026-05-01T12:00:00.000Z', '2026-05-01T12:00:00.000Z'],
    );
    await ok(p.admin.post('/api/decision/cancel?Output=Json', { ID: id }));
    const canceled = await outlook(id);
    assert.deepEqual(
      [
        canceled.length,
        canceled[0]?.['Status'],
        canceled[0]?.['ExpectedCompletion'],
        canceled[0]?.['WorkflowCompletion'],
      ],
      [1, 'Canceled', undefined, undefined],
    );
  });

  it('WF-13 WF-11 a step that waits for a workflow it started completes with that workflow, at any depth, unless a user projects a date', async () => {
    const days = (EstimatedDuration: number): object => ({ EstimatedDuration, DurationScale: 0 });
    const runs = (of: WorkflowRow): object => ({ Object: 'DecisionTemplate', ObjectID: of['DecisionTemplateID'] });
    const inner = await template('Innermost', [
      { name: 'Ask', ...days(4) },
      { name: 'Answer', ...days(3), after: ['Ask'] },
    ]);
    const middle = await template('Middle', [
      { name: 'Run inner', ...runs(inner), ...days(1) },
      { name: 'Check', ...days(2), after: ['Run inner'] },
    ]);
    await template('Outermost', [
      { name: 'Run middle', ...runs(middle), ...days(1) },
      { name: 'Beside', ...days(1) },
      { name: 'File', ...days(1), after: ['Run middle'] },
    ]);
    const { DecisionID: id } = await start('Outermost', await newCase());
    const middleId = (await stepNamed(id, 'Run middle'))['ObjectID'];
    const innerId = (await stepNamed(middleId, 'Run inner'))['ObjectID'];
    const ends = async (of: unknown): Promise<unknown[]> =>
      (await outlook(of)).map((row) => [
        row['DecisionStep'],
        String(row['ExpectedCompletion']).slice(0, 10),
        String(row['WorkflowCompletion']).slice(0, 10),
      ]);
    // The clock is at March 6: 4 and 3 days of the innermost workflow, 2 of the middle one, 1 of the outermost.
    const before = await everything();
    assert.deepEqual(await ends(id), [
      ['Run middle', '2026-03-15', '2026-03-16'],
      ['Beside', '2026-03-07', '2026-03-16'],
      ['File', '2026-03-16', '2026-03-16'],
    ]);
    assert.deepEqual(await ends(middleId), [
      ['Run inner', '2026-03-13', '2026-03-15'],
      ['Check', '2026-03-15', '2026-03-15'],
    ]);
    assert.equal(await everything(), before);
    assert.equal(
      named(await outlook(id), 'Run middle')['EstimatedCompletion'],
      '2026-03-07T15:00:00.000Z',
      'the estimate is still reported',
    );

    await save('decision', { ID: innerId, ProjectedCompletion: '2026-03-20T15:00:00Z' });
    assert.deepEqual(
      (await ends(id))[0],
      ['Run middle', '2026-03-22', '2026-03-23'],
      'projection of the child workflow',
    );
    await save('decisionstep', {
      ID: (await stepNamed(middleId, 'Run inner'))['DecisionStepID'],
      ProjectedCompletion: '2026-03-08T15:00:00Z',
    });
    assert.deepEqual((await ends(id))[0], ['Run middle', '2026-03-10', '2026-03-11'], 'projection of the step');
    await ok(complete((await stepNamed(innerId, 'Ask'))['DecisionStepID']));
    await ok(complete((await stepNamed(innerId, 'Answer'))['DecisionStepID']));
    assert.deepEqual(
      (await ends(id))[0],
      ['Run middle', '2026-03-08', '2026-03-09'],
      'the inner workflow is done; Run middle waits for Check',
    );
    await ok(p.admin.post('/api/decision/cancel?Output=Json', { ID: middleId }));
    assert.deepEqual(
      (await ends(id))[0],
      ['Run middle', '2026-03-07', '2026-03-08'],
      'a canceled child workflow does not count',
    );
  });

  it('WF-13 beyond the depth limit, a step counts with its own estimate', async () => {
    const day = { EstimatedDuration: 1, DurationScale: 0 };
    let below = await template('Level 7', [{ name: 'Last', EstimatedDuration: 100, DurationScale: 0 }]);
    for (let level = 6; level >= 0; level--)
      below = await template(`Level ${level}`, [
        { name: 'Run', ...day, Object: 'DecisionTemplate', ObjectID: below['DecisionTemplateID'] },
      ]);
    const { DecisionID: id } = await start('Level 0', await newCase());
    const ids = [id];
    while (ids.length < 8) ids.push((await stepNamed(ids.at(-1), 'Run'))['ObjectID']);
    const completion = async (of: unknown): Promise<unknown> => (await outlook(of))[0]?.['WorkflowCompletion'];
    assert.deepEqual(
      [await completion(ids[2]), await completion(ids[1])],
      ['2026-06-14T15:00:00.000Z', '2026-03-07T15:00:00.000Z'],
    );
  });

  it('WF-13 a workflow that starts later is projected from its start, before it has any step', async () => {
    await template('Later', [
      { name: 'One', EstimatedDuration: 1, DurationScale: 1 },
      { name: 'Two', EstimatedDuration: 1, DurationScale: 1, after: ['One'] },
    ]);
    const { DecisionID: id } = await start('Later', await newCase(), { ActualStart: '2026-06-01T00:00:00Z' });
    assert.deepEqual(await steps(id), []);
    assert.deepEqual(expected(await outlook(id)), [
      ['One', '2026-06-01T00:00:00.000Z', '2026-06-01T01:00:00.000Z'],
      ['Two', '2026-06-01T01:00:00.000Z', '2026-06-01T02:00:00.000Z'],
    ]);
  });
});

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const blank: Omit<PlannedStep, 'id' | 'name'> = {
  type: null,
  object: null,
  objectId: null,
  operation: null,
  parameters: null,
  method: null,
  batchLog: false,
  threads: null,
  xslt: null,
  durationScale: 1,
  duration: null,
  referenceDate: null,
  repeatability: 1,
  async: false,
  queue: null,
  queueParameters: null,
  matrixId: null,
  scheduleId: null,
  createOnCompletion: false,
  teamId: null,
  onStartParentStatus: null,
  onStartDecisionStatus: null,
  onCompleteParentStatus: null,
  onCompleteDecisionStatus: null,
  groups: [],
};

/**
 * A step of a generated plan, and its state: complete (`hours` ago), in progress (due in `hours`), canceled, or not
 * yet created.
 */
interface GeneratedStep {
  readonly hours: number;
  readonly isIfThen: boolean;
  readonly state: {
    readonly kind: 'none' | 'complete' | 'open' | 'canceled';
    readonly hours: number;
    readonly isTrue: boolean | null;
  };
  readonly groups: readonly (readonly (readonly [number, boolean | null])[])[];
}

function generatedSteps(max: number, results: readonly (boolean | null)[]): fc.Arbitrary<GeneratedStep[]> {
  const need = fc.tuple(fc.nat(), fc.constantFrom(...results));
  return fc.array(
    fc.record({
      hours: fc.nat(50),
      isIfThen: fc.boolean(),
      state: fc.record({
        kind: fc.constantFrom(
          'none' as const,
          'none' as const,
          'none' as const,
          'complete' as const,
          'open' as const,
          'canceled' as const,
        ),
        hours: fc.nat(50),
        isTrue: fc.constantFrom(true, false, null),
      }),
      groups: fc.array(fc.array(need, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: max },
  );
}

/** Returns the plan and the state of its steps; each step depends only on earlier ones. */
function projectionInputOf(generated: readonly GeneratedStep[]): ProjectionInput {
  const steps = generated.map(({ hours, isIfThen, groups }, at): PlannedStep => ({
    ...blank,
    id: at,
    name: `S${at}`,
    duration: String(hours),
    ...(isIfThen ? { type: 'IfThen', xslt: 'x' } : {}),
    groups: at === 0 ? [] : groups.map((group) => group.map(([on, isTrue]): Dependency => ({ step: on % at, isTrue }))),
  }));
  const existing = generated.flatMap(({ state }, place): ExistingStep[] => {
    if (state.kind === 'none') return [];
    const hoursFromNow = state.kind === 'open' ? state.hours : -state.hours;
    return [
      {
        place,
        completion: state.kind === 'canceled' ? undefined : NOW + hoursFromNow * HOUR,
        isOpen: state.kind === 'open',
        isTrue: state.kind === 'complete' ? state.isTrue : null,
        insertedSequence: place * 2 + 1,
        completedSequence: state.kind === 'complete' ? place * 2 + 2 : null,
      },
    ];
  });
  const plan: Plan = planOf(1, {
    templateId: 1,
    name: '',
    appliesTo: null,
    enforceStartDates: false,
    enforceDelay: true,
    steps,
  });
  return {
    plan,
    steps: existing,
    begin: NOW - 90 * HOUR,
    now: NOW,
    referenceDates: new Map(),
    estimate: (step, from, reference = from) => ({
      start: reference,
      completion: reference + Number(step.duration) * HOUR,
    }),
  };
}

function holds(condition: Condition, results: readonly (boolean | null)[]): boolean {
  return condition.some((term) => term.every(({ step, isTrue }) => results[step] === isTrue));
}

describe('a projection', () => {
  it('WF-13 starts each step when the last of its groups has its first completion, as a naive calculation does', () => {
    fc.assert(
      fc.property(generatedSteps(14, [null]), (generated) => {
        const at = projectionInputOf(generated);
        const completions = new Map(
          at.steps.flatMap(({ place, completion }) => (completion === undefined ? [] : [[place, completion] as const])),
        );
        const starts = new Map<number, number>();
        for (const [place, { groups }] of at.plan.steps.entries()) {
          if (generated[place]?.state.kind !== 'none') continue;
          // If all groups are satisfied, the pass comes now; the start is then the latest existing completion.
          const done = groups.map((group) =>
            group
              .filter(({ step }) => generated[step]?.state.kind === 'complete')
              .map(({ step }) => completions.get(step) ?? 0),
          );
          const firsts = groups.map((group) =>
            Math.min(...group.map(({ step }) => completions.get(step) ?? Number.POSITIVE_INFINITY)),
          );
          const ready =
            groups.length === 0
              ? at.begin
              : Math.max(...(done.every((some) => some.length > 0) ? done.flat() : firsts));
          if (ready === Number.POSITIVE_INFINITY) continue;
          starts.set(place, Math.max(ready, NOW));
          completions.set(place, Math.max(NOW, ready, ready + (generated[place]?.hours ?? 0) * HOUR));
        }
        const projected = project(at);
        assert.deepEqual(
          new Map(projected.map(({ place, start }) => [place, start])),
          new Map([...starts].sort((a, b) => a[1] - b[1])),
        );
        for (const { place, completion, condition } of projected)
          assert.deepEqual([completion, isCertain(condition)], [completions.get(place), true], `S${place}`);
        assert.deepEqual(
          projected.map(({ start }) => start),
          projected.map(({ start }) => start).sort((a, b) => a - b),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('WF-13 reports under which results each step comes, as trying all results does', () => {
    fc.assert(
      fc.property(generatedSteps(6, [null, true, false]), (generated) => {
        const at = projectionInputOf(generated);
        const conditions = new Map(project(at).map(({ place, condition }) => [place, condition]));
        for (const results of allResults(generated)) {
          const comes = comingUnder(at, generated, results);
          for (const place of at.plan.steps.keys())
            assert.equal(
              holds(conditions.get(place) ?? [], results),
              comes.has(place),
              `S${place} under ${JSON.stringify(results)}: ${JSON.stringify(conditions.get(place))}`,
            );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('WF-13 WF-35 includes each step of a circle once, steps inserted only by hand never, and a repeated step only when a dependency completes again', () => {
    const circle = (state: Partial<Record<string, readonly Partial<ExistingStep>[]>>): string[] => {
      const names = ['Enter', 'Try', 'Check', 'Leave', 'By hand'];
      const groups: Dependency[][][] = [
        [],
        [
          [
            { step: 0, isTrue: null },
            { step: 2, isTrue: false },
          ],
        ],
        [[{ step: 1, isTrue: null }]],
        [[{ step: 2, isTrue: true }]],
        [],
      ];
      const steps = names.map((name, id): PlannedStep => ({
        ...blank,
        id,
        name,
        duration: '1',
        repeatability: { Try: 2, Check: 2, 'By hand': 0 }[name] ?? 1,
        groups: groups[id] ?? [],
        ...(name === 'Check' ? { type: 'IfThen', xslt: 'x' } : {}),
      }));
      const existing = names.flatMap((name, place) =>
        (state[name] ?? []).map((step): ExistingStep => ({
          place,
          completion: NOW,
          isOpen: false,
          isTrue: null,
          insertedSequence: 0,
          completedSequence: null,
          ...step,
        })),
      );
      const plan = planOf(1, {
        templateId: 1,
        name: '',
        appliesTo: null,
        enforceStartDates: false,
        enforceDelay: true,
        steps,
      });
      return project({
        plan,
        steps: existing,
        begin: NOW,
        now: NOW,
        referenceDates: new Map(),
        estimate: (_step, from, reference = from) => ({ start: reference, completion: reference + HOUR }),
      }).map(
        ({ place, start, condition }) =>
          `${String(names[place])} +${(start - NOW) / HOUR} ` +
          JSON.stringify(condition.map((term) => term.map((fact) => fact.isTrue))),
      );
    };
    assert.deepEqual(circle({}), ['Enter +0 [[]]', 'Try +1 [[]]', 'Check +2 [[]]', 'Leave +3 [[true]]']);
    const entered = {
      Enter: [{ insertedSequence: 1, completedSequence: 2 }],
      Try: [{ insertedSequence: 3, completedSequence: 4 }],
    };
    assert.deepEqual(circle({ ...entered, Check: [{ insertedSequence: 5, isOpen: true }] }), [
      'Try +0 [[false]]',
      'Leave +0 [[true]]',
      'Check +1 [[false]]',
    ]);
    assert.deepEqual(circle({ ...entered, Check: [{ insertedSequence: 5, completedSequence: 6, isTrue: true }] }), [
      'Leave +0 [[]]',
    ]);
  });

  it('WF-13 handles a chain of a thousand steps, and limits the terms reported for many results', () => {
    const row = (count: number, of: (at: number) => Partial<PlannedStep>): ProjectionInput => {
      const steps = Array.from({ length: count }, (_, id): PlannedStep => ({
        ...blank,
        id,
        name: `S${id}`,
        duration: '1',
        ...of(id),
      }));
      return {
        plan: planOf(1, {
          templateId: 1,
          name: '',
          appliesTo: null,
          enforceStartDates: false,
          enforceDelay: true,
          steps,
        }),
        steps: [],
        begin: NOW,
        now: NOW,
        referenceDates: new Map(),
        estimate: (_step, from, reference = from) => ({ start: reference, completion: reference + HOUR }),
      };
    };
    // Each step depends on the next one in the plan, which is the worst order.
    const long = project(row(1_000, (at) => ({ groups: at === 999 ? [] : [[{ step: at + 1, isTrue: null }]] })));
    assert.deepEqual([long.length, long.at(-1)?.place, long.at(-1)?.start], [1_000, 0, NOW + 999 * HOUR]);
    const wide = project(
      row(61, (at) => ({
        type: 'IfThen',
        xslt: 'x',
        groups:
          at === 60
            ? Array.from({ length: 20 }, (_, group) =>
                [0, 1, 2].map((one) => ({ step: group * 3 + one, isTrue: one === 0 })),
              )
            : [],
      })),
    );
    assert.equal(wide.length, 61);
    const terms = wide.find(({ place }) => place === 60)?.condition.length ?? 0;
    assert.ok(terms > 1 && terms <= 32, String(terms));
  });
});

describe('decision/milestones', () => {
  const milestones = async (ids: readonly unknown[], caller = p.admin): Promise<WorkflowRow[]> =>
    rowsOf(
      await ok(caller.get(`/api/decision/milestones?Output=Json&Object=Foreclosure&ObjectID=${ids.join(',')}`)),
      'Milestone',
    );
  const short = (rows: readonly WorkflowRow[]): unknown[] =>
    rows.map((row) => [row['Milestone'], row['Status'], day(row['TargetDate']), day(row['ExpectedDate'])]);
  const day = (value: unknown): string => String(value ?? '').slice(0, 10);

  it('WF-13 WEB-01 returns for many cases which milestones are reached, when the others should be and are expected, and how long the stage takes', async () => {
    await template('Milestones', [
      { name: 'Review', Milestone: 'Referral', EstimatedDuration: 2, DurationScale: 6 },
      { name: 'Order', EstimatedDuration: 3, DurationScale: 6, after: ['Review'] },
      {
        name: 'Is clear',
        Milestone: 'Title',
        DecisionStepTemplateType: 'IfThen',
        StepXslt: sheet("//ForeclosureItem/Foreclosure = 'Clear'"),
        after: ['Order'],
      },
      { name: 'Cure', Milestone: 'Title', EstimatedDuration: 10, DurationScale: 6, after: ['Is clear=0'] },
      { name: 'File', Milestone: 'Complaint', EstimatedDuration: 5, DurationScale: 6, after: [['Is clear=1', 'Cure']] },
      { name: 'Reinstate', Milestone: 'Reinstated', Repeatability: 0 },
    ]);
    const [late, clear, none] = [await newCase(), await newCase({ Foreclosure: 'Clear' }), await newCase()];
    const [{ DecisionID: lateFlow }, { DecisionID: clearFlow }] = [
      await start('Milestones', late),
      await start('Milestones', clear),
    ];
    // The clock stands on Friday, March 6.
    const rows = await milestones([late, clear, none]);
    assert.deepEqual([...new Set(rows.map((row) => row['ObjectID']))], [late, clear]);
    assert.deepEqual(short(rows.filter((row) => row['ObjectID'] === late)), [
      ['Referral', 'Current', '2026-03-10', '2026-03-10'],
      ['Title', 'Coming', '2026-03-13', '2026-03-13'],
      ['Complaint', 'Coming', '2026-03-20', '2026-03-20'],
      ['Reinstated', 'Skipped', '', ''],
    ]);
    const [first] = rows;
    assert.deepEqual(
      [
        first?.['Sequence'],
        first?.['MilestoneCount'],
        first?.['DaysInStage'],
        first?.['TargetDays'],
        first?.['DaysLate'],
      ],
      [1, 4, 0, 2, 0],
    );
    for (const flow of [lateFlow, clearFlow])
      for (const name of ['Review', 'Order'])
        assert.equal((await complete((await stepNamed(flow, name))['DecisionStepID'])).status, 200);
    const next = await milestones([late, clear]);
    // The title of one is clear, and that of the other must be cured.
    assert.deepEqual(short(next.filter((row) => row['ObjectID'] === clear)).slice(0, 3), [
      ['Referral', 'Reached', '2026-03-10', '2026-03-06'],
      ['Title', 'Reached', '2026-03-06', '2026-03-06'],
      ['Complaint', 'Current', '2026-03-13', '2026-03-13'],
    ]);
    assert.deepEqual(short(next.filter((row) => row['ObjectID'] === late)).slice(1, 3), [
      ['Title', 'Current', '2026-03-20', '2026-03-20'],
      ['Complaint', 'Coming', '2026-03-27', '2026-03-27'],
    ]);
    assert.equal(next.find((row) => row['Milestone'] === 'Referral')?.['DaysLate'], -2, 'reached two days early');
    await save('decisiondelaytemplate', { DecisionDelayTemplate: 'Stop', AppliesTo: 'Foreclosure' });
    await save('decisiondelay', {
      DecisionDelay: 'Stop',
      DecisionID: lateFlow,
      ProjectedCompletion: '2026-03-24T15:00:00Z',
    });
    const outlooks = await outlook(lateFlow);
    const held = (await milestones([late])).filter((row) => row['Milestone'] !== 'Referral');
    assert.deepEqual(short(held).slice(0, 2), [
      ['Title', 'Current', '2026-03-20', '2026-03-24'],
      ['Complaint', 'Coming', '2026-03-27', '2026-03-31'],
    ]);
    assert.deepEqual([held[0]?.['DaysLate'], held[0]?.['Delayed']], [2, true]);
    assert.deepEqual(
      short(held)
        .slice(0, 2)
        .map((row) => (row as unknown[])[3]),
      ['Cure', 'File'].map((name) => day(named(outlooks, name)['ExpectedCompletion'])),
      'as decision/project expects them',
    );
  });

  it('WF-12 names milestones as configured now, also in running workflows, and returns none of cases that the caller cannot see', async () => {
    const saved = await template('Named later', [{ name: 'Only', EstimatedDuration: 1 }]);
    const firm = await p.firm('Milestones', 'Planner');
    const caseId = await newCase({ OrganizationID: firm.organizationId });
    await start('Named later', caseId);
    assert.deepEqual(await milestones([caseId]), []);
    const [step] = rowsOf(
      await ok(
        p.admin.get(
          `/api/decisiontemplate/${String(saved['DecisionTemplateID'])}/decisionsteptemplate/search?Output=Json`,
        ),
      ),
      'DecisionStepTemplate',
    );
    await save('decisionsteptemplate', { ID: step?.['DecisionStepTemplateID'], Milestone: 'Everything' });
    assert.deepEqual(
      (await milestones([caseId], firm.caller)).map((row) => row['Milestone']),
      ['Everything'],
    );
    const hidden = await newCase();
    const answer = await firm.caller.get(
      `/api/decision/milestones?Output=Json&Object=Foreclosure&ObjectID=${String(hidden)}`,
    );
    assert.equal(answer.status, 404);
  });
});

/** Yields every combination of the results not known yet; a step without a stylesheet may end without a result. */
function* allResults(
  generated: readonly GeneratedStep[],
  from: readonly (boolean | null)[] = [],
): Generator<readonly (boolean | null)[]> {
  const next = generated[from.length];
  if (!next) return yield from;
  const possible = next.isIfThen ? [true, false] : [true, false, null];
  for (const result of next.state.kind === 'complete' ? [next.state.isTrue] : possible)
    yield* allResults(generated, [...from, result]);
}

/** Returns the steps that start if the results are these. */
function comingUnder(
  { plan }: ProjectionInput,
  generated: readonly GeneratedStep[],
  results: readonly (boolean | null)[],
): ReadonlySet<number> {
  const completes = new Set<number>();
  const comes = new Set<number>();
  for (const [place, { groups }] of plan.steps.entries()) {
    const kind = generated[place]?.state.kind;
    if (kind === 'complete' || kind === 'open') completes.add(place);
    if (
      kind !== 'none' ||
      !groups.every((group) =>
        group.some(({ step, isTrue }) => completes.has(step) && (isTrue === null || results[step] === isTrue)),
      )
    )
      continue;
    completes.add(place);
    comes.add(place);
  }
  return comes;
}

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { secondPlatform } from '../../support/second-platform.ts';
import { ADMIN_KEY, testPlatform } from '../../support/platform.ts';
import { workflowCalls } from '../../support/work/workflows.ts';

/** Repetitions of each race. */
const RACES = 8;

const p = await testPlatform({ after });
const other = await secondPlatform({ after }, p);
const { save, template, newCase, start, stepStatuses, decision, stepNamed } = workflowCalls(p);

interface JsonAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** Sends the calls at the same moment, to the two nodes in turn. */
function together(calls: readonly (readonly [path: string, body: object])[]): Promise<JsonAnswer[]> {
  return Promise.all(
    calls.map(async ([path, body], n) => {
      const answer = await fetch(`${n % 2 === 0 ? p.url : other.url}/api/${path}?Output=Json`, {
        method: 'POST',
        headers: { 'X-ApiKey': ADMIN_KEY, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
    }),
  );
}

const codeOf = ({ json }: JsonAnswer): unknown => (json['Error'] as Record<string, unknown> | undefined)?.['Code'];
const assertAllSucceeded = (answers: readonly JsonAnswer[]): void =>
  assert.deepEqual(
    answers.map((answer) => [answer.status, codeOf(answer)]),
    answers.map(() => [200, undefined]),
  );
const contact = (name: string): Record<string, string> => ({
  Object: 'Contact',
  Operation: 'Save',
  Parameters: `Object=Foreclosure&ObjectID={ForeclosureID}&LastName=${name}`,
});
const madeOn = async (caseId: number): Promise<string[]> =>
  (
    await p.platform.store.query<{ name: string }>(
      "select lastname as name from contact where object = 'Foreclosure' and objectid = $1::bigint order by lastname",
      [caseId],
    )
  ).map(({ name }) => name);

describe('concurrent callers', () => {
  it('WF-10 WF-17 that complete one step with different results leave it with one of them, and only the steps after that result run', async () => {
    await template('Decided', [
      { name: 'Decide' },
      { name: 'Yes', ...contact('Yes'), after: ['Decide=1'] },
      { name: 'No', ...contact('No'), after: ['Decide=0'] },
    ]);
    for (let race = 0; race < RACES; race++) {
      const caseId = await newCase();
      const { DecisionID } = await start('Decided', caseId);
      const { DecisionStepID } = await stepNamed(DecisionID, 'Decide');
      assertAllSucceeded(
        await together([1, 0, 1, 0].map((IsTrue) => ['decisionstep/complete', { ID: DecisionStepID, IsTrue }])),
      );
      const { IsTrue } = await stepNamed(DecisionID, 'Decide');
      assert.deepEqual(
        [await stepStatuses(DecisionID), await madeOn(caseId)],
        [['Decide Complete', `${IsTrue === true ? 'Yes' : 'No'} Complete`], [IsTrue === true ? 'Yes' : 'No']],
      );
    }
  });

  it('WF-11 WF-17 that complete a parent workflow and its child from both ends all succeed, and the next step runs once', async () => {
    const child = await template('Child', [{ name: 'Inner' }]);
    await template('Parent', [
      { name: 'Starts', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
      { name: 'Own' },
      { name: 'Both', ...contact('Both'), after: ['Starts', ['Own']] },
    ]);
    for (let race = 0; race < RACES; race++) {
      const caseId = await newCase();
      const { DecisionID } = await start('Parent', caseId);
      const own = (await stepNamed(DecisionID, 'Own'))['DecisionStepID'];
      const { ObjectID } = await stepNamed(DecisionID, 'Starts');
      const inner = (await stepNamed(ObjectID, 'Inner'))['DecisionStepID'];
      // The step IDs of parent and child come in both orders; a pass over the child ends in a pass over the parent.
      assertAllSucceeded(
        await together([
          ['decisionstep/complete', { ID: [own, inner] }],
          ['decisionstep/complete', { ID: [inner] }],
          ['decision/process', { ID: DecisionID }],
          ['decisionstep/complete', { ID: [inner, own] }],
          ['decision/process', { ID: ObjectID }],
          ['decisionstep/complete', { ID: [own] }],
        ]),
      );
      assert.deepEqual(
        [await stepStatuses(DecisionID), await stepStatuses(ObjectID), await madeOn(caseId)],
        [['Starts Complete', 'Own Complete', 'Both Complete'], ['Inner Complete'], ['Both']],
      );
      assert.equal(typeof (await decision(DecisionID))['ActualCompletion'], 'string');
    }
  });

  it('WF-11 WF-17 that lock several workflows lock the child before the parent, as a pass does', async () => {
    const child = await template('Child alone', [{ name: 'Inner' }]);
    await template('Parent of it', [
      { name: 'Starts', Object: 'DecisionTemplate', ObjectID: child['DecisionTemplateID'] },
      { name: 'Own' },
    ]);
    const { DecisionID } = await start('Parent of it', await newCase());
    const own = (await stepNamed(DecisionID, 'Own'))['DecisionStepID'];
    const { ObjectID } = await stepNamed(DecisionID, 'Starts');
    const inner = (await stepNamed(ObjectID, 'Inner'))['DecisionStepID'];
    for (const [path, body] of [
      ['decision/queuesteps', { DecisionStepID: [own, inner] }],
      ['decision/cancel', { ID: DecisionID }],
      ['decisionstep/complete', { ID: [own, inner] }],
    ] as const) {
      const calling = await p.platform.store.transaction(
        { personId: null, firm: null, callId: 'holds the child' },
        async (holder) => {
          await holder.query('select 1 from decision where decisionid = $1::bigint for update', [ObjectID]);
          const call = together([[path, body]]);
          await eventually(
            `${path} waits for the child`,
            async () =>
              (
                await p.platform.store.query(
                  "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
                )
              ).length > 0,
          );
          const free = await p.platform.store.query(
            'select 1 from decision where decisionid = $1::bigint for update skip locked',
            [DecisionID],
          );
          return { call, free: free.length };
        },
      );
      assert.equal(calling.free, 1, path);
      await calling.call;
    }
  });

  it('WF-17 WF-22 that complete and cancel a workflow are serialized: the second is refused or finds it finished', async () => {
    await template('Ends', [{ name: 'Last' }, { name: 'Effect', ...contact('Effect'), after: ['Last'] }]);
    const seen = new Set<string>();
    for (let race = 0; race < RACES; race++) {
      const caseId = await newCase();
      const { DecisionID } = await start('Ends', caseId);
      const { DecisionStepID } = await stepNamed(DecisionID, 'Last');
      const calls: (readonly [string, object])[] = [
        ['decisionstep/complete', { ID: DecisionStepID }],
        ['decision/cancel', { ID: DecisionID }],
      ];
      const answers = await together(race % 2 === 0 ? calls : calls.toReversed());
      const completed = answers[race % 2 === 0 ? 0 : 1] as JsonAnswer;
      const { Status, ActualCompletion, CanceledDate } = await decision(DecisionID);
      const state = [
        Status,
        typeof ActualCompletion,
        typeof CanceledDate,
        await stepStatuses(DecisionID),
        await madeOn(caseId),
      ];
      seen.add(String(Status));
      if (completed.status === 200)
        assert.deepEqual(state, ['Complete', 'string', 'undefined', ['Last Complete', 'Effect Complete'], ['Effect']]);
      else
        assert.deepEqual(
          [completed.status, codeOf(completed), ...state],
          [422, 'STATE_REFUSES', 'Canceled', 'undefined', 'string', ['Last Canceled'], []],
        );
    }
    assert.ok(seen.size > 0);
  });

  it('WF-01 WF-17 that start a workflow with Repeatable One all get the same one', async () => {
    await template('Single', [{ name: 'Effect', ...contact('Single') }, { name: 'Waits' }], { Repeatable: 'One' });
    for (let race = 0; race < RACES / 2; race++) {
      const caseId = await newCase();
      const answers = await together(
        Array.from({ length: 6 }, () => [
          'decision/save',
          { Template: 'Single', Object: 'Foreclosure', ObjectID: caseId },
        ]),
      );
      assertAllSucceeded(answers);
      assert.equal(new Set(answers.map(({ json }) => json['DecisionID'])).size, 1);
      assert.deepEqual(await madeOn(caseId), ['Single']);
    }
  });

  it('WF-02 WF-17 that process a workflow waiting for its first pass, sixteen at once, cause one pass', async () => {
    await save('setting', { Setting: 'DecisionProcessOnInsert', Value: 'false' });
    p.platform.configuration.expire();
    await template('Fresh', [
      { name: 'A', ...contact('A') },
      { name: 'B', ...contact('B'), after: ['A'] },
    ]);
    const caseId = await newCase();
    const { DecisionID } = await start('Fresh', caseId);
    assert.deepEqual(await stepStatuses(DecisionID), []);
    assertAllSucceeded(await together(Array.from({ length: 16 }, () => ['decision/process', { ID: DecisionID }])));
    assert.deepEqual(
      [await stepStatuses(DecisionID), await madeOn(caseId)],
      [
        ['A Complete', 'B Complete'],
        ['A', 'B'],
      ],
    );
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killRounds, type KillRound, type KillSql } from '../../support/processes/kill.ts';
import { call } from '../../support/processes/server-process.ts';
import { sheet } from '../../support/work/workflows.ts';

/** `npm run soak -- workflow` runs more rounds. */
const ROUNDS = Number(process.env['CASEWRIGHT_TEST_WORKFLOW_ROUNDS'] ?? 2);
const SEED = Number(process.env['CASEWRIGHT_TEST_SEED'] ?? 20_261_121);
const CLIENTS = 3;

/** A workflow that a client drives: the key is also the name of its case. */
interface Driven {
  readonly key: string;
  /** Started, and its manual step completed, as far as the client got answers. */
  isStarted: boolean;
  isDone: boolean;
}

/** What leaves a contact behind each time that it runs, by its name; `Queued` runs outside the pass. */
const effects = ['First', 'Second', 'Queued', 'Third', 'Last'] as const;

const contact = (name: string): Record<string, string> => ({
  Object: 'Contact',
  Operation: 'Save',
  Parameters: `Object=Foreclosure&ObjectID={ForeclosureID}&LastName=${name}`,
});

/** Two inline steps, a queued one, one that waits for a person, and the steps that follow. */
function template(): string {
  const steps: readonly (Record<string, string> & { readonly name: string; readonly after?: never })[] = [
    { name: 'First', ...contact('First') },
    { name: 'Asks', DecisionStepTemplateType: 'IfThen', StepXslt: sheet("//ContactItem/LastName = 'First'") },
    { name: 'Second', ...contact('Second') },
    { name: 'Person' },
    { name: 'Queued', ...contact('Queued'), Async: '1' },
    { name: 'Third', ...contact('Third') },
    { name: 'Last', ...contact('Last') },
  ];
  const dependencies = [
    ['Asks', 'First'],
    ['Second', 'Asks', '1'],
    ['Queued', 'Second'],
    ['Third', 'Queued'],
    ['Last', 'Third', undefined, '0'],
    ['Last', 'Person', undefined, '1'],
  ] as const;
  const body = new URLSearchParams({ DecisionTemplate: 'Killed', AppliesTo: 'Foreclosure' });
  for (const [at, { name, ...fields }] of steps.entries())
    for (const [field, value] of Object.entries({ DecisionStepTemplate: name, ...fields }))
      body.append(`Steps_${at}_${field}`, value);
  for (const [at, [step, on, isTrue, group = '0']] of dependencies.entries()) {
    const fields = {
      DecisionStepTemplate: step,
      DependencyStepTemplate: on,
      GroupNumber: group,
      ...(isTrue === undefined ? {} : { IsTrue: isTrue }),
    };
    for (const [field, value] of Object.entries(fields)) body.append(`Dependencies_${at}_${field}`, value);
  }
  return body.toString();
}

/** Makes a repeatable call; returns undefined if the database went away first. */
async function send(
  url: string,
  path: string,
  body: string | undefined,
  key?: string,
): Promise<Record<string, unknown> | undefined> {
  const answer = await call(
    url,
    `${path}${path.includes('?') ? '&' : '?'}Output=Json`,
    body,
    key === undefined ? {} : { 'Idempotency-Key': key },
  );
  const text = await answer.text();
  if (answer.status === 503) return undefined;
  assert.equal(answer.status, 200, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

let hasTemplate = false;

async function drive(url: string, driven: Driven): Promise<void> {
  hasTemplate ||= (await send(url, '/api/decisiontemplate/save', template(), 'template')) !== undefined;
  if (!hasTemplate) return;
  const made = await send(url, '/api/foreclosure/save', `Foreclosure=${driven.key}`, `case ${driven.key}`);
  const workflow =
    made &&
    (await send(
      url,
      '/api/decision/save',
      `Template=Killed&Object=Foreclosure&ObjectID=${String(made['ForeclosureID'])}`,
      `workflow ${driven.key}`,
    ));
  if (!workflow) return;
  driven.isStarted = true;
  const found = (await send(
    url,
    `/api/decision/${String(workflow['DecisionID'])}/decisionstep/search?DecisionStep=Person`,
    undefined,
  )) as { DecisionStepCollection?: { DecisionStepItem?: { DecisionStepID: number }[] } } | undefined;
  const person = found?.DecisionStepCollection?.DecisionStepItem?.[0]?.DecisionStepID;
  if (!found) return;
  assert.ok(person, 'the first pass inserted the step that waits for a person');
  if (await send(url, '/api/decisionstep/complete', `ID=${person}`)) driven.isDone = true;
}

test(
  'WF-17 a server killed between any two steps, or within one, loses none and runs none twice',
  { timeout: ROUNDS * 60_000 + 120_000 },
  async (t) => {
    const all: Driven[] = [];
    await killRounds(t, {
      rounds: ROUNDS,
      seed: SEED,
      millisecondsMax: 4_000,
      answersMin: 1,
      async workload({ round, url, signal, countAnswer }: KillRound) {
        const open = all.filter(({ isDone }) => !isDone);
        await Promise.all(
          Array.from({ length: CLIENTS }, async (_, client) => {
            for (let n = 0; !signal.aborted; n++) {
              let driven = open.pop();
              if (!driven) all.push((driven = { key: `W${round}x${client}x${n}`, isStarted: false, isDone: false }));
              try {
                await drive(url, driven);
                countAnswer();
              } catch (error) {
                if (error instanceof assert.AssertionError) throw error;
                return;
              }
            }
          }),
        );
      },
      verify: (_url, sql, round) => verify(sql, all, round === ROUNDS),
      async finish(url) {
        for (const driven of all.filter(({ isDone }) => !isDone)) await drive(url, driven);
      },
    });
    assert.ok(all.length >= CLIENTS, `only ${all.length} workflows were started`);
    assert.ok(all.every(({ isDone }) => isDone));
    t.diagnostic(`${all.length} workflows in ${ROUNDS} rounds, seed ${SEED}`);
  },
);

interface CaseAfterKill {
  readonly key: string;
  readonly workflows: number;
  readonly complete: boolean | null;
  readonly steps: Record<string, { readonly rows: number; readonly complete: number }>;
  readonly contacts: Record<string, number>;
}

async function verify(sql: KillSql, all: readonly Driven[], isEnd: boolean): Promise<void> {
  const rows = await sql<CaseAfterKill[]>`
    select p.process as key,
      count(d.decisionid)::integer as workflows,
      bool_and(d.actualcompletion is not null) as complete,
      coalesce((
        select json_object_agg(name, json_build_object('rows', rows, 'complete', complete)) from (
          select s.decisionstep as name, count(*) as rows, count(s.actualcompletion) as complete
          from decisionstep s join decision own on own.decisionid = s.decisionid
          where own.objectid = p.processid
          group by 1
        ) x), '{}') as steps,
      coalesce((
        select json_object_agg(name, n) from (
          select c.lastname as name, count(*) as n from contact c
          where c.object = 'Foreclosure' and c.objectid = p.processid
          group by 1
        ) y), '{}') as contacts
    from process p left join decision d on d.objectid = p.processid
    where p.process like 'W%x%' collate "C"
    group by p.processid`;
  const found = new Map(rows.map((row) => [row.key, row]));
  assert.equal(found.size, rows.length, 'a case exists twice');
  for (const row of rows) {
    verifyCase(row);
    if (isEnd) verifyCompleted(row);
  }
  for (const { key } of all.filter(({ isStarted }) => isStarted))
    assert.equal(found.get(key)?.workflows, 1, `${key} was answered and is lost`);
}

function verifyCase({ key, workflows, steps, contacts }: CaseAfterKill): void {
  assert.ok(workflows <= 1, `${key} has ${workflows} workflows`);
  for (const [name, { rows }] of Object.entries(steps))
    assert.equal(rows, 1, `${key}: the step ${name} exists ${rows} times`);
  // A pass commits together with its effects: no effect without its step, and no step without its effect.
  for (const name of effects.filter((one) => one !== 'Queued'))
    assert.equal(contacts[name] ?? 0, steps[name]?.complete ?? 0, `${key}: the effect of the step ${name}`);
  // A queued step commits its effect before its completion; killed in between, only the completion follows.
  const queued = contacts['Queued'] ?? 0;
  assert.ok(queued <= 1, `${key}: the queued step has run ${queued} times`);
  if (steps['Queued']?.complete) assert.equal(queued, 1, `${key}: the queued step is complete without its effect`);
}

function verifyCompleted({ key, complete, steps }: CaseAfterKill): void {
  assert.equal(complete, true, `${key} did not complete: ${JSON.stringify(steps)}`);
  for (const name of effects) assert.equal(steps[name]?.complete, 1, `${key}: the step ${name} was lost`);
}

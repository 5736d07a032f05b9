import { startServer, type RunningServer } from '../../src/app/server.ts';
import type { Row } from '../../src/kernel/door/answer.ts';
import { invoke } from '../../src/kernel/door/invoke.ts';
import type { Principal } from '../../src/kernel/security/identity.ts';
import type { Parameters } from '../../src/kernel/parameters/parameters.ts';
import { parseRoute } from '../../src/kernel/door/route.ts';
import { answerParent, type CpuUsage } from './child.ts';
import type { ProductStart } from './product.ts';

/** What to run: workflows of a template from beginning to end, each on one of the loans. */
export interface WorkflowSlice {
  readonly template: string;
  readonly callers: number;
  readonly milliseconds: number;
}

/** The requests that the process handles. */
export type WorkflowHandlers = typeof handlers;

const LOANS = 20_000;

let running: RunningServer | undefined;
let principal: Principal | undefined;
let firstLoan = 0;
let made = 0;

/**
 * The product, with loans on which workflows run. Like its peer it is called in its own process: without HTTP, but
 * through the door.
 */
async function start({ databaseUrl, dataFolder, administratorKey, roles }: ProductStart): Promise<void> {
  running = await startServer(
    {
      port: 0,
      host: '127.0.0.1',
      dataFolder,
      databaseUrl,
      secretKey: undefined,
      administratorKey,
      roles: new Set(roles),
      demo: false,
      logLevel: 'warn',
      logTo: 'stderr',
      trustedProxies: [],
      metrics: undefined,
      sftp: undefined,
    },
    () => undefined,
  );
  const { store, identity } = running.platform;
  const [administrator] = await store.query<{ id: number }>(
    "select personid as id from person where person = 'administrator'",
  );
  principal = await identity.ofPerson(administrator?.id ?? 0);
  const [first] = await store.query<{ id: number }>(
    `with made as (
       insert into loan (loan) select (600000000 + n)::text from generate_series(1, ${LOANS}) n
       returning loanid)
     select min(loanid) as id from made`,
  );
  firstLoan = first?.id ?? 0;
}

/** Makes one call through the door, as a surface does. */
async function call(path: readonly [string, string], parameters: Parameters): Promise<Row> {
  if (!running) throw new Error('not started');
  const { platform } = running;
  const route = parseRoute(platform.registry, path, 'POST');
  const { answer } = await invoke(platform, {
    route,
    parameters,
    principal,
    address: '127.0.0.1',
    correlationId: 'bench',
  });
  return answer.kind === 'item' ? (answer.row as Row) : {};
}

async function save({ module, body }: { readonly module: string; readonly body: Parameters }): Promise<void> {
  await call([module, 'save'], body);
}

const startWorkflow = (template: string): Promise<Row> =>
  call(['decision', 'save'], { Template: template, Object: 'Loan', ObjectID: firstLoan + (made++ % LOANS) });

/** Runs workflows that need no user. */
async function slice({ template, callers, milliseconds }: WorkflowSlice): Promise<{ calls: number; seconds: number }> {
  const began = performance.now();
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - began < milliseconds) {
      const row = await startWorkflow(template);
      if ((row['ActualCompletion'] ?? null) === null) throw new Error(`a workflow of ${template} did not complete`);
      calls++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { calls, seconds: (performance.now() - began) / 1000 };
}

/**
 * Completes the steps of workflows whose steps wait for a user, one after another. Only the completions are counted and
 * timed.
 */
async function completions({
  template,
  steps,
  milliseconds,
}: {
  readonly template: string;
  readonly steps: number;
  readonly milliseconds: number;
}): Promise<{ calls: number; seconds: number }> {
  let calls = 0;
  let spent = 0;
  while (spent < milliseconds) {
    const { DecisionID } = await startWorkflow(template);
    for (let step = 0; step < steps; step++) {
      const [open] =
        (await running?.platform.store.query<{ id: number }>(
          'select decisionstepid as id from decisionstep where decisionid = $1::bigint and actualcompletion is null',
          [DecisionID],
        )) ?? [];
      const began = performance.now();
      await call(['decisionstep', 'complete'], { ID: open?.id ?? 0 });
      spent += performance.now() - began;
      calls++;
    }
  }
  return { calls, seconds: spent / 1000 };
}

/** Inserts waiting workflows, each with its waiting step, on all loans. */
async function fillOpen({ template, count }: { readonly template: string; readonly count: number }): Promise<void> {
  await startWorkflow(template);
  const store = running?.platform.store;
  await store?.transaction(
    { personId: null, firm: null, callId: 'bench', statementMilliseconds: 600_000 },
    async (transaction) => {
      await transaction.query(
        `insert into decision (decision, status, object, objectid, decisiontemplateid, decisiontemplateversionid,
           actualstart, estimatedstart, stepsequence)
         select d.decision, d.status, d.object, $1::bigint + n % $2::bigint, d.decisiontemplateid,
           d.decisiontemplateversionid, d.actualstart, d.estimatedstart, d.stepsequence
         from decision d, generate_series(1, $3::integer) n
         where d.decisionid = (select max(decisionid) from decision)`,
        [firstLoan, LOANS, count],
      );
      await transaction.query(
        `insert into decisionstep
           (decisionstep, status, decisionid, decisionsteptemplateid, actualstart, insertedsequence)
         select s.decisionstep, s.status, d.decisionid, s.decisionsteptemplateid, s.actualstart, s.insertedsequence
         from (select * from decisionstep order by decisionstepid desc limit 1) s, decision d
         where d.decisionid > s.decisionid`,
      );
    },
  );
  await store?.outsideTransaction('vacuum analyze decision, decisionstep', 600_000);
}

const handlers = { start, save, slice, completions, fillOpen, cpu: (_: undefined): CpuUsage => process.cpuUsage() };

answerParent(handlers, () => running?.stop());

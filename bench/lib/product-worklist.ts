import { randomUUID } from 'node:crypto';
import { startServer, type RunningServer } from '../../src/app/server.ts';
import type { TreeAnswer } from '../../src/kernel/door/answer.ts';
import type { Principal } from '../../src/kernel/security/identity.ts';
import type { CallOutcome } from '../../src/kernel/door/call.ts';
import { invoke } from '../../src/kernel/door/invoke.ts';
import type { Parameters } from '../../src/kernel/parameters/parameters.ts';
import { parseRoute } from '../../src/kernel/door/route.ts';
import { slice, type Slice } from './callers.ts';
import { answerParent, type CpuUsage } from './child.ts';

/** The requests that the product's process handles. */
export type ProductWorklistHandlers = typeof handlers;

let running: RunningServer | undefined;
let people: readonly Principal[] = [];
/** The teams of each user and the team of each item, to detect items given to the wrong user. */
const teamsOf = new Map<number, Set<number>>();
const given = new Set<number>();
let [twice, strangers] = [0, 0];

/** Starts the product without its worker and signs the callers in. */
async function start({
  databaseUrl,
  dataFolder,
}: {
  readonly databaseUrl: string;
  readonly dataFolder: string;
}): Promise<void> {
  running = await startServer(
    {
      port: 0,
      host: '127.0.0.1',
      dataFolder,
      databaseUrl,
      secretKey: undefined,
      administratorKey: 'the-administrators-key-of-benchmarks',
      roles: new Set(['web']),
      demo: false,
      logLevel: 'warn',
      logTo: 'stderr',
      trustedProxies: [],
      metrics: undefined,
      sftp: undefined,
    },
    () => undefined,
  );
}

async function signIn(_: undefined): Promise<number> {
  const { store, identity } = platform();
  const rows = await store.query<{ id: number }>(
    'select personid as id from person where person like \'caller %\' collate "C" order by 1',
  );
  people = await Promise.all(rows.map(({ id }) => identity.ofPerson(id)));
  for (const { person, team } of await store.query<{ person: number; team: number }>(
    'select sourceobjectid as person, collectionid as team from collectionmember',
  ))
    teamsOf.set(person, (teamsOf.get(person) ?? new Set()).add(team));
  return people.length;
}

function platform(): RunningServer['platform'] {
  if (!running) throw new Error('not started');
  return running.platform;
}

const call = (principal: Principal, route: string, parameters: Parameters): Promise<CallOutcome> =>
  invoke(platform(), {
    route: parseRoute(platform().registry, route.split('/'), 'POST'),
    parameters,
    principal,
    address: 'bench',
    correlationId: randomUUID(),
  });

/**
 * Calls next and complete through the door, without HTTP. Records the items, to detect any that is given twice or to a
 * user outside the team.
 */
async function draws({
  milliseconds,
  drawsMax,
}: {
  readonly milliseconds: number;
  readonly drawsMax?: number;
}): Promise<Slice> {
  return slice(
    people.length,
    milliseconds,
    async (caller) => {
      const who = people[caller] as Principal;
      const began = performance.now();
      const { answer } = await call(who, 'smartworklistmember/next', {});
      const took = performance.now() - began;
      if (answer.kind === 'nothing') return undefined;
      const field = (name: string): number =>
        Number((answer as TreeAnswer).root.children?.find((child) => child.name === name)?.value);
      const id = field('SmartWorklistMemberID');
      if (given.has(id)) twice++;
      given.add(id);
      if (teamsOf.get(who.personId)?.has(field('TeamID')) !== true) strangers++;
      await call(who, 'smartworklistmember/complete', { ID: id });
      return took;
    },
    drawsMax,
  );
}

const handlers = {
  start,
  signIn,
  draws,
  given: (_: undefined) => ({ given: given.size, twice, strangers }),
  cpu: (_: undefined): CpuUsage => process.cpuUsage(),
};

answerParent(handlers, () => running?.stop());

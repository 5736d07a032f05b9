import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions } from './run.ts';
import { startChild, type Child } from './lib/child.ts';
import { startDatabase, type BenchDatabase } from './lib/database.ts';
import { compare, line, type Demand, type Side } from './lib/pairs.ts';
import type { PeerHandlers } from './lib/peer-dbos.ts';
import type { WorkflowHandlers } from './lib/product-workflow.ts';

/** The long template, and the short one whose steps are the reference. */
const LONG = 300;
const SHORT = 10;
const OPEN = 100_000;
const CALLERS = [1, 20];

type Product = Child<WorkflowHandlers>;
type Peer = Child<PeerHandlers>;

/**
 * A stylesheet that tests one condition of the case, different for each step, since a sandbox caches compiled
 * stylesheets.
 */
const sheet = (at: number): string =>
  '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>' +
  `<xsl:template match="/"><xsl:if test="not(//LoanItem/Status = 'S${at}')">1</xsl:if></xsl:template>` +
  '</xsl:stylesheet>';

const shapes = {
  /** Only evaluates a stylesheet. */
  asks: (at: number) => ({ DecisionStepTemplateType: 'IfThen', StepXslt: sheet(at) }),
  /** Changes the loan by an operation. */
  changes: (at: number) => ({ Object: 'Loan', Operation: 'Save', Parameters: `ID={LoanID}&Status=S${at}` }),
  /** Waits for a user. */
  waits: () => ({}),
};

/**
 * Workflows compared with those of @dbos-inc/dbos-sdk, in separate processes over one durable PostgreSQL, each called
 * without HTTP. The peer commits each step as it completes. The product commits once for all steps that follow from one
 * call, runs them again after a crash, and stores what users see of each step. The other figures compare the product
 * with itself.
 */
export async function bench(options: BenchOptions): Promise<void> {
  if (!existsSync(join(import.meta.dirname, 'node_modules/@dbos-inc/dbos-sdk')))
    throw new Error('install the peer first: npm install --prefix bench --ignore-scripts');
  const database = await startDatabase();
  const children: Child<never>[] = [];
  try {
    const own = await startProduct(database, 'bench', children, options);
    await againstPeer(database, own, children, options);
    await bySize(own, options);
    await byOpen(database, own, children, options);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await database.stop();
  }
}

async function startProduct(
  database: BenchDatabase,
  name: string,
  children: Child<never>[],
  { profile }: BenchOptions,
): Promise<Product> {
  await database.create(name);
  const child = await startChild<WorkflowHandlers>(
    'product-workflow.ts',
    profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  );
  children.push(child);
  const dataFolder = join(database.folder, name);
  mkdirSync(dataFolder);
  await child.ask('start', {
    databaseUrl: database.url(name),
    dataFolder,
    administratorKey: 'the-administrators-key-of-benchmarks',
    roles: ['web'],
  });
  for (const [template, steps, shape] of templates)
    await child.ask('save', { module: 'decisiontemplate', body: templateBody(template, steps, shape) });
  return child;
}

const templates: readonly (readonly [name: string, steps: number, shape: keyof typeof shapes])[] = [
  ['asks 3', 3, 'asks'],
  ['asks 10', SHORT, 'asks'],
  [`asks ${LONG}`, LONG, 'asks'],
  ['changes 3', 3, 'changes'],
  ['changes 10', SHORT, 'changes'],
  ['waits 10', SHORT, 'waits'],
  [`waits ${LONG}`, LONG, 'waits'],
];

/** Steps of one shape in sequence. */
function templateBody(name: string, steps: number, shape: keyof typeof shapes): Record<string, string | number> {
  const body: Record<string, string | number> = { DecisionTemplate: name, AppliesTo: 'Loan' };
  for (let at = 0; at < steps; at++) {
    for (const [field, value] of Object.entries({ DecisionStepTemplate: `Step ${at}`, ...shapes[shape](at) }))
      body[`Steps_${at}_${field}`] = value;
    if (at > 0)
      Object.assign(body, {
        [`Dependencies_${at}_DecisionStepTemplate`]: `Step ${at}`,
        [`Dependencies_${at}_DependencyStepTemplate`]: `Step ${at - 1}`,
      });
  }
  return body;
}

async function againstPeer(
  database: BenchDatabase,
  own: Product,
  children: Child<never>[],
  options: BenchOptions,
): Promise<void> {
  const peer: Peer = await startChild<PeerHandlers>('peer-dbos.ts');
  children.push(peer);
  await peer.ask('start', await database.create('peer', 'plain'));
  for (const [shape, what] of [
    ['asks', 'nothing to do'],
    ['changes', 'each changes a record'],
  ] as const) {
    for (const [steps, rateAtLeast] of [
      [SHORT, 4],
      [3, 3],
    ] as const) {
      for (const callers of CALLERS) {
        const theirs: Side = {
          slice: (milliseconds) => peer.ask('slice', { steps, changes: shape === 'changes', callers, milliseconds }),
          cpu: () => peer.ask('cpu', undefined),
        };
        const ours: Side = {
          slice: (milliseconds) => own.ask('slice', { template: `${shape} ${steps}`, callers, milliseconds }),
          cpu: () => own.ask('cpu', undefined),
        };
        // Changing a record by an operation involves rules, visibility and history; the figure has no target.
        await figure(options, `${steps} steps, ${what}, ${callers} at a time`, theirs, {
          product: ours,
          demand: shape === 'asks' ? { rateAtLeast } : {},
        });
      }
    }
  }
}

/** Cost of a step in a long workflow and in a short one; rates are in steps. */
async function bySize(own: Product, options: BenchOptions): Promise<void> {
  const cpu = (): ReturnType<Side['cpu']> => own.ask('cpu', undefined);
  const byItself = (steps: number): Side => ({
    async slice(milliseconds) {
      const { calls, seconds } = await own.ask('slice', { template: `asks ${steps}`, callers: 1, milliseconds });
      return { calls: calls * steps, seconds };
    },
    cpu,
  });
  const byHand = (steps: number): Side => ({
    slice: (milliseconds) => own.ask('completions', { template: `waits ${steps}`, steps, milliseconds }),
    cpu,
  });
  await figure(options, `a step of ${LONG} to one of ${SHORT}, by itself`, byItself(SHORT), {
    product: byItself(LONG),
    demand: {
      timeAtMost: 2,
    },
  });
  await figure(options, `a step of ${LONG} to one of ${SHORT}, by hand`, byHand(SHORT), {
    product: byHand(LONG),
    demand: {
      timeAtMost: 2,
    },
  });
}

/** A workflow among many open ones on the same loans, compared with one alone. */
async function byOpen(
  database: BenchDatabase,
  own: Product,
  children: Child<never>[],
  options: BenchOptions,
): Promise<void> {
  const names = [`among ${OPEN} open, by itself`, `among ${OPEN} open, by hand`] as const;
  if (!names.some((name) => options.takes(name))) return;
  const full = await startProduct(database, 'crowded', children, options);
  await full.ask('fillOpen', { template: 'waits 10', count: OPEN });
  const byItself = (product: Product): Side => ({
    slice: (milliseconds) => product.ask('slice', { template: 'changes 3', callers: 1, milliseconds }),
    cpu: () => product.ask('cpu', undefined),
  });
  const byHand = (product: Product): Side => ({
    slice: (milliseconds) => product.ask('completions', { template: 'waits 10', steps: SHORT, milliseconds }),
    cpu: () => product.ask('cpu', undefined),
  });
  await figure(options, names[0], byItself(own), { product: byItself(full), demand: { timeAtMost: 1.3 } });
  await figure(options, names[1], byHand(own), { product: byHand(full), demand: { timeAtMost: 1.3 } });
}

async function figure(
  options: BenchOptions,
  name: string,
  floor: Side,
  { product, demand }: { readonly product: Side; readonly demand: Demand },
): Promise<void> {
  if (options.takes(name))
    options.print(line(`workflow: ${name}`, await compare(floor, product, options.plan), demand));
}

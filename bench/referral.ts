import { readFile } from 'node:fs/promises';
import type postgres from 'postgres';
import type { BenchOptions } from './run.ts';
import { startChild, type Child } from './lib/child.ts';
import { startDatabase, type BenchDatabase } from './lib/database.ts';
import { compare, line, type Side } from './lib/pairs.ts';
import type { ProductHandlers } from './lib/product.ts';
import type { RowsHandlers, RowToInsert } from './lib/rows.ts';

/** Referrals in a document. */
const REFERRALS = 1_000;
/** Most memory that a document with a file of 40 MB may take, in megabytes. */
const MEGABYTES_MAX = 400;
const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';

/**
 * A document of a thousand referrals over HTTP, as a firm's automation sends it, compared with inserting its rows one
 * by one. The floor knows all values in advance: it parses, looks up and returns nothing, and writes the same tables
 * with their indexes, constraints and triggers. The second figure compares with tables without constraints and
 * triggers.
 */
export async function bench(options: BenchOptions): Promise<void> {
  if (Object.values(figures).some((name) => options.takes(name))) await throughput(options);
  if (options.takes('memory of a file of 40 MB')) await memory(options);
}

/** The floors by figure. */
const figures = { real: 'referrals, the same rows', bare: 'referrals, bare tables' } as const;

async function throughput(options: BenchOptions): Promise<void> {
  const database = await startDatabase();
  const connection = await database.create('bench');
  const product = await startProduct(database, options.profile);
  const floors = { real: await startChild<RowsHandlers>('rows.ts'), bare: await startChild<RowsHandlers>('rows.ts') };
  try {
    const referrals = options.rows ?? REFERRALS;
    await product.send(documentOf(5));
    const rows = await database.use(connection, rowsOfLast);
    const side: Side = {
      slice: () => product.slice(referrals),
      cpu: () => product.child.ask('cpu', undefined),
      databaseCpu: () => database.cpu(),
    };
    for (const name of ['real', 'bare'] as const) {
      const floor = floors[name];
      const against: Side = {
        slice: () => floor.ask('insert', { connection, groups: referrals, rows, bare: name === 'bare' }),
        cpu: () => floor.ask('cpu', undefined),
        databaseCpu: () => database.cpu(),
      };
      if (options.takes(figures[name]))
        options.print(
          line(
            `referral: ${referrals} ${figures[name]} (${rows.length} each)`,
            await compare(against, side, options.plan),
            { rateAtLeast: 0.3 },
          ),
        );
    }
  } finally {
    await Promise.all([product.child.stop(), floors.real.stop(), floors.bare.stop()]);
    await database.stop();
  }
}

interface Product {
  readonly child: Child<ProductHandlers>;
  send(xml: string): Promise<string>;
  /** Sends a document of new referrals; returns the duration. */
  slice(referrals: number): Promise<{ calls: number; seconds: number }>;
}

async function startProduct(database: BenchDatabase, profile?: string): Promise<Product> {
  const child = await startChild<ProductHandlers>(
    'product.ts',
    profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  );
  const port = await child.ask('start', {
    databaseUrl: database.url('bench'),
    dataFolder: database.folder,
    administratorKey: ADMINISTRATOR_KEY,
    roles: ['web'],
  });
  const url = `http://127.0.0.1:${port}`;
  const staff = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${url}${path}?Output=Json`, {
      method: 'POST',
      headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };
  const { OrganizationID } = await staff('/api/organization/save', {
    Organization: 'Bench Law',
    ProviderCode: 'BENCH',
  });
  // The password below is used as it is.
  await staff('/api/setting/save', { Setting: 'InitialPasswordDays', Value: '0' });
  await staff('/api/person/save', {
    Person: 'bench',
    Password: 'the password of the bench',
    OrganizationID,
    Roles: 'Partner',
  });
  for (const [className, name] of [
    ['ImportFormTemplate', 'Complaint Filed'],
    ['MessageTemplate', 'Case Note'],
    ['AttachmentTemplate', 'Complaint'],
  ] as const)
    await staff(`/api/${className.toLowerCase()}/save`, {
      [className]: name,
      AppliesTo: 'Foreclosure',
      Repeatable: 'Many',
    });
  const headers = {
    Authorization: `Basic ${Buffer.from('bench:the password of the bench').toString('base64')}`,
    SOAPAction: 'import',
    'Content-Type': 'text/xml; charset=utf-8',
  };
  const send = async (xml: string): Promise<string> => {
    const answer = await fetch(`${url}/api/import/foreclosure`, { method: 'POST', headers, body: xml });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the import answered ${answer.status}: ${text.slice(0, 2_000)}`);
    return text;
  };
  return {
    child,
    send,
    async slice(referrals) {
      const xml = documentOf(referrals);
      const began = performance.now();
      await send(xml);
      return { calls: referrals, seconds: (performance.now() - began) / 1000 };
    },
  };
}

let made = 0;

function documentOf(referrals: number): string {
  const items = Array.from({ length: referrals }, () => itemOf(++made));
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<ImportCollection Reference="bench">',
    ...items,
    '</ImportCollection>',
  ].join('\n');
}

/** Returns a referral with two borrowers, a ledger with nested fees, a task and a message. */
function itemOf(n: number): string {
  const person = (sequence: number): string =>
    [
      `<BorrowerItem><LastName>Family${n % 700}</LastName><FirstName>Given${n % 300}</FirstName>`,
      `<BorrowerType>${sequence === 1 ? 'Primary' : 'Secondary'}</BorrowerType>`,
      `<USSSN>900${String(1_000_000 + ((n * 2 + sequence) % 900_000)).slice(1)}</USSSN>`,
      `<Address>${n} High Street</Address><City>Town ${n % 90}</City><State>NY</State>`,
      `<PostalCode>10001</PostalCode><Sequence>${sequence}</Sequence></BorrowerItem>`,
    ].join('');
  return [
    `<ForeclosureItem><SubscriberID>https://bench.example-Foreclosure-${n}</SubscriberID>`,
    `<Loan><Agency>INVESTOR</Agency><Loan>1${String(n).padStart(8, '0')}</Loan>`,
    `<Property_Address>${n} Elm Way</Property_Address><Property_City>Granby</Property_City>`,
    `<Property_PostalCode>10002</Property_PostalCode><ServicerLoanID>S${n}</ServicerLoanID><LoanType>FHA</LoanType>`,
    '<OriginalBalance>250000.00</OriginalBalance><UPBAmount>201000.55</UPBAmount>',
    `<LienPriorityType>1</LienPriorityType><Borrowers>${person(1)}${person(2)}</Borrowers></Loan>`,
    `<Foreclosure>B-${n}</Foreclosure><DateOpened>2024-03-05</DateOpened><Status>Open</Status>`,
    '<ProcessType>Judicial</ProcessType><TotalDebtLedger><Template>Total Debt</Template><Items>',
    '<AccruedInterest>1200.50</AccruedInterest><AccruedLateCharges>80.25</AccruedLateCharges>',
    '<EscrowAdvances>640.10</EscrowAdvances><FCFeesCosts><Items><ForeclosureFee>900.00</ForeclosureFee>',
    '<FilingFee>210.00</FilingFee></Items></FCFeesCosts></Items></TotalDebtLedger>',
    '<Forms><ImportFormItem><Template>Complaint Filed</Template>',
    '<ProjectedCompletion>2024-05-01</ProjectedCompletion></ImportFormItem></Forms>',
    '<Messages><MessageItem><Template>Case Note</Template><Message>Referral accepted</Message>',
    '<BodyText>The file is complete; the title search is ordered.</BodyText></MessageItem></Messages>',
    '</ForeclosureItem>',
  ].join('');
}

/**
 * Returns the rows that the product wrote for its last referral, with the values of their columns and the keys among
 * them.
 */
// size: the tables that one referral writes, in the order of their keys, is one list.
async function rowsOfLast(sql: postgres.Sql): Promise<RowToInsert[]> {
  const [last] = await sql.unsafe<{ processid: string; loanid: string; propertyid: string }[]>(
    `select p.processid, p.loanid, l.propertyid
     from process p join loan l on l.loanid = p.loanid
     order by 1 desc limit 1`,
  );
  if (!last) throw new Error('the product made no case');
  const { processid, loanid, propertyid } = last;
  const rows: RowToInsert[] = [];
  const placed = new Map<string, number>();
  const add = async (
    table: string,
    condition: string,
    key: string | null,
    {
      refs,
      unique = {},
    }: { readonly refs: Readonly<Record<string, string>>; readonly unique?: Readonly<Record<string, string>> },
  ): Promise<void> => {
    const columns = await sql.unsafe<{ name: string; type: string }[]>(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
       from pg_attribute a
       where a.attrelid = '${table}'::regclass and a.attnum > 0 and not a.attisdropped
         and a.attgenerated = '' and a.attidentity = ''`,
    );
    for (const row of await sql.unsafe<Record<string, string | null>[]>(
      `select ${key ?? 'null'} as "the key", ${columns.map((c) => `${c.name}::text`).join(', ')}
       from ${table} where ${condition} order by 1`,
    )) {
      const values = columns.map(({ name, type }) => {
        const of = refs[name];
        const at = of === undefined ? undefined : placed.get(`${of} ${String(row[name])}`);
        return {
          name,
          type,
          value: at === undefined ? ownValue(unique[name], row[name] ?? null) : { keyOf: at },
        };
      });
      placed.set(`${table} ${String(key === null ? row[`${table}id`] : row['the key'])}`, rows.length);
      // A foreign key that is also the primary key comes first, where the floor looks for it.
      rows.push({
        table,
        key,
        columns:
          key === null ? values.toSorted((a, b) => Number('keyOf' in b.value) - Number('keyOf' in a.value)) : values,
      });
    }
  };
  await add('property', `propertyid = ${propertyid}`, 'propertyid', { refs: {} });
  await add('loan', `loanid = ${loanid}`, 'loanid', { refs: { propertyid: 'property' }, unique: { loan: '8' } });
  await add('contact', `object = 'Loan' and objectid = ${loanid}`, 'contactid', { refs: { objectid: 'loan' } });
  await add('process', `processid = ${processid}`, 'processid', {
    refs: { loanid: 'loan' },
    unique: { process: 'F-' },
  });
  await add('foreclosure', `foreclosureid = ${processid}`, null, { refs: { foreclosureid: 'process' } });
  await add('objectsubscription', `object = 'Foreclosure' and objectid = ${processid}`, 'objectsubscriptionid', {
    refs: { objectid: 'process' },
    unique: { subscriberid: 'https://floor.example-Foreclosure-' },
  });
  await add('ledger', `object = 'Foreclosure' and objectid = ${processid}`, 'ledgerid', {
    refs: { objectid: 'process' },
  });
  await add(
    'ledger',
    `object = 'Ledger' and objectid in (
       select ledgerid from ledger where object = 'Foreclosure' and objectid = ${processid})`,
    'ledgerid',
    { refs: { objectid: 'ledger' } },
  );
  await add(
    'ledgeritem',
    `ledgerid in (
       select ledgerid from ledger where object = 'Foreclosure' and objectid = ${processid}
       union
       select childledgerid from ledgeritem
       where ledgerid in (select ledgerid from ledger where object = 'Foreclosure' and objectid = ${processid}))`,
    'ledgeritemid',
    { refs: { ledgerid: 'ledger', childledgerid: 'ledger' } },
  );
  await add('importform', `object = 'Foreclosure' and objectid = ${processid}`, 'importformid', {
    refs: {
      objectid: 'process',
    },
  });
  await add('message', `object = 'Foreclosure' and objectid = ${processid}`, 'messageid', {
    refs: { objectid: 'process' },
  });
  await add(
    'importlog',
    `importfileid = (select importfileid from importlog where object = 'Foreclosure' and objectid = ${processid})
     and sequence > (
       select max(sequence) - count(*) / 5 from importlog
       where importfileid = (
         select importfileid from importlog where object = 'Foreclosure' and objectid = ${processid}))`,
    'importlogid',
    { refs: {} },
  );
  return rows;
}

/** Measures the product's peak memory for a document with one large file, in a separate process. */
async function memory(options: BenchOptions): Promise<void> {
  const database = await startDatabase();
  await database.create('bench');
  const product = await startProduct(database);
  try {
    await product.send(documentOf(1));
    const before = await peakMegabytes(product.child.pid);
    const content = Buffer.alloc(40 * 1024 * 1024, 'a document of forty megabytes ').toString('base64');
    const xml = documentOf(1).replace(
      '</ForeclosureItem>',
      '<Attachments><AttachmentItem><FileName>large.pdf</FileName><Template>Complaint</Template>' +
        `<Content><![CDATA[${content}]]></Content></AttachmentItem></Attachments></ForeclosureItem>`,
    );
    await product.send(xml);
    const peak = await peakMegabytes(product.child.pid);
    options.print(
      `${'referral: memory of a file of 40 MB'.padEnd(34)} peak ${peak} MB, before it ${before} MB  ` +
        `demanded <= ${MEGABYTES_MAX} MB: ${peak > MEGABYTES_MAX ? 'MISSED' : 'met'}`,
    );
  } finally {
    await product.child.stop();
    await database.stop();
  }
}

async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Returns a value made unique by a prefix, if it has one, or the value as it is. */
function ownValue(prefix: string | undefined, same: string | null): { unique: string } | { same: string | null } {
  return prefix === undefined ? { same } : { unique: prefix };
}

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions } from '../run.ts';
import { startChild } from '../lib/child.ts';
import { startDatabase, type BenchConnection, type BenchDatabase } from '../lib/database.ts';
import { compare, line, type Side } from '../lib/pairs.ts';
import type { ProductHandlers } from '../lib/product.ts';
import { isDovecotInstalled, PASSWORD, startDovecot } from './dovecot.ts';
import type { HandLoopHandlers } from './hand-loop.ts';
import type { ImapFlowHandlers } from './imapflow.ts';

const ADMINISTRATOR_KEY = 'the-administrators-key-of-benchmarks';
/** Mails of the mailbox; `--rows` overrides it. */
const MAILS = 500;
const USER = 'bench';
/** Bytes of the file that each mail carries: as much as a letter on one page. */
const FILE_BYTES = 60_000;

/**
 * A mailbox is received from Dovecot: each mail is stored with its source, its file, its recipients, and as a message
 * that is filed. Compared with imapflow, which fetches the same mails and stores nothing, and with a loop written by
 * hand, which parses each mail, and stores its source and a row.
 */
export async function benchReceiving(options: BenchOptions): Promise<void> {
  if (!options.takes('mail: receiving')) return;
  if (!isDovecotInstalled) {
    options.print('mail: receiving: skipped, Dovecot is not installed');
    return;
  }
  const count = options.rows ?? MAILS;
  const server = await startDovecot(
    USER,
    Array.from({ length: count }, (_, n) => mail(n)),
  );
  const database = await startDatabase();
  const ours = await database.create('bench');
  const plain = await database.create('hand', 'plain');
  const floor = await startChild<ImapFlowHandlers>('../mail/imapflow.ts');
  const hand = await startChild<HandLoopHandlers>('../mail/hand-loop.ts');
  const product = await startChild<ProductHandlers>(
    'product.ts',
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`],
  );
  try {
    await floor.ask('start', { port: server.port, user: USER });
    await hand.ask('start', { port: server.port, user: USER, connection: plain, folder: database.folder });
    const web = await product.ask('start', {
      databaseUrl: database.url('bench'),
      dataFolder: database.folder,
      administratorKey: ADMINISTRATOR_KEY,
      roles: ['web'],
    });
    const url = `http://127.0.0.1:${web}`;
    await configure(url, server.port);
    const floorSide: Side = {
      slice: async () => {
        const { mails, seconds } = await floor.ask('fetchAll', undefined);
        return { calls: mails, seconds };
      },
      cpu: () => floor.ask('cpu', undefined),
    };
    const handSide: Side = {
      slice: async () => {
        const { mails, seconds } = await hand.ask('receiveAll', undefined);
        return { calls: mails, seconds };
      },
      cpu: () => hand.ask('cpu', undefined),
      databaseCpu: () => database.cpu(),
    };
    const productSide: Side = {
      slice: () => receive(url, database, ours),
      cpu: () => product.ask('cpu', undefined),
      databaseCpu: () => database.cpu(),
    };
    const found = await compare(floorSide, productSide, options.plan);
    options.print(line('mail: receiving, imapflow fetch as 1', found, { rateAtLeast: 0.5 }));
    const loop = await compare(handSide, productSide, options.plan);
    options.print(line('mail: receiving, hand-written loop as 1', loop, {}));
  } finally {
    await Promise.all([product.stop(), floor.stop(), hand.stop()]);
    await database.stop();
    server.stop();
  }
}

/** A mail of some 85 KB with a file. */
function mail(n: number): string {
  const file = randomBytes(FILE_BYTES).toString('base64').replace(/.{76}/g, '$&\r\n');
  return [
    `From: Sender ${n} <sender${n}@sender.example>`,
    'To: cases@cases.example',
    `Subject: Papers ${n}`,
    `Message-ID: <bench-${n}@sender.example>`,
    'Date: Mon, 02 Mar 2026 09:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="part"',
    '',
    '--part',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Please find the papers attached. '.repeat(10),
    '--part',
    'Content-Type: application/octet-stream; name="papers.bin"',
    'Content-Disposition: attachment; filename="papers.bin"',
    'Content-Transfer-Encoding: base64',
    '',
    file,
    '--part--',
    '',
  ].join('\r\n');
}

async function call(url: string, route: string, values: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/api/${route}?Output=Json`, {
    method: 'POST',
    headers: { 'X-ApiKey': ADMINISTRATOR_KEY, 'Content-Type': 'application/json' },
    body: JSON.stringify(values),
  });
  if (answer.status !== 200) throw new Error(`${route} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Adds the mailbox. */
async function configure(url: string, port: number): Promise<void> {
  await call(url, 'setting/save', { Setting: 'OutboundHttpLoopback', Value: 'true' });
  await call(url, 'mailinbound/save', {
    MailInbound: 'Bench',
    MailInboundType: 'ImapReceiver',
    Host: '127.0.0.1',
    Port: port,
    Security: 'None',
    UserName: USER,
    Password: PASSWORD,
    Since: '2020-01-01T00:00:00Z',
  });
}

/** Receives all mails, and then removes them from the installation. */
async function receive(
  url: string,
  database: BenchDatabase,
  connection: BenchConnection,
): Promise<{ readonly calls: number; readonly seconds: number }> {
  const began = performance.now();
  const answer = await call(url, 'message/receive', { Account: 'Bench' });
  const seconds = (performance.now() - began) / 1_000;
  const { ReceiveItem = [] } = (answer['ReceiveCollection'] ?? {}) as { ReceiveItem?: { Received: number }[] };
  const received = ReceiveItem[0]?.Received ?? 0;
  await database.use(connection, async (sql) => {
    await sql.unsafe('truncate mailreceipt, message, attachment, messagerecipient cascade');
    await sql.unsafe("delete from objectsubscription where object = 'Message'");
  });
  // Equal content is stored once: it must be new each time. The files are moved, not deleted: for minutes after many
  // deletions, ext4 searches the deleted entries each time it creates a file or folder.
  const files = join(database.folder, 'files');
  const aside = mkdtempSync(join(database.folder, 'received-'));
  for (const name of readdirSync(files)) renameSync(join(files, name), join(aside, name));
  if (received === 0) throw new Error(`nothing was received: ${JSON.stringify(answer)}`);
  return { calls: received, seconds };
}
